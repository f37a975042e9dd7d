// Entropy-coded data of baseline JPEGs (ITU-T T.81, annex F), a block at a time.

#ifndef IMGC_JPEG_BLOCK_H
#define IMGC_JPEG_BLOCK_H

#include "jpeg/baseline/jpeg_bits.h"

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
