// CPlatformImageContentCoding: incremental decoder of the HTTP content codings gzip and deflate,
// with zlib.
//
// A decoder is not thread-safe; different decoders may be used concurrently. A decoder stores no
// pointers to the caller's memory and allocates at most about 48 KiB.

#ifndef CCONTENTCODING_H
#define CCONTENTCODING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum picc_format {
  // RFC 1952, one or more members.
  PICC_GZIP = 0,
  // The zlib format (RFC 1950), or the raw deflate format (RFC 1951), which some servers send under
  // the name "deflate". The first byte selects the format.
  PICC_DEFLATE = 1,
} picc_format;

typedef enum picc_status {
  // No error. Continue with more input or more output space.
  PICC_OK = 0,
  // The data is not of the decoder's format, fails its checksum, or continues after the end of the
  // stream.
  PICC_CORRUPT = 1,
  PICC_NO_MEMORY = 2,
} picc_status;

typedef enum picc_frame {
  // The compressed data with the header and the checksum of the format.
  PICC_FRAMED = 0,
  // Raw deflate (RFC 1951), without header and checksum.
  PICC_RAW = 1,
  // Raw deflate without a last block. It ends at a byte boundary, so several results can be
  // concatenated.
  PICC_BLOCKS = 2,
} picc_frame;

// A decoder for one stream.
typedef struct picc_decoder picc_decoder;

// Creates a decoder at the start of a stream; NULL when memory is exhausted. Release it with
// picc_destroy.
picc_decoder *picc_create(picc_format format);

// Releases a decoder; accepts NULL.
void picc_destroy(picc_decoder *decoder);

// Decodes until `input` is consumed or `output` is full, and sets `consumed` and `written` to the
// number of consumed input bytes and written output bytes. Call it again while unconsumed input
// remains, and after a call that filled the output, because more output may be available. After an
// error every call returns the same error.
picc_status picc_decode(picc_decoder *decoder, const uint8_t *input, size_t input_size,
                        size_t *consumed, uint8_t *output, size_t output_size, size_t *written);

// Returns 1 when the consumed input is a complete stream; returns 0 when data is missing, and
// before the first byte.
int picc_is_complete(const picc_decoder *decoder);

// Returns one line of English text that describes the last error, without bytes of the data; never
// NULL.
const char *picc_message(const picc_decoder *decoder);

// Encodes `input` in one call at the zlib level 0...9; for tests and test servers. For gzip,
// `frame` is ignored: the result always has header and checksum. Returns the bytes written; 0 when
// `output` is too small or memory is exhausted.
size_t picc_encode(picc_format format, picc_frame frame, int level, const uint8_t *input,
                   size_t input_size, uint8_t *output, size_t output_size);

#ifdef __cplusplus
}
#endif
#endif
