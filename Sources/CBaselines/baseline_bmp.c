// BMP without a library: a straightforward loop, pixel by pixel.

#include "CPlatformImageBaselines.h"

#include <stdlib.h>

static uint32_t le32(const uint8_t *at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

struct bmp {
  uint32_t width, height, bits, colors;
  bool is_top_down;
  const uint8_t *palette; // each entry has four bytes: blue, green, red, 0
  const uint8_t *rows;
  size_t stride;
};

// Parses BITMAPINFOHEADER and later headers of uncompressed bitmaps. Returns false for other
// variants.
static bool parse(const uint8_t *data, size_t size, struct bmp *bmp) {
  if (size < 54 || data[0] != 'B' || data[1] != 'M') return false;
  uint32_t rows = le32(data + 10), header = le32(data + 14);
  int32_t height = (int32_t)le32(data + 22);
  bmp->width = le32(data + 18);
  bmp->is_top_down = height < 0;
  bmp->height = bmp->is_top_down ? 0u - (uint32_t)height : (uint32_t)height;
  bmp->bits = data[28];
  bmp->colors = le32(data + 46) ? le32(data + 46) : 256;
  if (header < 40 || header > 124 || le32(data + 30) != 0) return false;
  if (bmp->bits != 8 && bmp->bits != 24 && bmp->bits != 32) return false;
  if (!bmp->width || !bmp->height || bmp->width > 65535 || bmp->height > 65535) return false;
  bmp->palette = data + 14 + header;
  if (bmp->bits == 8 && (bmp->colors > 256 || 14 + header + bmp->colors * 4 > size)) return false;
  bmp->stride = ((size_t)bmp->width * bmp->bits + 31) / 32 * 4;
  bmp->rows = data + rows;
  return rows <= size && bmp->stride * bmp->height <= size - rows;
}

static void convert(const struct bmp *bmp, uint8_t *to) {
  for (uint32_t y = 0; y < bmp->height; y++) {
    const uint8_t *from =
        bmp->rows + (size_t)(bmp->is_top_down ? y : bmp->height - 1 - y) * bmp->stride;
    for (uint32_t x = 0; x < bmp->width; x++, to += 4) {
      const uint8_t *pixel = from + (size_t)x * bmp->bits / 8;
      if (bmp->bits == 8) pixel = bmp->palette + (*pixel < bmp->colors ? *pixel : 0) * 4;
      to[0] = pixel[2];
      to[1] = pixel[1];
      to[2] = pixel[0];
      to[3] = 255;
    }
  }
}

bool baseline_bmp(const uint8_t *data, size_t size, baseline_image *image) {
  struct bmp bmp;
  if (!parse(data, size, &bmp)) return false;
  uint8_t *pixels = malloc((size_t)bmp.width * bmp.height * 4);
  if (!pixels) return false;
  convert(&bmp, pixels);
  *image = (baseline_image){pixels, bmp.width, bmp.height, 1};
  return true;
}
