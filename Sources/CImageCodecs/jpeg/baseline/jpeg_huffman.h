// Huffman tables of baseline JPEGs (ITU-T T.81, annexes C and F).

#ifndef IMGC_JPEG_HUFFMAN_H
#define IMGC_JPEG_HUFFMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IMGC_HUFFMAN_LOOK = 10 }; // bits that are looked up at once

#define IMGC_INLINE static inline __attribute__((always_inline))

// A table of codes. Most codes and the bits behind them that say a value are short, and are read
// by one look at the next 10 bits. An entry of `look` has
//   in bits 0...5 how many bits it stands for, 0 for the codes that are longer;
//   in bits 6...9 how many more say the value, when they are not all among the 10;
//   in bits 10...15 the coefficients that are passed over, or IMGC_BLOCK_ENDS;
//   in bits 16...31 the value, signed.
typedef struct imgc_huffman {
  uint32_t look[1 << IMGC_HUFFMAN_LOOK];
  uint32_t end[17];   // codes of n bits are below, with zeros behind them that make 16 bits
  int32_t offset[17]; // what an n-bit code is away from its place in `symbols`
  uint8_t symbols[256];
  bool is_ac;
} imgc_huffman;

enum { IMGC_BLOCK_ENDS = 63 };

// `bits` counts the codes of each length from index 1 on. Without `is_ac` the symbols are those of
// DC differences. False when there are no such codes.
bool imgc_huffman_make(imgc_huffman *h, const uint8_t bits[17], const uint8_t symbols[256],
                       bool is_ac);

// An entry for a code of more than 10 bits; 0 when there is no such code.
uint32_t imgc_huffman_long_code(const imgc_huffman *h, uint64_t ahead);

// The value that `size` bits say (T.81, table F.1): those that begin with 0 are negative.
IMGC_INLINE int32_t imgc_extend(uint32_t bits, unsigned size) {
  if (size == 0) return 0;
  return bits >> (size - 1) ? (int32_t)bits : (int32_t)bits - (1 << size) + 1;
}

IMGC_INLINE int32_t imgc_value_of(uint32_t entry) { return (int16_t)(entry >> 16); }

#endif
