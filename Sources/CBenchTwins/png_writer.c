// A plain PNG writer: RGBA, 8 bits, filter Sub in every row, one deflate stream at level 6.

#include "CBenchTwins.h"

#include <stdlib.h>
#include <string.h>

#if !__has_include(<zlib.h>)
#error "zlib not found: apt-get install zlib1g-dev"
#endif
#include <zlib.h>

struct buffer {
  uint8_t *bytes;
  size_t count, capacity;
};

static bool append(struct buffer *to, const void *bytes, size_t count) {
  if (count > to->capacity - to->count) {
    size_t capacity = (to->count + count) * 2;
    uint8_t *grown = realloc(to->bytes, capacity);
    if (!grown) return false;
    to->bytes = grown;
    to->capacity = capacity;
  }
  memcpy(to->bytes + to->count, bytes, count);
  to->count += count;
  return true;
}

static void be32(uint8_t *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (24 - 8 * i));
}

// Length, type, data and the CRC of type and data (PNG specification, section 5.3).
static bool append_chunk(struct buffer *to, const char type[4], const uint8_t *data,
                         uint32_t count) {
  uint8_t head[8], tail[4];
  be32(head, count);
  memcpy(head + 4, type, 4);
  uLong crc = crc32(crc32(0, head + 4, 4), data, count);
  be32(tail, (uint32_t)crc);
  return append(to, head, 8) && (count == 0 || append(to, data, count)) && append(to, tail, 4);
}

static void filter_sub(uint8_t *to, const uint8_t *row, size_t count) {
  to[0] = 1;
  memcpy(to + 1, row, 4);
  for (size_t i = 4; i < count; i++) to[1 + i] = (uint8_t)(row[i] - row[i - 4]);
}

// Deflates what `stream` holds as input, writing an IDAT chunk whenever `idat` is full.
static bool deflate_input(z_stream *stream, int flush, uint8_t *idat, uint32_t size,
                          struct buffer *to) {
  for (;;) {
    int status = deflate(stream, flush);
    if (status == Z_STREAM_ERROR) return false;
    bool is_full = stream->avail_out == 0, is_end = status == Z_STREAM_END;
    if (is_full || is_end) {
      if (!append_chunk(to, "IDAT", idat, size - stream->avail_out)) return false;
      stream->next_out = idat;
      stream->avail_out = size;
    }
    if (is_end || !is_full) return true;
  }
}

static bool append_pixels(struct buffer *to, const uint8_t *rgba, uint32_t width, uint32_t height) {
  enum { IDAT_SIZE = 64 << 10 };
  size_t stride = (size_t)width * 4;
  uint8_t *row = malloc(1 + stride), *idat = malloc(IDAT_SIZE);
  z_stream stream = {.next_out = idat, .avail_out = IDAT_SIZE};
  bool ok = row && idat && deflateInit(&stream, 6) == Z_OK;
  if (ok) {
    for (uint32_t y = 0; y < height && ok; y++) {
      filter_sub(row, rgba + y * stride, stride);
      stream.next_in = row;
      stream.avail_in = (uInt)(1 + stride);
      ok = deflate_input(&stream, Z_NO_FLUSH, idat, IDAT_SIZE, to);
    }
    ok = ok && deflate_input(&stream, Z_FINISH, idat, IDAT_SIZE, to);
    deflateEnd(&stream);
  }
  free(row);
  free(idat);
  return ok;
}

uint8_t *rgba_to_png(const uint8_t *rgba, uint32_t width, uint32_t height, size_t *size) {
  static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  uint8_t header[13] = {[8] = 8 /* bits */, [9] = 6 /* RGBA */};
  be32(header, width);
  be32(header + 4, height);
  struct buffer file = {NULL, 0, 0};
  if (append(&file, signature, 8) && append_chunk(&file, "IHDR", header, 13) &&
      append_pixels(&file, rgba, width, height) && append_chunk(&file, "IEND", NULL, 0)) {
    *size = file.count;
    return file.bytes;
  }
  free(file.bytes);
  return NULL;
}
