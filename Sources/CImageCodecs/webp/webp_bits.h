// The bits of a lossless stream (RFC 9649, section 3), and its prefix codes (section 3.7.2.1).

#ifndef IMGC_WEBP_BITS_H
#define IMGC_WEBP_BITS_H

#include "core/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IMGC_WEBP_MAX_CODE_LENGTH = 15 };

typedef struct imgc_webp_bits {
  const uint8_t *data;
  size_t size;
  size_t at; // next byte
  uint64_t value;
  unsigned count; // valid bits in `value`; imgc_webp_fill loads those above them again
  bool is_valid;  // false after the end of the data, and after an invalid code
} imgc_webp_bits;

// Reads bytes until `value` has at least 56 bits, or all bits of the data.
static inline void imgc_webp_fill(imgc_webp_bits *b) {
  if (b->size - b->at >= 8) {
    b->value |= imgc_load_le64(b->data + b->at) << b->count;
    b->at += (63 - b->count) >> 3;
    b->count |= 56;
    return;
  }
  for (; b->count < 56 && b->at < b->size; b->count += 8)
    b->value |= (uint64_t)b->data[b->at++] << b->count;
}

// Removes bits from `value`.
static inline void imgc_webp_skip(imgc_webp_bits *b, unsigned count) {
  if (b->count < count) {
    b->is_valid = false;
    return;
  }
  b->value >>= count;
  b->count -= count;
}

// Returns at most 32 bits; 0 after the end of the data.
static inline uint32_t imgc_webp_read_bits(imgc_webp_bits *b, unsigned count) {
  if (b->count < count) imgc_webp_fill(b);
  uint32_t result = (uint32_t)(b->value & (((uint64_t)1 << count) - 1));
  imgc_webp_skip(b, count);
  return b->is_valid ? result : 0;
}

// Returns the next symbol of a canonical code.
// - counts: codes of each length up to IMGC_WEBP_MAX_CODE_LENGTH.
// - symbols: in order of their code length and value.
static inline uint32_t imgc_webp_read_code(imgc_webp_bits *b, const uint16_t *counts,
                                           const uint16_t *symbols) {
  if (b->count < IMGC_WEBP_MAX_CODE_LENGTH) imgc_webp_fill(b);
  uint32_t value = 0, first = 0, index = 0;
  for (unsigned length = 1; length <= IMGC_WEBP_MAX_CODE_LENGTH; length++) {
    value |= (uint32_t)(b->value >> (length - 1)) & 1;
    uint32_t count = counts[length];
    if (value - first < count) {
      imgc_webp_skip(b, length);
      return b->is_valid ? symbols[index + value - first] : 0;
    }
    index += count;
    first = (first + count) << 1;
    value <<= 1;
  }
  b->is_valid = false;
  return 0;
}

// Section 3.6.2.2: returns a length or a distance from its prefix code and the bits after it.
static inline uint32_t imgc_webp_read_length(imgc_webp_bits *b, uint32_t symbol) {
  if (symbol < 4) return symbol + 1;
  unsigned extra = (symbol - 2) >> 1;
  return ((2 + (symbol & 1)) << extra) + imgc_webp_read_bits(b, extra) + 1;
}

#endif
