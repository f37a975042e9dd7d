// Included before sources with vector variants to compile these sources again without the variants:
// renames their functions, so that the tests can call both versions and compare the results.

#ifndef IMGC_PLAIN_NAMES_H
#define IMGC_PLAIN_NAMES_H

#define IMGC_CPU_HAS_AVX2 0
#define IMGC_CPU_HAS_BMI2 0

#define imgc_inflate_begin plain_inflate_begin
#define imgc_inflate_bytes plain_inflate_bytes
#define imgc_inflate_run plain_inflate_run

#define tiff_lzw_bytes plain_tiff_lzw_bytes
#define tiff_lzw_create plain_tiff_lzw_create
#define tiff_lzw_decode plain_tiff_lzw_decode
#define tiff_lzw_destroy plain_tiff_lzw_destroy

#define imgc_jpeg_reduce plain_jpeg_reduce
#define imgc_jpeg_reduce_flat plain_jpeg_reduce_flat
#define imgc_jpeg_row_rgba plain_jpeg_row_rgba

#define imgc_png_unfilter plain_png_unfilter
#define imgc_png_unfilter_pair plain_png_unfilter_pair
#define imgc_png_unfilter_rows plain_png_unfilter_rows
#define imgc_png_unfilter_next plain_png_unfilter_some
#define imgc_png_unfilter_waves plain_png_unfilter_waves

#define imgc_row_composite plain_row_composite
#define imgc_row_over plain_row_over
#define imgc_plain_over plain_scalar_over

#endif
