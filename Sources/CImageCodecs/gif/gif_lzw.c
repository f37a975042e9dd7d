// The LZW decoder. A new dictionary string is the previous string plus the first index of the next
// string, and these indices are consecutive in the output. So an entry contains an offset and a
// length in the output, and decoding a code is one copy, 16 bytes at a time, without following
// prefix chains.
//
// The output buffer is a window, smaller than a large image. After a clear code the dictionary is
// empty, and the decoder may continue to write at the start of the window. The entries of a full
// dictionary refer only to output before the position where the dictionary became full, so the
// decoder may continue to write at that position. After a clear code the n-th string has at most n
// indices, which limits the window to about 8 MiB for any image size.

#include "gif/gif_lzw.h"
#include "core/bytes.h"
#include "core/copy.h"

#include <stdlib.h>
#include <string.h>

enum {
  CODES = 4096,
  LITERALS = 256,                        // buffer[i] == i: single indices are copied like strings
  CODES_PER_LOAD = 4,                    // 4 codes of 12 bits fit into the 56 bits of one load
  SLACK = CODES_PER_LOAD * (CODES + 16), // maximum bytes written after `stop` before the next check
  MAX_WINDOW = CODES * (CODES + 1) / 2,  // 1 + 2 + ... + 4,096
  MIN_FREE = 32768,                      // minimum free bytes after a move, so that moves are rare
};

struct imgc_lzw {
  uint8_t *buffer;
  size_t capacity;
  size_t max_capacity;
  size_t start;       // offset of the next row
  size_t end;         // offset of the end of the output
  size_t front_limit; // after a clear code past this offset the decoder writes at the start
  size_t min_free;    // free space required after a move, at least a row
  uint64_t remaining; // indices not yet written
  size_t width;
  imgc_lzw_state state; // END and INVALID are final

  const uint8_t *in, *in_end;
  uint64_t bits; // unused bits, lowest first
  unsigned bit_count;
  unsigned code_size; // bits of a literal code, one less than the initial code length
  unsigned code_bits; // current code length
  unsigned limit;     // first invalid code; equal to the clear code when the dictionary is empty

  // One entry more than the number of codes: write_string stores entry `limit` even when the
  // dictionary is full.
  uint32_t offset[CODES + 1];
  uint16_t length[CODES + 1];
};

static size_t min_free_for(uint32_t width) { return width > MIN_FREE ? width : MIN_FREE; }

// Computes the initial and the maximum size of the buffer.
static void sizes(uint32_t width, uint32_t height, size_t *first, size_t *max_capacity) {
  size_t min_free = min_free_for(width);
  uint64_t pixels = (uint64_t)width * height;
  *first = LITERALS + 4 * min_free + SLACK;
  *max_capacity = *first + MAX_WINDOW;
  // A small image fits completely.
  if (pixels + LITERALS + SLACK < *max_capacity) *max_capacity = (size_t)pixels + LITERALS + SLACK;
  if (*first > *max_capacity) *first = *max_capacity;
}

uint64_t imgc_lzw_bytes(uint32_t width, uint32_t height) {
  size_t first, max_capacity;
  sizes(width, height, &first, &max_capacity);
  return sizeof(imgc_lzw) + max_capacity;
}

static void clear(imgc_lzw *z) {
  z->limit = 1u << z->code_size;
  z->code_bits = z->code_size + 1;
}

imgc_lzw *imgc_lzw_create(uint32_t width, uint32_t height, unsigned code_size) {
  imgc_lzw *z = malloc(sizeof *z);
  if (!z) return NULL;
  sizes(width, height, &z->capacity, &z->max_capacity);
  z->buffer = malloc(z->capacity);
  if (!z->buffer) {
    free(z);
    return NULL;
  }
  z->start = z->end = LITERALS;
  z->min_free = min_free_for(width);
  z->front_limit = LITERALS + 2 * z->min_free;
  z->remaining = (uint64_t)width * height;
  z->width = width;
  z->state = IMGC_LZW_INPUT;
  z->in = z->in_end = NULL;
  z->bits = 0;
  z->bit_count = 0;
  z->code_size = code_size;
  for (unsigned i = 0; i < LITERALS; i++) {
    z->buffer[i] = (uint8_t)i;
    z->offset[i] = i;
    z->length[i] = 1;
  }
  clear(z);
  return z;
}

void imgc_lzw_destroy(imgc_lzw *z) {
  if (!z) return;
  free(z->buffer);
  free(z);
}

void imgc_lzw_feed(imgc_lzw *z, const uint8_t *bytes, size_t count) {
  z->in = bytes;
  z->in_end = bytes + count;
}

const uint8_t *imgc_lzw_row(imgc_lzw *z) {
  if (z->end - z->start < z->width) return NULL;
  const uint8_t *row = z->buffer + z->start;
  z->start += z->width;
  return row;
}

const uint8_t *imgc_lzw_partial_row(const imgc_lzw *z, uint32_t *count) {
  *count = (uint32_t)(z->end - z->start);
  return z->buffer + z->start;
}

// Call it only when less than a row is between `start` and `end`. Moves the output towards the
// start of the window when the dictionary allows this, and enlarges the buffer if necessary.
static bool ensure_space(imgc_lzw *z) {
  size_t unread = z->end - z->start, write_start = z->start;
  if (z->limit == 1u << z->code_size)
    write_start = LITERALS;
  else if (z->limit == CODES)
    write_start = (size_t)z->offset[CODES - 1] + z->length[CODES - 1];
  if (write_start < z->start) {
    memmove(z->buffer + write_start, z->buffer + z->start, unread);
    z->start = write_start;
    z->end = write_start + unread;
  }

  size_t needed = z->end + z->min_free + SLACK;
  if (needed > z->capacity && z->capacity < z->max_capacity) {
    size_t larger = z->capacity * 2 > needed ? z->capacity * 2 : needed;
    if (larger > z->max_capacity) larger = z->max_capacity;
    uint8_t *moved = realloc(z->buffer, larger);
    if (!moved) return false;
    z->buffer = moved;
    z->capacity = larger;
  }
  return z->capacity - z->end > SLACK; // always true, by the bound of the window
}

static inline void copy16(uint8_t *dst, const uint8_t *src) {
  uint8_t v[16]; // loaded before the store, because `src` and the destination may overlap
  imgc_copy(v, src, 16);
  imgc_copy(dst, v, 16);
}

// Writes the string of `code` to `out`, makes it the prefix of the next entry, and returns its
// length. Writes up to 15 additional bytes.
static inline size_t write_string(imgc_lzw *z, uint8_t *buffer, size_t out, unsigned code,
                                  unsigned limit) {
  size_t length = z->length[code];
  const uint8_t *src = buffer + z->offset[code];
  uint8_t *dst = buffer + out;
  // The newest entry ends with an index that is not written yet: the first index of this string.
  if (code == limit - 1) dst[0] = src[0];
  copy16(dst, src);
  for (size_t i = 16; i < length; i += 16) copy16(dst + i, src + i);
  z->offset[limit] = (uint32_t)out;
  z->length[limit] = (uint16_t)(length + 1);
  return length;
}

// Increments `*limit` after an entry was added there, up to CODES. The code length grows at powers
// of two, up to 12 bits.
static inline void grow_codes(unsigned *limit, unsigned *code_bits) {
  if (*limit == CODES) return;
  if (*limit >> *code_bits) ++*code_bits;
  ++*limit;
}

imgc_lzw_state imgc_lzw_run(imgc_lzw *z) {
  if (z->state == IMGC_LZW_END || z->state == IMGC_LZW_INVALID) return z->state;
  if (z->state == IMGC_LZW_OUTPUT && !ensure_space(z)) return IMGC_LZW_NO_MEMORY;

  const unsigned clear_code = 1u << z->code_size;
  // With a code size above 8 bits, some codes below the clear code are not valid palette indices.
  const bool all_indices_fit = clear_code <= LITERALS;
  uint8_t *const buffer = z->buffer;
  const uint8_t *in = z->in, *const in_end = z->in_end;
  uint64_t bits = z->bits;
  unsigned bit_count = z->bit_count, code_bits = z->code_bits, limit = z->limit;
  size_t out = z->end, stop = z->capacity - SLACK;
  if (z->remaining < stop - out) stop = out + (size_t)z->remaining;
  imgc_lzw_state state = IMGC_LZW_OUTPUT;

  while (out < stop) {
    // Fast path: enough input, and every code adds an entry.
    while (all_indices_fit && limit > clear_code && in_end - in >= 8 && out < stop) {
      bits |= imgc_load_le64(in) << bit_count;
      in += (63 - bit_count) >> 3;
      bit_count |= 56;
      for (int k = 0; k < CODES_PER_LOAD; k++) {
        unsigned code = (unsigned)bits & ((1u << code_bits) - 1);
        if (code >= limit || (code & ~1u) == clear_code) goto special;
        bits >>= code_bits;
        bit_count -= code_bits;
        out += write_string(z, buffer, out, code, limit);
        grow_codes(&limit, &code_bits);
      }
    }
  special:
    if (out >= stop) break;
    for (; bit_count < code_bits && in < in_end; bit_count += 8)
      bits |= (uint64_t)*in++ << bit_count;
    if (bit_count < code_bits) {
      state = IMGC_LZW_INPUT;
      break;
    }
    unsigned code = (unsigned)bits & ((1u << code_bits) - 1);
    bits >>= code_bits;
    bit_count -= code_bits;
    if (code == clear_code) {
      limit = clear_code;
      code_bits = z->code_size + 1;
      if (out > z->front_limit) break;
    } else if (code == clear_code + 1) {
      state = IMGC_LZW_END;
      break;
    } else if (code >= limit || (code >= LITERALS && code < clear_code)) {
      state = IMGC_LZW_INVALID;
      break;
    } else {
      if (limit == clear_code) limit += 2; // the first string is the prefix of entry clear_code + 2
      out += write_string(z, buffer, out, code, limit);
      grow_codes(&limit, &code_bits);
    }
  }

  size_t written = out - z->end;
  z->remaining -= written < z->remaining ? written : z->remaining;
  if (z->remaining == 0) state = IMGC_LZW_END;
  z->end = out;
  z->in = in;
  z->bits = bits;
  z->bit_count = bit_count;
  z->code_bits = code_bits;
  z->limit = limit;
  return z->state = state;
}
