// Entropy-coded data of baseline JPEGs (ITU-T T.81, annex F): bit reader, Huffman codes and blocks.

#ifndef IMGC_JPEG_BLOCK_H
#define IMGC_JPEG_BLOCK_H

#include "core/bytes.h"
#include "jpeg/baseline/jpeg_huffman.h"

// The bit buffer; the next bit is the highest. Refills stop at the end of the data and at a marker;
// the bits after the last loaded bit are then 0.
typedef struct imgc_jpeg_bits {
  uint64_t next_bits;
  int32_t count; // valid bits; negative: more bits were consumed than exist
  const uint8_t *next, *end;
} imgc_jpeg_bits;

IMGC_INLINE bool imgc_contains_ff(uint64_t bytes) {
  return ((~bytes - 0x0101010101010101) & bytes & 0x8080808080808080) != 0;
}

// Fills the buffer byte by byte to at least 56 bits, unless the data ends. Used near FF bytes and
// near the end of the data.
void imgc_jpeg_refill_bytes(imgc_jpeg_bits *b);

// Fills the buffer to at least 56 bits, unless the data ends. Bits after the first `count` bits may
// already be set; the next refill loads the same values for them.
IMGC_INLINE void imgc_refill(imgc_jpeg_bits *b) {
  if (b->end - b->next >= 8) {
    const uint64_t bytes = imgc_load_be64(b->next);
    if (!imgc_contains_ff(bytes)) {
      b->next_bits |= bytes >> b->count;
      b->next += (63 - b->count) >> 3;
      b->count |= 56;
      return;
    }
  }
  // A copy, so that the compiler can store the caller's fields in registers.
  imgc_jpeg_bits slow = *b;
  imgc_jpeg_refill_bytes(&slow);
  *b = slow;
}

IMGC_INLINE void imgc_consume_bits(imgc_jpeg_bits *b, unsigned count) {
  b->next_bits <<= count;
  b->count -= (int32_t)count;
}

// Consumes the next code and returns its entry with its value; 0 when the code is invalid. A code
// and its value have at most 31 bits: the buffer must contain that many, unless the data ends.
IMGC_INLINE uint32_t imgc_read_code(imgc_jpeg_bits *b, const imgc_huffman *h) {
  uint32_t entry = h->lookup[b->next_bits >> (64 - IMGC_HUFFMAN_LOOKUP_BITS)];
  if (__builtin_expect((entry & 63) == 0, 0)) entry = imgc_huffman_long_code(h, b->next_bits);
  imgc_consume_bits(b, entry & 63);
  const unsigned size = entry >> 6 & 15;
  if (__builtin_expect(size > 0, 0)) {
    entry |= (uint32_t)imgc_extend_sign((uint32_t)(b->next_bits >> (64 - size)), size) << 16;
    imgc_consume_bits(b, size);
  }
  return entry;
}

// Reads one block. `steps` are the quantization steps in zigzag order, at most 4,095 each;
// `last_dc` is the component's previous DC value, before dequantization. `block` must be zero; the
// function stores the dequantized coefficients in it, in row order. Returns the number of
// coefficients up to the last coded one in zigzag order, so 1 means DC only. Returns 0 for invalid
// data and for coefficients outside -2,048...2,047, which no encoder writes. If all coefficients
// are in this range, all intermediate results fit into 16 bits.
unsigned imgc_jpeg_block(imgc_jpeg_bits *bits, const imgc_huffman *dc, const imgc_huffman *ac,
                         const int32_t steps[64], int32_t *last_dc, int16_t block[64]);

// The position in row order of each coefficient in zigzag order.
extern const uint8_t imgc_jpeg_order[64];

#endif
