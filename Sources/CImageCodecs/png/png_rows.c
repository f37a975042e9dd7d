// Conversion of unfiltered rows to pixels in the destination. Samples become RGBA8 as with libpng's
// expand, gray-to-rgb, scale-16 and filler transformations.

#include "png/png_rows.h"
#include "core/bytes.h"
#include "core/copy.h"
#include "core/dest.h"
#include "core/limits.h"
#include "rows/rows.h"

#include <stdlib.h>
#include <string.h>

enum { BAND = 16 };

// ---------------------------------------------------------------- passes

uint32_t imgc_png_pass_count(const imgc_png *png) {
  return png->interlaced ? IMGC_PNG_ADAM7_PASSES : 1;
}

imgc_png_pass imgc_png_pass_at(const imgc_png *png, uint32_t index) {
  // PNG, 8.2: x, y, dx, dy of each pass.
  static const uint8_t adam7[IMGC_PNG_ADAM7_PASSES][4] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8},
                                                          {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2},
                                                          {0, 1, 1, 2}};
  if (!png->interlaced) return (imgc_png_pass){0, 0, 1, 1, png->width, png->height};
  const uint8_t *a = adam7[index];
  imgc_png_pass pass = {a[0], a[1], a[2], a[3], 0, 0};
  if (png->width > pass.x) pass.width = (png->width - pass.x - 1) / pass.dx + 1;
  if (png->height > pass.y) pass.height = (png->height - pass.y - 1) / pass.dy + 1;
  if (pass.width == 0 || pass.height == 0) pass.width = pass.height = 0;
  return pass;
}

uint64_t imgc_png_raw_bytes(const imgc_png *png) {
  if (!png->interlaced) return imgc_mul(png->height, imgc_png_row_bytes(png, png->width) + 1);
  uint64_t total = 0;
  for (uint32_t i = 0; i < imgc_png_pass_count(png); i++) {
    imgc_png_pass pass = imgc_png_pass_at(png, i);
    total = imgc_add(total, imgc_mul(pass.height, imgc_png_row_bytes(png, pass.width) + 1));
  }
  return total;
}

// ---------------------------------------------------------------- samples to RGBA8

static uint32_t rgba(uint8_t r, uint8_t g, uint8_t b, uint8_t a) {
  uint8_t bytes[4] = {r, g, b, a};
  uint32_t value;
  imgc_copy(&value, bytes, 4);
  return value;
}

static void make_palette(imgc_png_rows *rows) {
  const imgc_png *png = rows->png;
  const uint8_t *t = png->transparency;
  if (png->color_type == IMGC_PNG_COLOR_INDEXED) {
    // Indices past the palette's end are opaque black, as in libpng.
    for (uint32_t i = 0; i < 256; i++) {
      const uint8_t *c = png->palette + (size_t)3 * i;
      uint8_t alpha = t && i < png->transparency_size ? t[i] : 255;
      rows->palette[i] = i < png->palette_size ? rgba(c[0], c[1], c[2], alpha) : rgba(0, 0, 0, 255);
    }
    rows->uses_palette = true;
  } else if (png->color_type == IMGC_PNG_COLOR_GRAY &&
             (png->bit_depth < 8 || (png->bit_depth == 8 && t))) {
    uint32_t most = (1u << png->bit_depth) - 1;
    for (uint32_t i = 0; i <= most; i++) {
      uint8_t gray = (uint8_t)(i * (255 / most));
      bool is_key = t && i == (imgc_be16(t) & most);
      rows->palette[i] = rgba(gray, gray, gray, is_key ? 0 : 255);
    }
    rows->uses_palette = true;
  } else if (t) {
    uint16_t mask = png->bit_depth == 16 ? 0xFFFF : 0xFF;
    for (uint32_t i = 0; i < png->transparency_size / 2; i++)
      rows->key[i] = imgc_be16(t + (size_t)2 * i) & mask;
    rows->has_key = true;
  }
}

// Makes pixels transparent whose colour equals the tRNS colour; compares all 16 bits.
static void clear_key16(const imgc_png_rows *rows, uint8_t *dst, const uint8_t *src, uint32_t n) {
  unsigned channels = imgc_png_channels(rows->png);
  for (; n > 0; n--, src += 2 * channels, dst += 4) {
    bool is_key = true;
    for (unsigned i = 0; i < channels; i++) is_key &= imgc_be16(src + 2 * i) == rows->key[i];
    if (is_key) dst[3] = 0;
  }
}

static void expand16(const imgc_png_rows *rows, uint8_t *dst, const uint8_t *src, uint32_t n) {
  uint8_t narrow[4 * 256];
  size_t channels = imgc_png_channels(rows->png);
  for (uint32_t part; n > 0; n -= part, src += 2 * channels * part, dst += (size_t)4 * part) {
    part = n < 256 ? n : 256;
    imgc_row_be16_to_8(channels == 4 ? dst : narrow, src, channels * part);
    switch (channels) {
    case 1: imgc_row_gray8(dst, narrow, part); break;
    case 2: imgc_row_gray_alpha8(dst, narrow, part); break;
    case 3: imgc_row_rgb8(dst, narrow, part); break;
    default: break;
    }
    if (rows->has_key && channels % 2 == 1) clear_key16(rows, dst, src, part);
  }
}

static void check_indices(imgc_png_rows *rows, const uint8_t *src, uint32_t n) {
  const imgc_png *png = rows->png;
  if (png->color_type != IMGC_PNG_COLOR_INDEXED || rows->has_invalid_index ||
      png->palette_size >= 1u << png->bit_depth)
    return;
  uint8_t most = 0;
  if (png->bit_depth == 8) {
    for (uint32_t i = 0; i < n; i++) most = src[i] > most ? src[i] : most;
  } else {
    uint32_t bits = png->bit_depth, mask = (1u << bits) - 1;
    for (uint32_t i = 0; i < n; i++) {
      uint64_t at = (uint64_t)i * bits;
      uint8_t index = (uint8_t)(src[at / 8] >> (8 - bits - at % 8) & mask);
      most = index > most ? index : most;
    }
  }
  rows->has_invalid_index = most >= png->palette_size;
}

static void expand(imgc_png_rows *rows, uint8_t *dst, const uint8_t *src, uint32_t n) {
  const imgc_png *png = rows->png;
  if (png->bit_depth == 16) {
    expand16(rows, dst, src, n);
  } else if (rows->uses_palette) {
    check_indices(rows, src, n);
    if (png->bit_depth == 8)
      imgc_row_index8(dst, src, n, rows->palette);
    else
      imgc_row_index_packed(dst, src, n, png->bit_depth, rows->palette);
  } else if (png->color_type == IMGC_PNG_COLOR_GRAY) {
    imgc_row_gray8(dst, src, n);
  } else if (png->color_type == IMGC_PNG_COLOR_GRAY_ALPHA) {
    imgc_row_gray_alpha8(dst, src, n);
  } else if (png->color_type == IMGC_PNG_COLOR_RGBA) {
    memcpy(dst, src, (size_t)n * 4);
  } else {
    imgc_row_rgb8(dst, src, n);
    if (!rows->has_key) return;
    uint32_t key = rgba((uint8_t)rows->key[0], (uint8_t)rows->key[1], (uint8_t)rows->key[2], 255);
    for (uint32_t i = 0; i < n; i++) {
      uint32_t pixel;
      imgc_copy(&pixel, dst + (size_t)i * 4, 4);
      if (pixel == key) dst[(size_t)i * 4 + 3] = 0;
    }
  }
}

// ---------------------------------------------------------------- pixels to the destination

uint64_t imgc_png_band_bytes(const imgc_png *png) { return (uint64_t)BAND * png->width * 4; }

bool imgc_png_rows_begin(imgc_png_rows *rows, const imgc_png *png, const imgc_dest *dest,
                         bool blend_over) {
  *rows = (imgc_png_rows){.png = png, .dest = dest, .blend_over = blend_over};
  rows->direct = !blend_over && imgc_dest_is_direct(dest) && dest->width >= png->width &&
                 dest->height >= png->height;
  make_palette(rows);
  if (rows->direct && !png->interlaced) return true;
  rows->band = malloc((size_t)imgc_png_band_bytes(png));
  return rows->band != NULL;
}

static void flush(imgc_png_rows *rows) {
  const imgc_dest *dest = rows->dest;
  size_t stride = (size_t)rows->png->width * 4;
  if (rows->blend_over) {
    uint32_t width = rows->png->width < dest->width ? rows->png->width : dest->width;
    for (uint32_t i = 0; i < rows->band_count && rows->band_first + i < dest->height; i++)
      imgc_row_over(imgc_dest_row(dest, rows->band_first + i), rows->band + i * stride, width);
  } else if (rows->band_count > 0) {
    imgc_dest_write_block(dest, 0, rows->band_first, rows->png->width, rows->band_count, rows->band,
                          stride);
  }
  rows->band_count = 0;
}

// Distributes the pixels of an interlaced row. Each pixel of the image occurs in exactly one pass,
// so each pixel is blended once.
static void scatter(const imgc_png_rows *rows, const imgc_png_pass *pass, uint32_t row,
                    const uint8_t *src) {
  const imgc_dest *dest = rows->dest;
  uint32_t y = pass->y + row * pass->dy;
  if (y >= dest->height || pass->x >= dest->width) return;
  uint32_t fitting = (dest->width - pass->x - 1) / pass->dx + 1;
  uint32_t n = pass->width < fitting ? pass->width : fitting;
  uint8_t *dst = imgc_dest_row(dest, y) + (ptrdiff_t)pass->x * dest->step_x;
  ptrdiff_t step = (ptrdiff_t)pass->dx * dest->step_x;
  for (; n > 0; n--, src += 4, dst += step) {
    if (rows->blend_over)
      imgc_row_over(dst, src, 1);
    else
      imgc_copy(dst, src, 4);
  }
}

// Returns the number of rows of a non-interlaced image that the band buffer has already pushed.
static uint32_t committed_rows(const imgc_png_rows *rows) {
  return rows->dest->band && !rows->png->interlaced ? rows->dest->band->first : 0;
}

void imgc_png_rows_convert(imgc_png_rows *rows, const imgc_png_pass *pass, uint32_t row,
                           const uint8_t *raw) {
  if (pass->dx == 1 && row < committed_rows(rows)) {
    check_indices(rows, raw, pass->width);
  } else if (rows->direct && pass->dx == 1) {
    uint32_t y = pass->y + row * pass->dy;
    expand(rows, imgc_dest_row(rows->dest, y), raw, pass->width);
    if (!rows->png->interlaced) imgc_dest_commit_rows(rows->dest, y + 1);
  } else if (rows->png->interlaced) {
    expand(rows, rows->band, raw, pass->width);
    scatter(rows, pass, row, rows->band);
  } else {
    if (rows->band_count == 0) rows->band_first = row;
    size_t stride = (size_t)rows->png->width * 4;
    expand(rows, rows->band + rows->band_count * stride, raw, pass->width);
    if (++rows->band_count == BAND) flush(rows);
  }
}

static void clear_rest(imgc_png_rows *rows, uint32_t pass_count, uint32_t row_count) {
  const imgc_png *png = rows->png;
  if (!png->interlaced) {
    uint32_t out = committed_rows(rows);
    if (row_count < out) row_count = out;
    if (pass_count == 0)
      imgc_dest_clear(rows->dest, 0, row_count, png->width, png->height - row_count);
    return;
  }
  if (rows->dest->band && pass_count < IMGC_PNG_ADAM7_PASSES) rows->dest->band->cleared = true;
  memset(rows->band, 0, (size_t)imgc_png_band_bytes(png));
  for (uint32_t i = pass_count; i < IMGC_PNG_ADAM7_PASSES; i++) {
    imgc_png_pass pass = imgc_png_pass_at(png, i);
    for (uint32_t row = i == pass_count ? row_count : 0; row < pass.height; row++)
      scatter(rows, &pass, row, rows->band);
  }
}

static uint32_t complete_rows(const imgc_png *png, uint32_t pass_count, uint32_t row_count) {
  uint32_t rows = png->height;
  for (uint32_t i = pass_count; i < imgc_png_pass_count(png); i++) {
    imgc_png_pass pass = imgc_png_pass_at(png, i);
    uint32_t done = i == pass_count ? row_count : 0;
    if (done < pass.height && pass.y + done * pass.dy < rows) rows = pass.y + done * pass.dy;
  }
  return rows;
}

uint32_t imgc_png_rows_end(imgc_png_rows *rows, uint32_t pass_count, uint32_t row_count) {
  flush(rows);
  if (!rows->blend_over) clear_rest(rows, pass_count, row_count);
  free(rows->band);
  rows->band = NULL;
  return complete_rows(rows->png, pass_count, row_count);
}

void imgc_png_rows_discard(imgc_png_rows *rows) {
  free(rows->band);
  rows->band = NULL;
}
