// Conversion of unfiltered rows to pixels in the destination, used by all three decoders.

#ifndef IMGC_PNG_ROWS_H
#define IMGC_PNG_ROWS_H

#include "core/dest.h"
#include "png/png_chunks.h"

// A pass of Adam7, or the complete non-interlaced image.
typedef struct imgc_png_pass {
  uint32_t x, y;   // first pixel
  uint32_t dx, dy; // horizontal and vertical distance of pixels
  uint32_t width, height;
} imgc_png_pass;

uint32_t imgc_png_pass_count(const imgc_png *png); // 1 or 7
// Returns the pass. Width and height are 0 when the pass contains no pixel of this image; such a
// pass is not stored.
imgc_png_pass imgc_png_pass_at(const imgc_png *png, uint32_t index);
// Returns the bytes of all rows with their filter bytes: the size of the decompressed zlib stream.
uint64_t imgc_png_raw_bytes(const imgc_png *png);

typedef struct imgc_png_rows {
  const imgc_png *png;
  const imgc_dest *dest;  // may be smaller than the image: clipped at the right and bottom
  bool blend_over;        // blend onto the destination instead of replacing it
  bool direct;            // rows are converted directly in the destination, without `band`
  bool has_invalid_index; // a palette index was out of range
  bool uses_palette;      // `palette` is used: indexed images, and some gray images of up to 8 bits
  bool has_key;           // tRNS of RGB or 16-bit gray
  uint16_t key[3];
  uint32_t palette[256]; // RGBA8 in memory order
  uint8_t *band;         // BAND rows of RGBA8
  uint32_t band_first;   // stored row of the first row in the band
  uint32_t band_count;
} imgc_png_rows;

// Returns the size of imgc_png_rows.band in bytes.
uint64_t imgc_png_band_bytes(const imgc_png *png);
// Starts the conversion; returns false when memory is exhausted.
bool imgc_png_rows_begin(imgc_png_rows *rows, const imgc_png *png, const imgc_dest *dest,
                         bool blend_over);
// Converts the next row. `row` is relative to the pass; call the function for the rows of a pass in
// order. Rows that the destination's band buffer has already pushed are skipped: a decoder that
// replaces another one starts again at the first row.
void imgc_png_rows_convert(imgc_png_rows *rows, const imgc_png_pass *pass, uint32_t row,
                           const uint8_t *raw);
// Ends the conversion after `pass_count` complete passes and `row_count` rows of the next pass. The
// remaining pixels are cleared, unless the image is blended. Returns the number of complete rows
// from the top. Frees `band`.
uint32_t imgc_png_rows_end(imgc_png_rows *rows, uint32_t pass_count, uint32_t row_count);
// Ends the conversion when another decoder starts again, or when the decode fails. Frees `band`.
void imgc_png_rows_discard(imgc_png_rows *rows);

#endif
