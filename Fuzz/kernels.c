// Holds every vector kernel against its plain version: rows of 0 to 200 pixels of random bytes, the
// bytes behind the row untouched. Prints one line; exit status 1 when one differs.
//
// Runs what this processor has: with AVX2 on amd64, NEON on ARM.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "png/unfilter/png_unfilter.h"
#include "rows/rows_simd.h"
#include "rows/running_sum.h"

enum { WIDEST = 200, GUARD = 64, BYTES = WIDEST * 8 + GUARD };

static uint64_t state = 1;
static uint32_t dice(void) { // xorshift64*
  state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
  return (uint32_t)(state * UINT64_C(2685821657736338717) >> 32);
}

static void fill(uint8_t *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)dice();
}

static int failures = 0, rows = 0;
static void expect(int equal, const char *kernel, size_t n) {
  rows++;
  if (equal) return;
  if (failures++ < 20) printf("kernels: %s differs at %zu pixels\n", kernel, n);
}

typedef void row_kernel(uint8_t *dst, const uint8_t *src, size_t n);
typedef struct kernel {
  const char *name;
  row_kernel *fast, *plain;
} kernel;

static void reduce(uint8_t *dst, const uint8_t *src, size_t n) {
  imgc_row_16_to_8(dst, (const uint16_t *)(const void *)src, n);
}
static void plain_reduce(uint8_t *dst, const uint8_t *src, size_t n) {
  imgc_plain_16_to_8(dst, (const uint16_t *)(const void *)src, n);
}

static void unpremultiply(uint8_t *dst, const uint8_t *src, size_t n) {
  imgc_row_unpremultiply(memcpy(dst, src, n * 4), n);
}
static void plain_unpremultiply(uint8_t *dst, const uint8_t *src, size_t n) {
  imgc_plain_unpremultiply(memcpy(dst, src, n * 4), n);
}

static const kernel kernels[] = {
    {"gray8", imgc_row_gray8, imgc_plain_gray8},
    {"gray_alpha8", imgc_row_gray_alpha8, imgc_plain_gray_alpha8},
    {"rgb8", imgc_row_rgb8, imgc_plain_rgb8},
    {"bgr8", imgc_row_bgr8, imgc_plain_bgr8},
    {"bgrx8", imgc_row_bgrx8, imgc_plain_bgrx8},
    {"bgra8", imgc_row_bgra8, imgc_plain_bgra8},
    {"cmyk8", imgc_row_cmyk8, imgc_plain_cmyk8},
    {"cmyk8_inverted", imgc_row_cmyk8_inverted, imgc_plain_cmyk8_inverted},
    {"premultiply", imgc_row_premultiply, imgc_plain_premultiply},
    {"unpremultiply", unpremultiply, plain_unpremultiply},
    {"16_to_8", reduce, plain_reduce},
    {"be16_to_8", imgc_row_be16_to_8, imgc_plain_be16_to_8},
};

static void compare_rows(void) {
  static _Alignas(16) uint8_t src[BYTES];
  static uint8_t fast[BYTES], plain[BYTES];
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
    for (size_t n = 0; n <= WIDEST; n++) {
      fill(src, BYTES);
      memset(fast, 0xA5, BYTES);
      memset(plain, 0xA5, BYTES);
      kernels[k].fast(fast, src, n);
      kernels[k].plain(plain, src, n);
      expect(memcmp(fast, plain, BYTES) == 0, kernels[k].name, n);
    }
}

static void compare_packed(void) {
  static uint8_t src[BYTES], fast[BYTES], plain[BYTES];
  uint32_t palette[256];
  for (int i = 0; i < 256; i++) palette[i] = dice();
  for (unsigned bits = 1; bits <= 4; bits *= 2)
    for (size_t n = 0; n <= WIDEST; n++) {
      fill(src, BYTES);
      memset(fast, 0xA5, BYTES);
      memset(plain, 0xA5, BYTES);
      imgc_row_index_packed(fast, src, n, bits, palette);
      imgc_plain_index_packed(plain, src, n, bits, palette);
      expect(memcmp(fast, plain, BYTES) == 0, "index_packed", n);
    }
}

// Every value of fields of every width, in every place.
static void compare_fields(void) {
  enum { PIXELS = 2048 };
  static uint8_t src[PIXELS * 4], fast[PIXELS * 4], plain[PIXELS * 4];
  for (unsigned bits = 0; bits <= 32; bits++)
    for (unsigned shift = 0; shift + bits <= 32; shift++) {
      uint32_t max = (uint32_t)((UINT64_C(1) << bits) - 1);
      imgc_field fields[4] = {{(uint8_t)shift, 0, max},
                              {(uint8_t)(shift % 8), 7, max & 255},
                              {(uint8_t)((shift + 3) & 31), 9, max > 1 ? max - 1 : 0},
                              {0, 255, bits % 2 ? 0 : 31}};
      for (uint32_t i = 0; i < PIXELS; i++) {
        uint32_t pixel = bits <= 11 && shift < 32 ? i << shift : dice();
        memcpy(src + i * 4, &pixel, 4);
      }
      size_t n = PIXELS - dice() % 20;
      imgc_row_fields32(fast, src, n, fields);
      imgc_plain_fields32(plain, src, n, fields);
      expect(memcmp(fast, plain, n * 4) == 0, "fields32", bits);
      imgc_row_fields16(fast, src, n, fields);
      imgc_plain_fields16(plain, src, n, fields);
      expect(memcmp(fast, plain, n * 4) == 0, "fields16", bits);
    }
}

// All 65,536 samples, and every pair of colour and alpha.
static void compare_values(void) {
  static uint16_t samples[65536];
  static uint8_t fast[65536 * 4], plain[65536 * 4], pixels[65536 * 4];
  for (uint32_t i = 0; i < 65536; i++) samples[i] = (uint16_t)i;
  imgc_row_16_to_8(fast, samples, 65536);
  imgc_plain_16_to_8(plain, samples, 65536);
  expect(memcmp(fast, plain, 65536) == 0, "16_to_8", 65536);
  for (uint32_t i = 0; i < 65536; i++) {
    uint8_t pixel[4] = {(uint8_t)i, (uint8_t)(i * 7), (uint8_t)(255 - i), (uint8_t)(i >> 8)};
    memcpy(pixels + i * 4, pixel, 4);
  }
  imgc_row_premultiply(fast, pixels, 65536);
  imgc_plain_premultiply(plain, pixels, 65536);
  expect(memcmp(fast, plain, sizeof fast) == 0, "premultiply", 65536);
  unpremultiply(fast, pixels, 65536);
  plain_unpremultiply(plain, pixels, 65536);
  expect(memcmp(fast, plain, sizeof fast) == 0, "unpremultiply", 65536);
}

static void compare_sums(void) {
  static uint8_t fast[BYTES], plain[BYTES];
  for (unsigned step = 1; step <= 9; step++)
    for (size_t n = 0; n <= WIDEST; n++) {
      fill(fast, BYTES);
      memcpy(plain, fast, BYTES);
      imgc_running_sum8(fast, n, step);
      imgc_plain_running_sum8(plain, 0, n, step);
      expect(memcmp(fast, plain, BYTES) == 0, "running_sum8", n);
    }
}

// PNG, section 9: the definition, a byte at a time.
static void unfilter(uint8_t filter, uint8_t *row, const uint8_t *above, size_t n, size_t bpp) {
  for (size_t i = 0; i < n; i++) {
    int a = i < bpp ? 0 : row[i - bpp], b = above[i], c = i < bpp ? 0 : above[i - bpp];
    int to_a = abs(b - c), to_b = abs(a - c), to_c = abs(a + b - 2 * c);
    int nearest = to_a <= to_b && to_a <= to_c ? a : to_b <= to_c ? b : c;
    int predicted[5] = {0, a, b, (a + b) / 2, nearest};
    row[i] = (uint8_t)(row[i] + predicted[filter]);
  }
}

static void compare_filters(void) {
  enum { ROWS = IMGC_PNG_UNFILTER_ROWS, MOST = (ROWS + 1) * (WIDEST * 8 + 1) + GUARD };
  static uint8_t fast[MOST], plain[MOST];
  static const unsigned widths[] = {1, 2, 3, 4, 6, 8};
  for (int w = 0; w < 6; w++)
    for (size_t pixels = 1; pixels <= WIDEST; pixels++) {
      unsigned bpp = widths[w];
      size_t n = pixels * bpp, stride = n + 1;
      fill(plain, MOST);
      // The row above, then filter byte and row in turn.
      for (size_t r = 0; r < ROWS; r++) plain[n + r * stride] %= 5;
      for (int way = 0; way < 3; way++) {
        uint8_t *first = fast + n + 1;
        memcpy(fast, plain, MOST);
        if (way == 0) {
          for (size_t r = 0; r < ROWS; r++)
            imgc_png_unfilter(fast[n + r * stride], first + r * stride,
                              r ? first + (r - 1) * stride : fast, n, bpp);
        } else if (way == 1) {
          for (size_t r = 0; r < ROWS; r++) {
            uint8_t *filter = fast + n + r * stride;
            if (r % 2 == 0 && (*filter < 3 || filter[stride] < 3)) *filter = 3, filter[stride] = 4;
          }
          memcpy(plain, fast, MOST);
          for (size_t r = 0; r < ROWS; r += 2)
            imgc_png_unfilter_pair(fast[n + r * stride], fast[n + (r + 1) * stride],
                                   first + r * stride, first + (r + 1) * stride,
                                   r ? first + (r - 1) * stride : fast, n, bpp);
        } else if (bpp <= 2) {
          imgc_png_unfilter_rows(first, stride, fast, n, bpp);
        } else {
          continue;
        }
        static uint8_t expected[MOST];
        memcpy(expected, plain, MOST);
        uint8_t *row = expected + n + 1;
        for (size_t r = 0; r < ROWS; r++, row += stride)
          unfilter(row[-1], row, r ? row - stride : expected, n, bpp);
        expect(memcmp(fast, expected, MOST) == 0, "unfilter", pixels);
      }
    }
}

int main(void) {
  compare_rows();
  compare_values();
  compare_packed();
  compare_fields();
  compare_sums();
  compare_filters();
  printf("kernels: %d rows, %d differ\n", rows, failures);
  return failures > 0;
}
