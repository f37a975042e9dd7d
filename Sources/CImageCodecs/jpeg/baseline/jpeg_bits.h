// The bits of entropy-coded data, and codes out of them: for the files that read blocks.

#ifndef IMGC_JPEG_BITS_H
#define IMGC_JPEG_BITS_H

#include "core/copy.h"
#include "jpeg/baseline/jpeg_huffman.h"

#define IMGC_INLINE static inline __attribute__((always_inline))

IMGC_INLINE uint64_t imgc_load_be64(const uint8_t *p) {
  uint64_t value;
  imgc_copy(&value, p, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

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

// The value that `size` bits say (T.81, table F.1): those that begin with 0 are negative.
IMGC_INLINE int32_t imgc_extend(uint32_t bits, unsigned size) {
  if (size == 0) return 0;
  return bits >> (size - 1) ? (int32_t)bits : (int32_t)bits - (1 << size) + 1;
}

// An entry for a code of more than 10 bits; 0 when there is no such code.
uint32_t imgc_huffman_long_code(const imgc_huffman *h, uint64_t ahead);

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

IMGC_INLINE int32_t imgc_value_of(uint32_t entry) { return (int16_t)(entry >> 16); }

#endif
