// A native decoder for the kind of JPEG that most thumbnails are generated from: baseline, one
// scan, 8 bits, gray or YCbCr, chroma at full resolution or subsampled 2 x 2, decoded at 1/4 or 1/8
// scale. libjpeg reads the header first. The pixels are identical to those of libjpeg, except with
// IMGC_FLAT_CHROMA and IMGC_LOW_FREQUENCIES. libjpeg decodes all other files.

#ifndef IMGC_JPEG_BASELINE_H
#define IMGC_JPEG_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h> // jpeglib.h needs FILE and size_t first
#if !__has_include(<jpeglib.h>)
#error "libjpeg-turbo is missing: apt-get install libjpeg-dev (brew install jpeg-turbo)"
#endif
#include <jpeglib.h>

// From version 7 on, libjpeg's interface has a DCT size for each direction; libjpeg-turbo sets both
// sizes to the same value. Ubuntu and Homebrew build libjpeg-turbo with such a version.
#if JPEG_LIB_VERSION >= 70
#define IMGC_JPEG_MIN_DCT_SIZE(cinfo) ((cinfo)->min_DCT_v_scaled_size)
#define IMGC_JPEG_DCT_SIZE(component) ((component)->DCT_v_scaled_size)
#else
#define IMGC_JPEG_MIN_DCT_SIZE(cinfo) ((cinfo)->min_DCT_scaled_size)
#define IMGC_JPEG_DCT_SIZE(component) ((component)->DCT_scaled_size)
#endif

typedef struct jpeg_baseline jpeg_baseline;

// Opens the decoder; NULL for unsupported files, and when memory is exhausted. `cinfo` must be in
// the state after jpeg_calc_output_dimensions, with its source at the first byte of the scan. Of
// `flags`, IMGC_FLAT_CHROMA and IMGC_LOW_FREQUENCIES are used.
jpeg_baseline *imgc_jpeg_baseline_open(const struct jpeg_decompress_struct *cinfo, uint32_t flags);
void imgc_jpeg_baseline_close(jpeg_baseline *b);

// Reads the next `count` rows as RGBA8. Returns false when libjpeg must decode the image instead,
// because the data has a defect or contains values that no encoder writes.
bool imgc_jpeg_baseline_read(jpeg_baseline *b, uint8_t *const *rows, uint32_t count);

// Returns the address of the first unread byte.
const uint8_t *imgc_jpeg_baseline_next(const jpeg_baseline *b);

#endif
