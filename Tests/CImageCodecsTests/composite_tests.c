// Porter-Duff composition against a model in exact integers (opacity 1) and in double precision
// (other opacities), for rows of 0 to 40 pixels; bytes after the row must not change.

#include "rows/rows.h"
#include "rows/rows_simd.h"
#include "tests.h"

#include <math.h>

enum { WIDEST = 40, OPERATORS = 12 };

// composite.c without vector instructions beyond the compiler's baseline.
void plain_row_composite(uint8_t *dst, const uint8_t *src, size_t n, imgc_operator operation,
                         float opacity);
void plain_row_over(uint8_t *dst, const uint8_t *src, size_t n);

// The fractions of source and destination that an operator shows, 0...1.
static void fractions(imgc_operator operation, double as, double ad, double *fs, double *fd) {
  static const char *const table[OPERATORS] = {
      [IMGC_OPERATOR_CLEAR] = "00",
      [IMGC_OPERATOR_SOURCE] = "10",
      [IMGC_OPERATOR_DESTINATION] = "01",
      [IMGC_OPERATOR_SOURCE_OVER] = "1-",
      [IMGC_OPERATOR_DESTINATION_OVER] = "-1",
      [IMGC_OPERATOR_SOURCE_IN] = "a0",
      [IMGC_OPERATOR_DESTINATION_IN] = "0a",
      [IMGC_OPERATOR_SOURCE_OUT] = "-0",
      [IMGC_OPERATOR_DESTINATION_OUT] = "0-",
      [IMGC_OPERATOR_SOURCE_ATOP] = "a-",
      [IMGC_OPERATOR_DESTINATION_ATOP] = "-a",
      [IMGC_OPERATOR_XOR] = "--",
  };
  const char *text = table[operation];
  *fs = text[0] == '0' ? 0 : text[0] == '1' ? 1 : text[0] == 'a' ? ad : 1 - ad;
  *fd = text[1] == '0' ? 0 : text[1] == '1' ? 1 : text[1] == 'a' ? as : 1 - as;
}

static bool shows_destination_alone(imgc_operator operation) {
  double fs, fd;
  fractions(operation, 0, 1, &fs, &fd);
  return fd == 1;
}

// True when `result` is the exact value rounded to the nearest integer, with a tolerance for the
// rounding errors of single precision.
static bool rounds_to(uint8_t result, double exact, double tolerance) {
  return fabs(result - exact) <= 0.5 + tolerance;
}

static bool is_composite(const uint8_t *result, const uint8_t *dst, const uint8_t *src,
                         imgc_operator operation, double opacity) {
  const double as = src[3] / 255.0 * opacity, ad = dst[3] / 255.0;
  if (as == 0 && shows_destination_alone(operation)) return memcmp(result, dst, 4) == 0;
  double fs, fd;
  fractions(operation, as, ad, &fs, &fd);
  const double src_weight = as * fs, dst_weight = ad * fd, sum = src_weight + dst_weight;
  const double tolerance = opacity == 1 ? 1e-9 : 1e-3;
  if (!rounds_to(result[3], sum * 255, tolerance)) return false;
  static const uint8_t clear[4] = {0};
  if (result[3] == 0) return memcmp(result, clear, 4) == 0;
  for (int k = 0; k < 3; k++)
    if (!rounds_to(result[k], (src[k] * src_weight + dst[k] * dst_weight) / sum, tolerance))
      return false;
  return true;
}

// Every pair of alphas with random colours, and rows whose pixels are all opaque or all
// transparent.
static void compare_with_the_model(void) {
  static uint8_t src[65536 * 4], dst[65536 * 4], result[65536 * 4], plain[65536 * 4];
  static const float opacities[] = {1, 0.5f, 0.3f, 1.0f / 255, 0};
  fill(src, sizeof src);
  fill(dst, sizeof dst);
  for (uint32_t i = 0; i < 65536; i++) {
    src[i * 4 + 3] = (uint8_t)i;
    dst[i * 4 + 3] = (uint8_t)(i >> 8);
  }
  for (int operation = 0; operation < OPERATORS; operation++)
    for (size_t k = 0; k < sizeof opacities / sizeof *opacities; k++) {
      memcpy(result, dst, sizeof dst);
      imgc_row_composite(result, src, 65536, (imgc_operator)operation, opacities[k]);
      memcpy(plain, dst, sizeof dst);
      plain_row_composite(plain, src, 65536, (imgc_operator)operation, opacities[k]);
      expect(memcmp(result, plain, sizeof plain) == 0, "operator %d differs from the baseline",
             operation);
      size_t wrong = 0;
      for (size_t i = 0; i < sizeof dst; i += 4)
        wrong +=
            !is_composite(result + i, dst + i, src + i, (imgc_operator)operation, opacities[k]);
      expect(wrong == 0, "operator %d, opacity %g: %zu pixels differ", operation, opacities[k],
             wrong);
    }
}

// The kernels for opaque, translucent and transparent groups of pixels, and rows of every length.
static void compare_over(void) {
  enum { BYTES = WIDEST * 4 + 64 };
  static uint8_t src[BYTES], dst[BYTES], fast[BYTES], plain[BYTES], general[BYTES], baseline[BYTES];
  static const uint8_t alphas[] = {0, 255, 77};
  for (unsigned kind = 0; kind < 16; kind++)
    for (size_t n = 0; n <= WIDEST; n++) {
      fill(src, BYTES);
      fill(dst, BYTES);
      for (size_t i = 3; i < BYTES; i += 4) {
        if (kind % 4 < 3) src[i] = alphas[kind % 4];
        if (kind / 4 < 3) dst[i] = alphas[kind / 4];
      }
      memcpy(fast, dst, BYTES);
      memcpy(plain, dst, BYTES);
      memcpy(general, dst, BYTES);
      memcpy(baseline, dst, BYTES);
      imgc_row_over(fast, src, n);
      imgc_plain_over(plain, src, n);
      plain_row_over(baseline, src, n);
      // An opacity just below 1 selects the general kernel.
      imgc_row_composite(general, src, n, IMGC_OPERATOR_SOURCE_OVER, 0.99999994f);
      expect(memcmp(fast, plain, BYTES) == 0, "over differs at %zu pixels, kind %u", n, kind);
      expect(memcmp(baseline, plain, BYTES) == 0, "over differs from the baseline, %zu pixels", n);
      for (size_t i = 0; i < n * 4; i++)
        expect(abs(general[i] - plain[i]) <= 1, "general over differs at %zu pixels", n);
      expect(memcmp(general + n * 4, dst + n * 4, BYTES - n * 4) == 0, "over after the row");
    }
}

void test_composite(void) {
  compare_with_the_model();
  compare_over();
}
