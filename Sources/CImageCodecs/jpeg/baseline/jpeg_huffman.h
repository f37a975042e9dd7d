// Entropy-coded data of baseline JPEGs (ITU-T T.81, annex F), a block at a time.

#ifndef IMGC_JPEG_HUFFMAN_H
#define IMGC_JPEG_HUFFMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IMGC_HUFFMAN_LOOK = 10 }; // bits that are looked up at once

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

// The bits ahead, the first one highest. Behind the data's end, or a marker, come zeros.
typedef struct imgc_jpeg_bits {
  uint64_t ahead;
  int32_t count; // below 0: more were taken than there are
  const uint8_t *next, *end;
} imgc_jpeg_bits;

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
