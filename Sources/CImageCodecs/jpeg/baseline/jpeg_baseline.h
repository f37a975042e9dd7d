// A decoder of its own for the JPEGs that thumbnails are mostly made of: baseline, one scan, 8
// bits, gray or YCbCr, chroma in full or at half the size on both sides, at 1/4 or 1/8 scale.
// libjpeg has read the header. What comes out are libjpeg's bytes; whatever is not plain is left to
// libjpeg.

#ifndef IMGC_JPEG_BASELINE_H
#define IMGC_JPEG_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h> // jpeglib.h needs FILE and size_t first
#if !__has_include(<jpeglib.h>)
#error                                                                                             \
    "libjpeg-turbo is missing: apt-get install libjpeg62-turbo-dev (on Ubuntu libjpeg-turbo8-dev)"
#endif
#include <jpeglib.h>

typedef struct jpeg_baseline jpeg_baseline;

// NULL for files that are not for it, and when memory is exhausted. `cinfo` is past
// jpeg_calc_output_dimensions and its source stands at the first byte of the scan. With `is_draft`
// chroma of half the size is taken from DC alone at 1/8, which is not libjpeg's: it interpolates
// it.
jpeg_baseline *imgc_jpeg_baseline_open(const struct jpeg_decompress_struct *cinfo, bool is_draft);
void imgc_jpeg_baseline_close(jpeg_baseline *b);

// The next `count` rows as RGBA8. False when libjpeg has to do it all: the data has a defect, or
// values that no encoder writes.
bool imgc_jpeg_baseline_read(jpeg_baseline *b, uint8_t *const *rows, uint32_t count);

// The first byte that was not looked at.
const uint8_t *imgc_jpeg_baseline_next(const jpeg_baseline *b);

#endif
