// Blocks of baseline JPEGs of which only DC, or only the lowest 2 x 2 coefficients are needed: each
// block is reduced to one sample, or to 2 x 2 samples.

#ifndef IMGC_JPEG_FLAT_H
#define IMGC_JPEG_FLAT_H

#include "jpeg/baseline/jpeg_block.h"

// Table to skip AC codes: each look-up skips all codes that are complete in the next 12 bits, with
// their value bits, also those after the 12 bits. An entry contains
// - in bits 0...5 the number of bits to skip, at most IMGC_MAX_SKIP;
// - in bits 6...11 the number of coefficients, 63 for codes that must be read one by one;
// - in bit 12 the end of the block.
enum { IMGC_SKIP_LOOKUP_BITS = 12, IMGC_MAX_SKIP = 22 };
typedef struct imgc_huffman_skips {
  uint16_t lookup[1 << IMGC_SKIP_LOOKUP_BITS];
} imgc_huffman_skips;

void imgc_huffman_skips_init(imgc_huffman_skips *s, const imgc_huffman *ac);

typedef struct imgc_flat_plane {
  const imgc_huffman *dc, *ac;
  const imgc_huffman_skips *skips; // skip table of `ac`
  const int32_t *steps;            // quantization steps in zigzag order, at most 4,095 each
  unsigned size;                   // samples of a block per side: 1 or 2
  int32_t last_dc;                 // previous DC value, before dequantization
} imgc_flat_plane;

// Reads `count` MCUs of `blocks` blocks each; block k of an MCU belongs to planes[block_planes[k]].
// Writes the samples of each block to `dst`, in data order. A single sample equals that of
// imgc_jpeg_reduce_flat. 2 x 2 samples are those of imgc_jpeg_reduce without the coefficients that
// are not among the lowest 2 x 2, except for rounding. Returns false where imgc_jpeg_block returns
// 0, but does not check the range of coefficients that are not used.
bool imgc_jpeg_flat_mcus(imgc_jpeg_bits *bits, imgc_flat_plane *planes, const uint8_t *block_planes,
                         unsigned blocks, uint32_t count, uint8_t *dst);

#endif
