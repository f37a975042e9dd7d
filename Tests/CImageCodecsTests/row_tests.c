// Row kernels against their scalar versions: rows of 0 to 200 pixels of random bytes; bytes after
// the row must not change. Tests the variants of this processor: AVX2 on amd64, NEON on ARM.

#include "rows/rows.h"
#include "rows/rows_simd.h"
#include "rows/running_sum.h"
#include "tests.h"

enum { WIDEST = 200, GUARD = 64, BYTES = WIDEST * 8 + GUARD };

static void expect_equal(bool equal, const char *kernel, size_t n) {
  expect(equal, "%s differs at %zu pixels", kernel, n);
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
    {"to_rgb8", imgc_row_to_rgb8, imgc_plain_to_rgb8},
    {"to_bgr8", imgc_row_to_bgr8, imgc_plain_to_bgr8},
    {"to_gray8", imgc_row_to_gray8, imgc_plain_to_gray8},
    {"to_gray_alpha8", imgc_row_to_gray_alpha8, imgc_plain_to_gray_alpha8},
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
      expect_equal(memcmp(fast, plain, BYTES) == 0, kernels[k].name, n);
    }
}

static void compare_packed(void) {
  static uint8_t src[BYTES], fast[BYTES], plain[BYTES];
  uint32_t palette[256];
  for (int i = 0; i < 256; i++) palette[i] = random_number();
  for (unsigned bits = 1; bits <= 4; bits *= 2)
    for (size_t n = 0; n <= WIDEST; n++) {
      fill(src, BYTES);
      memset(fast, 0xA5, BYTES);
      memset(plain, 0xA5, BYTES);
      imgc_row_index_packed(fast, src, n, bits, palette);
      imgc_plain_index_packed(plain, src, n, bits, palette);
      expect_equal(memcmp(fast, plain, BYTES) == 0, "index_packed", n);
    }
}

// Bit fields of every width at every position. Fields of up to 10 bits are tested with every value,
// fields of 11 bits with almost every value, wider fields with random values.
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
        uint32_t pixel = bits <= 11 && shift < 32 ? i << shift : random_number();
        memcpy(src + i * 4, &pixel, 4);
      }
      size_t n = PIXELS - random_number() % 20;
      imgc_row_fields32(fast, src, n, fields);
      imgc_plain_fields32(plain, src, n, fields);
      expect_equal(memcmp(fast, plain, n * 4) == 0, "fields32", bits);
      imgc_row_fields16(fast, src, n, fields);
      imgc_plain_fields16(plain, src, n, fields);
      expect_equal(memcmp(fast, plain, n * 4) == 0, "fields16", bits);
    }
}

// All 65,536 values of a 16-bit sample, and every pair of a colour value and an alpha value.
static void compare_values(void) {
  static uint16_t samples[65536];
  static uint8_t fast[65536 * 4], plain[65536 * 4], pixels[65536 * 4];
  for (uint32_t i = 0; i < 65536; i++) samples[i] = (uint16_t)i;
  imgc_row_16_to_8(fast, samples, 65536);
  imgc_plain_16_to_8(plain, samples, 65536);
  expect_equal(memcmp(fast, plain, 65536) == 0, "16_to_8", 65536);
  for (uint32_t i = 0; i < 65536; i++) {
    uint8_t pixel[4] = {(uint8_t)i, (uint8_t)(i * 7), (uint8_t)(255 - i), (uint8_t)(i >> 8)};
    memcpy(pixels + i * 4, pixel, 4);
  }
  imgc_row_premultiply(fast, pixels, 65536);
  imgc_plain_premultiply(plain, pixels, 65536);
  expect_equal(memcmp(fast, plain, sizeof fast) == 0, "premultiply", 65536);
  unpremultiply(fast, pixels, 65536);
  plain_unpremultiply(plain, pixels, 65536);
  expect_equal(memcmp(fast, plain, sizeof fast) == 0, "unpremultiply", 65536);
}

static void compare_sums(void) {
  static uint8_t fast[BYTES], plain[BYTES];
  for (unsigned step = 1; step <= 9; step++)
    for (size_t n = 0; n <= WIDEST; n++) {
      fill(fast, BYTES);
      memcpy(plain, fast, BYTES);
      imgc_running_sum8(fast, n, step);
      imgc_plain_running_sum8(plain, 0, n, step);
      expect_equal(memcmp(fast, plain, BYTES) == 0, "running_sum8", n);
    }
}

void test_rows(void) {
  compare_rows();
  compare_values();
  compare_packed();
  compare_fields();
  compare_sums();
}
