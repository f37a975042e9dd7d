// From unfiltered rows to pixels in their place: used by all three ways to decompress image data.

#ifndef IMGC_PNG_ROWS_H
#define IMGC_PNG_ROWS_H

#include "core/dest.h"
#include "png/png_chunks.h"

// A pass of Adam7, or the whole picture.
typedef struct imgc_png_pass {
  uint32_t x, y;   // first pixel
  uint32_t dx, dy; // distance of pixels and rows
  uint32_t width, height;
} imgc_png_pass;

uint32_t imgc_png_pass_count(const imgc_png *png); // 1 or 7
// width or height are 0 when the pass holds no pixel of this picture; it is not stored then.
imgc_png_pass imgc_png_pass_at(const imgc_png *png, uint32_t index);
// Bytes of all rows with their filter bytes; what the zlib stream must hold.
uint64_t imgc_png_raw_bytes(const imgc_png *png);

typedef struct imgc_png_rows {
  const imgc_png *png;
  const imgc_place *place; // may be smaller than the picture: clipped at the right and bottom
  bool over;               // draw over what is there, instead of replacing it
  bool direct;             // a row of the place holds a whole row of the picture
  bool bad_index;          // a palette index was out of range
  bool uses_palette;       // indexed, and gray of up to 8 bits that the table serves better
  bool has_key;            // tRNS of RGB or 16-bit gray
  uint16_t key[3];
  uint32_t palette[256]; // as RGBA8 lies in memory
  uint8_t *band;         // BAND rows of RGBA8
  uint32_t band_first;   // stored row of the first in the band
  uint32_t band_count;
} imgc_png_rows;

// Bytes of imgc_png_rows.band.
uint64_t imgc_png_band_bytes(const imgc_png *png);
// False when memory is exhausted.
bool imgc_png_rows_begin(imgc_png_rows *rows, const imgc_png *png, const imgc_place *place,
                         bool over);
// `row` counts within the pass; rows of a pass come in order. Those that went on into a sink before
// are left out: another attempt may begin again at the top.
void imgc_png_rows_put(imgc_png_rows *rows, const imgc_png_pass *pass, uint32_t row,
                       const uint8_t *raw);
// Ends with what was put: `pass_count` whole passes and `row_count` rows of the one after. The
// rest is cleared, unless drawing over. Returns the rows complete from the top. Frees the band.
uint32_t imgc_png_rows_end(imgc_png_rows *rows, uint32_t pass_count, uint32_t row_count);
// Ends with nothing: drawing begins again or fails. Frees the band.
void imgc_png_rows_drop(imgc_png_rows *rows);

#endif
