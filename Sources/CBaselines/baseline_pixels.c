// Pixel operations without a library: straightforward loops, pixel by pixel.

#include "CPlatformImageBaselines.h"

#include <stdlib.h>
#include <string.h>

uint64_t baseline_sum(const uint8_t *pixels, size_t width, size_t height) {
  uint64_t sum = 0;
  for (size_t i = 0; i < width * height; i++, pixels += 4)
    sum += (uint64_t)pixels[0] + pixels[1] + pixels[2] + pixels[3];
  return sum;
}

static void crop(uint8_t *to, const uint8_t *from, size_t width, size_t height) {
  size_t left = width / 8, top = height / 8, columns = width / 4 * 3, rows = height / 4 * 3;
  for (size_t y = 0; y < rows; y++)
    memcpy(to + y * columns * 4, from + ((top + y) * width + left) * 4, columns * 4);
}

static void rotate_90(uint32_t *to, const uint32_t *from, size_t width, size_t height) {
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < width; x++) to[x * height + height - 1 - y] = from[y * width + x];
}

static void rotate_180(uint32_t *to, const uint32_t *from, size_t width, size_t height) {
  for (size_t i = 0; i < width * height; i++) to[width * height - 1 - i] = from[i];
}

static void flip_horizontally(uint32_t *to, const uint32_t *from, size_t width, size_t height) {
  for (size_t y = 0; y < height; y++, to += width, from += width)
    for (size_t x = 0; x < width; x++) to[width - 1 - x] = from[x];
}

static void flip_vertically(uint8_t *to, const uint8_t *from, size_t width, size_t height) {
  for (size_t y = 0; y < height; y++)
    memcpy(to + (height - 1 - y) * width * 4, from + y * width * 4, width * 4);
}

// Source over, with the exact quotients rounded to nearest.
static void composite(uint8_t *to, const uint8_t *below, const uint8_t *above, size_t count) {
  for (size_t i = 0; i < count; i++, to += 4, below += 4, above += 4) {
    if (above[3] == 0) {
      memcpy(to, below, 4);
      continue;
    }
    uint32_t a = above[3] * 255u, b = below[3] * (255u - above[3]), sum = a + b;
    for (int k = 0; k < 3; k++) to[k] = (uint8_t)((above[k] * a + below[k] * b + sum / 2) / sum);
    to[3] = (uint8_t)((sum + 127) / 255);
  }
}

static void to_bgra(uint8_t *to, const uint8_t *from, size_t count) {
  for (size_t i = 0; i < count; i++, to += 4, from += 4)
    to[0] = from[2], to[1] = from[1], to[2] = from[0], to[3] = from[3];
}

static void to_rgb(uint8_t *to, const uint8_t *from, size_t count) {
  for (size_t i = 0; i < count; i++, to += 3, from += 4)
    to[0] = from[0], to[1] = from[1], to[2] = from[2];
}

static void premultiply(uint8_t *to, const uint8_t *from, size_t count) {
  for (size_t i = 0; i < count; i++, to += 4, from += 4) {
    for (int k = 0; k < 3; k++) to[k] = (uint8_t)((from[k] * from[3] * 2 + 255) / 510);
    to[3] = from[3];
  }
}

static void to_gray(uint8_t *to, const uint8_t *from, size_t count) {
  for (size_t i = 0; i < count; i++, from += 4)
    to[i] = (uint8_t)((from[0] * 19595 + from[1] * 38470 + from[2] * 7471 + 32768) >> 16);
}

uint8_t *baseline_pixels(baseline_operation operation, const uint8_t *pixels, const uint8_t *above,
                         size_t width, size_t height) {
  const size_t count = width * height;
  uint8_t *to = malloc(count * 4);
  if (!to) return NULL;
  void *words = to;
  const void *source = pixels;
  switch (operation) {
  case BASELINE_CROP: crop(to, pixels, width, height); break;
  case BASELINE_ROTATE_90: rotate_90(words, source, width, height); break;
  case BASELINE_ROTATE_180: rotate_180(words, source, width, height); break;
  case BASELINE_FLIP_HORIZONTALLY: flip_horizontally(words, source, width, height); break;
  case BASELINE_FLIP_VERTICALLY: flip_vertically(to, pixels, width, height); break;
  case BASELINE_COMPOSITE: composite(to, pixels, above, count); break;
  case BASELINE_TO_BGRA: to_bgra(to, pixels, count); break;
  case BASELINE_TO_RGB: to_rgb(to, pixels, count); break;
  case BASELINE_PREMULTIPLY: premultiply(to, pixels, count); break;
  case BASELINE_TO_GRAY: to_gray(to, pixels, count); break;
  }
  return to;
}
