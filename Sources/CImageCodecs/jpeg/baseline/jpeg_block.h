// Entropy-coded data of baseline JPEGs (ITU-T T.81, annex F): its bits, codes out of them, and a
// block at a time.

#ifndef IMGC_JPEG_BLOCK_H
#define IMGC_JPEG_BLOCK_H

#include "core/bytes.h"
#include "jpeg/baseline/jpeg_huffman.h"

// The bits ahead, the first one highest. Behind the data's end, or a marker, come zeros.
typedef struct imgc_jpeg_bits {
  uint64_t ahead;
  int32_t count; // below 0: more were taken than there are
  const uint8_t *next, *end;
} imgc_jpeg_bits;

IMGC_INLINE bool imgc_has_ff(uint64_t bytes) {
  return ((~bytes - 0x0101010101010101) & bytes & 0x8080808080808080) != 0;
}

// What is at hand goes up to 64 bits byte by byte: where FF or the end is near.
void imgc_jpeg_refill_bytes(imgc_jpeg_bits *b);

// At least 56 bits, unless there are no more. Bits above `count` may be there already: the same.
IMGC_INLINE void imgc_refill(imgc_jpeg_bits *b) {
  if (b->end - b->next >= 8) {
    const uint64_t bytes = imgc_load_be64(b->next);
    if (!imgc_has_ff(bytes)) {
      b->ahead |= bytes >> b->count;
      b->next += (63 - b->count) >> 3;
      b->count |= 56;
      return;
    }
  }
  // By value, so that the bits of a caller can stay in registers.
  imgc_jpeg_bits slow = *b;
  imgc_jpeg_refill_bytes(&slow);
  *b = slow;
}

IMGC_INLINE void imgc_drop(imgc_jpeg_bits *b, unsigned count) {
  b->ahead <<= count;
  b->count -= (int32_t)count;
}

// The next code as an entry with its value; 0 when there is no such code. A code and its value are
// 31 bits at most: so many are there, or the data ends.
IMGC_INLINE uint32_t imgc_take(imgc_jpeg_bits *b, const imgc_huffman *h) {
  uint32_t entry = h->look[b->ahead >> (64 - IMGC_HUFFMAN_LOOK)];
  if (__builtin_expect((entry & 63) == 0, 0)) entry = imgc_huffman_long_code(h, b->ahead);
  imgc_drop(b, entry & 63);
  const unsigned size = entry >> 6 & 15;
  if (__builtin_expect(size > 0, 0)) {
    entry |= (uint32_t)imgc_extend((uint32_t)(b->ahead >> (64 - size)), size) << 16;
    imgc_drop(b, size);
  }
  return entry;
}

// Reads one block. `steps` are those of quantisation, in zigzag order and at most 4,095;
// `last_dc` is the component's, before it is multiplied; `block`, all zero, gets the coefficients
// in rows, multiplied. Gives how many there are in zigzag order, so that 1 is DC alone, and 0 for
// bits that say no block or one whose coefficients are above 2,047: no encoder writes these, and
// 16 bits hold whatever is made of others.
unsigned imgc_jpeg_block(imgc_jpeg_bits *bits, const imgc_huffman *dc, const imgc_huffman *ac,
                         const int32_t steps[64], int32_t *last_dc, int16_t block[64]);

// In zigzag order: which place in its rows a coefficient has.
extern const uint8_t imgc_jpeg_order[64];

#endif
