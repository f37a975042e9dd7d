// Sums of linear light in the cells of a grid over an image, for a BlurHash.

#include "encode/encode.h"

#include <math.h>

// Transfer function of sRGB (IEC 61966-2-1).
static double linear_light(unsigned sample) {
  double value = sample / 255.0;
  return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static uint32_t edge(uint32_t index, uint32_t size, uint32_t count) {
  return (uint32_t)((uint64_t)index * size / count);
}

static void add_cell(double *sums, const uint8_t *rgba, size_t n, const double light[256],
                     const uint8_t background[3]) {
  double red = 0, green = 0, blue = 0;
  for (size_t i = 0; i < n; i++, rgba += 4) {
    unsigned alpha = rgba[3];
    red += light[imgc_composite_sample(rgba[0], background[0], alpha)];
    green += light[imgc_composite_sample(rgba[1], background[1], alpha)];
    blue += light[imgc_composite_sample(rgba[2], background[2], alpha)];
  }
  sums[0] += red, sums[1] += green, sums[2] += blue;
}

void imgc_light_grid(const imgc_image *image, uint8_t red, uint8_t green, uint8_t blue,
                     uint32_t columns, uint32_t rows, double *sums) {
  const uint8_t background[3] = {red, green, blue};
  double light[256];
  for (unsigned sample = 0; sample < 256; sample++) light[sample] = linear_light(sample);
  for (size_t i = 0; i < (size_t)columns * rows * 3; i++) sums[i] = 0;
  for (uint32_t row = 0; row < rows; row++) {
    double *cells = sums + (size_t)row * columns * 3;
    uint32_t bottom = edge(row + 1, image->height, rows);
    for (uint32_t y = edge(row, image->height, rows); y < bottom; y++) {
      const uint8_t *pixels = imgc_image_row(image, y);
      for (uint32_t column = 0; column < columns; column++) {
        uint32_t first = edge(column, image->width, columns);
        uint32_t end = edge(column + 1, image->width, columns);
        add_cell(cells + column * 3, pixels + (size_t)first * 4, end - first, light, background);
      }
    }
  }
}
