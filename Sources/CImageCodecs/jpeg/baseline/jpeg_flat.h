// Blocks of baseline JPEGs of which only DC is needed: at 1/8 scale each block is one sample.

#ifndef IMGC_JPEG_FLAT_H
#define IMGC_JPEG_FLAT_H

#include "jpeg/baseline/jpeg_block.h"

// Table to skip AC codes: each look-up skips all codes that are complete, with their value bits, in
// the next 13 bits. An entry contains
// - in bits 0...5 the number of bits to skip;
// - in bits 6...11 the number of coefficients, 63 for codes that must be read one by one;
// - in bit 12 the end of the block.
enum { IMGC_SKIP_LOOKUP_BITS = 13 };
typedef struct imgc_huffman_skips {
  uint16_t lookup[1 << IMGC_SKIP_LOOKUP_BITS];
} imgc_huffman_skips;

void imgc_huffman_skips_init(imgc_huffman_skips *s, const imgc_huffman *ac);

typedef struct imgc_flat_plane {
  const imgc_huffman *dc, *ac;
  const imgc_huffman_skips *skips; // skip table of `ac`
  int32_t step;                    // quantization step of DC, at most 4,095
  int32_t last_dc;                 // previous DC value, before dequantization
} imgc_flat_plane;

// Reads `count` MCUs of `blocks` blocks each; block k of an MCU belongs to planes[block_planes[k]].
// Writes one sample per block to `dst`, in data order. The sample equals that of
// imgc_jpeg_reduce_flat. Returns false where imgc_jpeg_block returns 0, but does not check the
// range of AC coefficients.
bool imgc_jpeg_flat_mcus(imgc_jpeg_bits *bits, imgc_flat_plane *planes, const uint8_t *block_planes,
                         unsigned blocks, uint32_t count, uint8_t *dst);

#endif
