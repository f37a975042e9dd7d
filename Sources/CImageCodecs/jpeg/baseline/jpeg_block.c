#include "jpeg/baseline/jpeg_block.h"

const uint8_t imgc_jpeg_order[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// A byte FF is followed by a stuffed byte 00, which is not data, or by a marker code.
void imgc_jpeg_refill_bytes(imgc_jpeg_bits *b) {
  if (b->count < 0) return;
  // The bits after the first `count` bits belong to the next byte, which is loaded again.
  b->next_bits &= ~(UINT64_MAX >> b->count);
  while (b->count < 56 && b->next < b->end) {
    unsigned byte = *b->next;
    unsigned length = 1;
    if (byte == 0xFF) {
      if (b->end - b->next < 2 || b->next[1] != 0) return;
      length = 2;
    }
    b->next += length;
    b->next_bits |= (uint64_t)byte << (56 - b->count);
    b->count += 8;
  }
}

// Position in the block being decoded.
typedef struct block_position {
  unsigned k, count;
  // Bitwise OR of all coefficients + 2,048; 4,096 or more after a coefficient was out of range.
  uint32_t range;
} block_position;

// Decodes one code; returns false at the end of the block or at an invalid code.
static inline __attribute__((always_inline)) bool
read_coefficient(imgc_jpeg_bits *b, const imgc_huffman *ac, const int32_t steps[64],
                 int16_t block[64], block_position *p) {
  const uint32_t entry = imgc_read_code(b, ac);
  const unsigned run = entry >> 10 & 63;
  p->k += run;
  if (p->k >= 64 || entry == 0) {
    // A run past the end of the block is an error, and so is an invalid code.
    if (run != IMGC_BLOCK_ENDS) p->range = UINT32_MAX;
    return false;
  }
  const int32_t coefficient = imgc_value_of(entry) * steps[p->k];
  block[imgc_jpeg_order[p->k]] = (int16_t)coefficient;
  p->range |= (uint32_t)coefficient + 2048;
  p->count = ++p->k;
  return p->k < 64;
}

unsigned imgc_jpeg_block(imgc_jpeg_bits *bits, const imgc_huffman *dc, const imgc_huffman *ac,
                         const int32_t steps[64], int32_t *last_dc, int16_t block[64]) {
  enum { MIN_BITS = 31 };
  imgc_jpeg_bits b = *bits;
  imgc_refill(&b);
  const uint32_t entry = imgc_read_code(&b, dc);
  if (entry == 0) return 0;
  *last_dc += imgc_value_of(entry);
  const int32_t coefficient = *last_dc * steps[0];
  block[0] = (int16_t)coefficient;
  block_position p = {.k = 1, .count = 1, .range = (uint32_t)coefficient + 2048};
  // After a refill the buffer usually contains enough bits for three codes. The loop is unrolled,
  // so that each check of `count` is a separate branch: a single check for all codes would often be
  // mispredicted.
  while (b.count >= MIN_BITS ? read_coefficient(&b, ac, steps, block, &p) : true) {
    imgc_refill(&b);
    if (!read_coefficient(&b, ac, steps, block, &p)) break;
    if (b.count < MIN_BITS) continue;
    if (!read_coefficient(&b, ac, steps, block, &p)) break;
    if (b.count < MIN_BITS) continue;
    if (!read_coefficient(&b, ac, steps, block, &p)) break;
  }
  *bits = b;
  return p.range < 4096 && b.count >= 0 ? p.count : 0;
}
