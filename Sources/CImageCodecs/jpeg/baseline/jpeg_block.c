#include "jpeg/baseline/jpeg_block.h"

const uint8_t imgc_jpeg_order[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// FF is followed by a stuffed 00, which is not data, or by a marker.
void imgc_jpeg_refill_bytes(imgc_jpeg_bits *b) {
  if (b->count < 0) return;
  // The bits above `count` are a part of the next byte, which is loaded again.
  b->ahead &= ~(UINT64_MAX >> b->count);
  while (b->count < 56 && b->next < b->end) {
    unsigned byte = *b->next;
    unsigned length = 1;
    if (byte == 0xFF) {
      if (b->end - b->next < 2 || b->next[1] != 0) return;
      length = 2;
    }
    b->next += length;
    b->ahead |= (uint64_t)byte << (56 - b->count);
    b->count += 8;
  }
}

// Position in the block being decoded.
typedef struct walk {
  unsigned k, count;
  // Bits from 12 on are set once a coefficient is out of range.
  uint32_t range;
} walk;

// Decodes one code; returns false at the end of the block or at an invalid code.
static inline __attribute__((always_inline)) bool step(imgc_jpeg_bits *b, const imgc_huffman *ac,
                                                       const int32_t steps[64], int16_t block[64],
                                                       walk *w) {
  const uint32_t entry = imgc_take(b, ac);
  const unsigned run = entry >> 10 & 63;
  w->k += run;
  if (w->k >= 64 || entry == 0) {
    // A run past the end of the block is an error.
    if (run != IMGC_BLOCK_ENDS) w->range = UINT32_MAX;
    return false;
  }
  const int32_t coefficient = imgc_value_of(entry) * steps[w->k];
  block[imgc_jpeg_order[w->k]] = (int16_t)coefficient;
  w->range |= (uint32_t)coefficient + 2048;
  w->count = ++w->k;
  return w->k < 64;
}

unsigned imgc_jpeg_block(imgc_jpeg_bits *bits, const imgc_huffman *dc, const imgc_huffman *ac,
                         const int32_t steps[64], int32_t *last_dc, int16_t block[64]) {
  enum { LEAST = 31 };
  imgc_jpeg_bits b = *bits;
  imgc_refill(&b);
  const uint32_t entry = imgc_take(&b, dc);
  if (entry == 0) return 0;
  *last_dc += imgc_value_of(entry);
  const int32_t coefficient = *last_dc * steps[0];
  block[0] = (int16_t)coefficient;
  walk w = {.k = 1, .count = 1, .range = (uint32_t)coefficient + 2048};
  // A branch for a refill after every code would often be mispredicted. After a refill there are
  // usually enough bits for three codes.
  while (b.count >= LEAST ? step(&b, ac, steps, block, &w) : true) {
    imgc_refill(&b);
    if (!step(&b, ac, steps, block, &w)) break;
    if (b.count < LEAST) continue;
    if (!step(&b, ac, steps, block, &w)) break;
    if (b.count < LEAST) continue;
    if (!step(&b, ac, steps, block, &w)) break;
  }
  *bits = b;
  return w.range < 4096 && b.count >= 0 ? w.count : 0;
}
