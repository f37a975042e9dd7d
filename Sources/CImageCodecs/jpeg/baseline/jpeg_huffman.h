// Huffman tables of baseline JPEGs (ITU-T T.81, annexes C and F).

#ifndef IMGC_JPEG_HUFFMAN_H
#define IMGC_JPEG_HUFFMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IMGC_HUFFMAN_LOOKUP_BITS = 10 }; // bits per table look-up

#define IMGC_INLINE static inline __attribute__((always_inline))

// A Huffman decoding table. Most codes have, together with their value bits, at most 10 bits, and
// are decoded by one look-up of the next 10 bits. An entry of `lookup` contains
// - in bits 0...5 the number of bits of the code, including its value bits if they fit into the 10
//   bits; 0 if the code itself has more than 10 bits;
// - in bits 6...9 the number of value bits that follow, when they do not fit into the 10 bits;
// - in bits 10...15 the zero coefficients to skip, or IMGC_BLOCK_ENDS;
// - in bits 16...31 the signed value.
typedef struct imgc_huffman {
  uint32_t lookup[1 << IMGC_HUFFMAN_LOOKUP_BITS];
  uint32_t end[17];   // upper bound of the codes of n bits, left-aligned in 16 bits
  int32_t offset[17]; // index in `symbols` minus the code, by code length
  uint8_t symbols[256];
  bool is_ac;
} imgc_huffman;

enum { IMGC_BLOCK_ENDS = 63 };

// Builds the table. bits[n] is the number of codes of n bits, for n from 1 to 16. Without `is_ac`
// the symbols are sizes of DC differences. Returns false when the code is invalid.
bool imgc_huffman_init(imgc_huffman *h, const uint8_t bits[17], const uint8_t symbols[256],
                       bool is_ac);

// Returns the entry of a code of more than 10 bits; 0 when the code is invalid.
uint32_t imgc_huffman_long_code(const imgc_huffman *h, uint64_t next_bits);

// Returns the value of `size` bits (T.81, table F.1): values whose first bit is 0 are negative.
IMGC_INLINE int32_t imgc_extend_sign(uint32_t bits, unsigned size) {
  if (size == 0) return 0;
  return bits >> (size - 1) ? (int32_t)bits : (int32_t)bits - (1 << size) + 1;
}

IMGC_INLINE int32_t imgc_value_of(uint32_t entry) { return (int16_t)(entry >> 16); }

#endif
