// The decoder uses zlib and handles the cases that zlib does not handle: concatenated gzip members,
// detection of raw deflate, and data after the end of the stream.

#include "CPlatformImageContentCoding.h"

#include <limits.h>
#include <stdlib.h>

#if !__has_include(<zlib.h>)
#error "zlib not found: apt-get install zlib1g-dev (or brew install zlib)"
#endif
#include <zlib.h>

// Values of zlib's windowBits: 15 selects the zlib format, 15 plus 16 gzip, and a negative number
// raw deflate.
enum { WINDOW_ZLIB = 15, WINDOW_GZIP = 15 + 16, WINDOW_RAW = -15 };

enum stream_position {
  // Before the first byte.
  STREAM_START,
  // In the stream, or in one of the gzip members.
  STREAM_INSIDE,
  // After the end of the stream or of a gzip member; another member may follow.
  STREAM_ENDED,
  STREAM_FAILED,
};

struct picc_decoder {
  z_stream stream;
  picc_format format;
  enum stream_position position;
  picc_status error;
  const char *message;
};

picc_decoder *picc_create(picc_format format) {
  picc_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  decoder->format = format;
  decoder->message = "no error";
  int window = format == PICC_GZIP ? WINDOW_GZIP : WINDOW_ZLIB;
  if (inflateInit2(&decoder->stream, window) != Z_OK) {
    free(decoder);
    return NULL;
  }
  return decoder;
}

void picc_destroy(picc_decoder *decoder) {
  if (!decoder) return;
  inflateEnd(&decoder->stream);
  free(decoder);
}

static picc_status fail(picc_decoder *decoder, picc_status status, const char *message) {
  decoder->position = STREAM_FAILED;
  decoder->error = status;
  // zlib's messages are string constants. For some errors zlib has no message.
  decoder->message = message ? message : "the compressed data is damaged";
  return status;
}

// Prepares the decoder for the first byte of a stream or of a further gzip member.
static picc_status begin(picc_decoder *decoder, uint8_t first) {
  if (decoder->position == STREAM_START && decoder->format == PICC_DEFLATE &&
      (first & 15) != Z_DEFLATED) {
    // The low four bits are the compression method, 8 in every zlib stream (RFC 1950). Raw deflate
    // with these four bits would start with a stored block with nonzero padding, which encoders do
    // not write.
    if (inflateReset2(&decoder->stream, WINDOW_RAW) != Z_OK) {
      return fail(decoder, PICC_CORRUPT, "inflateReset2 of zlib failed");
    }
  }
  // A gzip member starts with 1F (RFC 1952, 2.3.1); any other byte after the end is an error.
  int is_gzip = decoder->format == PICC_GZIP && first == 0x1F;
  if (decoder->position == STREAM_ENDED) {
    if (!is_gzip) return fail(decoder, PICC_CORRUPT, "bytes follow the end of the compressed data");
    if (inflateReset(&decoder->stream) != Z_OK)
      return fail(decoder, PICC_CORRUPT, "inflateReset of zlib failed");
  }
  decoder->position = STREAM_INSIDE;
  return PICC_OK;
}

picc_status picc_decode(picc_decoder *decoder, const uint8_t *input, size_t input_size,
                        size_t *consumed, uint8_t *output, size_t output_size, size_t *written) {
  *consumed = 0;
  *written = 0;
  if (decoder->position == STREAM_FAILED) return decoder->error;
  z_stream *stream = &decoder->stream;
  while (*written < output_size) {
    if (decoder->position != STREAM_INSIDE) {
      if (*consumed == input_size) return PICC_OK;
      picc_status status = begin(decoder, input[*consumed]);
      if (status != PICC_OK) return status;
    }
    size_t left = input_size - *consumed, output_left = output_size - *written;
    uInt input_space = left > UINT_MAX ? UINT_MAX : (uInt)left;
    uInt space = output_left > UINT_MAX ? UINT_MAX : (uInt)output_left;
    stream->next_in = (Bytef *)(uintptr_t)(input + *consumed);
    stream->avail_in = input_space;
    stream->next_out = output + *written;
    stream->avail_out = space;
    int result = inflate(stream, Z_NO_FLUSH);
    *consumed += input_space - stream->avail_in;
    *written += space - stream->avail_out;
    const char *message = stream->msg;
    int made_no_progress = stream->avail_in == input_space && stream->avail_out == space;
    // The decoder stores no pointer to the caller's memory after the call.
    stream->next_in = NULL;
    stream->next_out = NULL;
    stream->avail_in = 0;
    stream->avail_out = 0;
    switch (result) {
    case Z_STREAM_END: decoder->position = STREAM_ENDED; break;
    case Z_OK:
    case Z_BUF_ERROR:
      // No input was consumed and no output produced: zlib needs more input.
      if (made_no_progress) return PICC_OK;
      break;
    case Z_NEED_DICT:
      return fail(decoder, PICC_CORRUPT,
                  "the zlib data requires a preset dictionary, which is not supported");
    case Z_MEM_ERROR: return fail(decoder, PICC_NO_MEMORY, "out of memory");
    default: return fail(decoder, PICC_CORRUPT, message);
    }
  }
  return PICC_OK;
}

int picc_is_complete(const picc_decoder *decoder) { return decoder->position == STREAM_ENDED; }

const char *picc_message(const picc_decoder *decoder) { return decoder->message; }

size_t picc_encode(picc_format format, picc_frame frame, int level, const uint8_t *input,
                   size_t input_size, uint8_t *output, size_t output_size) {
  if (input_size > UINT_MAX || output_size > UINT_MAX) return 0;
  int is_open = format == PICC_DEFLATE && frame == PICC_BLOCKS;
  int window = format == PICC_GZIP ? WINDOW_GZIP : frame == PICC_FRAMED ? WINDOW_ZLIB : WINDOW_RAW;
  z_stream stream = {0};
  if (deflateInit2(&stream, level, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  stream.next_in = (Bytef *)(uintptr_t)input;
  stream.avail_in = (uInt)input_size;
  stream.next_out = output;
  stream.avail_out = (uInt)output_size;
  int result = deflate(&stream, is_open ? Z_FULL_FLUSH : Z_FINISH);
  size_t size = output_size - stream.avail_out;
  // A flush is complete when unused output space remains after the call.
  int is_complete = is_open ? result == Z_OK && stream.avail_out > 0 : result == Z_STREAM_END;
  deflateEnd(&stream);
  return is_complete ? size : 0;
}
