// Blocks of baseline JPEGs of which only DC counts: at 1/8 scale each is one sample.

#ifndef IMGC_JPEG_FLAT_H
#define IMGC_JPEG_FLAT_H

#include "jpeg/baseline/jpeg_block.h"

// Codes are passed over as many at a time as 13 bits hold with the bits of their values. An entry
// has
//   in bits 0...5 how many bits it stands for;
//   in bits 6...11 how many coefficients that are, 63 for what has to be read code by code;
//   in bit 12 whether the block ends.
enum { IMGC_SKIP_LOOK = 13 };
typedef struct imgc_huffman_skips {
  uint16_t look[1 << IMGC_SKIP_LOOK];
} imgc_huffman_skips;

void imgc_huffman_skips_make(imgc_huffman_skips *s, const imgc_huffman *ac);

typedef struct imgc_flat_plane {
  const imgc_huffman *dc, *ac;
  const imgc_huffman_skips *skips; // of `ac`
  int32_t step;                    // of the quantisation of DC, at most 4,095
  int32_t last_dc;                 // before it is multiplied
} imgc_flat_plane;

// Reads `count` MCUs of `blocks` blocks each, a block k of an MCU being of planes[of[k]]. `dst`
// gets a sample for each block, in the data's order: imgc_jpeg_reduce_flat's. False where
// imgc_jpeg_block gives 0 for what the bits say, whatever the other coefficients come to.
bool imgc_jpeg_flat_mcus(imgc_jpeg_bits *bits, imgc_flat_plane *planes, const uint8_t *of,
                         unsigned blocks, uint32_t count, uint8_t *dst);

#endif
