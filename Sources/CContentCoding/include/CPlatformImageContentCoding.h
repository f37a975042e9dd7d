// CPlatformImageContentCoding - undoes the content codings gzip and deflate of HTTP, piece by piece (zlib).
//
// A decoder may be used by one thread at a time; different ones by different threads at once. None
// keeps a pointer to the caller's memory, and none takes more than about 48 KiB of its own.

#ifndef CCONTENTCODING_H
#define CCONTENTCODING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum picc_format {
  // RFC 1952, one member or several in a row.
  PICC_GZIP = 0,
  // RFC 1950, or the bare RFC 1951 that some servers send under the same name: the first byte
  // tells.
  PICC_DEFLATE = 1,
} picc_format;

typedef enum picc_status {
  // Some input was used or some output made, or both; go on.
  PICC_OK = 0,
  // The bytes are none of that format, fail their checksum, or go on behind their end.
  PICC_CORRUPT = 1,
  PICC_NO_MEMORY = 2,
} picc_status;

typedef enum picc_frame {
  // With the header and the checksum of the format.
  PICC_FRAMED = 0,
  // Bare RFC 1951.
  PICC_BARE = 1,
  // Bare as well, without a last block and ending at a byte: such pieces can follow each other.
  PICC_BLOCKS = 2,
} picc_frame;

// Of one stream of one format.
typedef struct picc_decoder picc_decoder;

// A decoder at the start of a stream; NULL when memory is short. The caller destroys it.
picc_decoder *picc_create(picc_format format);

// Frees a decoder; nothing for NULL.
void picc_destroy(picc_decoder *decoder);

// Decodes from `input` until it is used up or `output` is full, whichever comes first; says how
// much of each. Call it again with what is left while either is not zero: a full output may mean
// that there is more. After an error every call gives the same error.
picc_status picc_decode(picc_decoder *decoder, const uint8_t *input, size_t input_size,
                        size_t *used, uint8_t *output, size_t output_size, size_t *made);

// 1 when all that the decoder was given is one whole stream, 0 when something is missing: also
// before the first byte.
int picc_is_whole(const picc_decoder *decoder);

// One line of English about the last error, without its values; never NULL.
const char *picc_message(const picc_decoder *decoder);

// The other direction, in one call, for tests and servers of tests: codes `input` at the zlib level
// 0...9. gzip is always framed. Returns the bytes written, 0 when `output` is too small or memory
// is short.
size_t picc_encode(picc_format format, picc_frame frame, int level, const uint8_t *input,
                   size_t input_size, uint8_t *output, size_t output_size);

#ifdef __cplusplus
}
#endif
#endif
