// Reconstruction of filtered PNG rows against the definition, and vector variants against scalar
// variants.

#include "png/unfilter/png_unfilter.h"
#include "tests.h"

enum { WIDEST = 200, GUARD = 64 };

uint32_t plain_png_unfilter_some(uint8_t *raw, uint32_t rows, const uint8_t *above, size_t n,
                                 unsigned bpp);

// PNG, section 9: the definition, byte by byte.
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
  enum { ROWS = IMGC_PNG_UNFILTER_ROWS, BUFFER_SIZE = (ROWS + 1) * (WIDEST * 8 + 1) + GUARD };
  static uint8_t fast[BUFFER_SIZE], plain[BUFFER_SIZE];
  static const unsigned widths[] = {1, 2, 3, 4, 6, 8};
  for (int w = 0; w < 6; w++)
    for (size_t pixels = 1; pixels <= WIDEST; pixels++) {
      unsigned bpp = widths[w];
      size_t n = pixels * bpp, stride = n + 1;
      fill(plain, BUFFER_SIZE);
      // The buffer contains the row above, then the filter byte and the samples of each row. Limits
      // filter bytes to 0 to 4.
      for (size_t r = 0; r < ROWS; r++) plain[n + r * stride] %= 5;
      for (int way = 0; way < 3; way++) {
        uint8_t *first = fast + n + 1;
        memcpy(fast, plain, BUFFER_SIZE);
        if (way == 0) {
          for (size_t r = 0; r < ROWS; r++)
            imgc_png_unfilter(fast[n + r * stride], first + r * stride,
                              r ? first + (r - 1) * stride : fast, n, bpp);
        } else if (way == 1) {
          for (size_t r = 0; r < ROWS; r++) {
            uint8_t *filter = fast + n + r * stride;
            if (r % 2 == 0 &&
                (*filter < IMGC_FILTER_AVERAGE || filter[stride] < IMGC_FILTER_AVERAGE))
              *filter = IMGC_FILTER_AVERAGE, filter[stride] = IMGC_FILTER_PAETH;
          }
          memcpy(plain, fast, BUFFER_SIZE);
          for (size_t r = 0; r < ROWS; r += 2)
            imgc_png_unfilter_pair(fast[n + r * stride], fast[n + (r + 1) * stride],
                                   first + r * stride, first + (r + 1) * stride,
                                   r ? first + (r - 1) * stride : fast, n, bpp);
        } else if (bpp <= 2) {
          imgc_png_unfilter_rows(first, stride, fast, n, bpp);
        } else {
          continue;
        }
        static uint8_t expected[BUFFER_SIZE];
        memcpy(expected, plain, BUFFER_SIZE);
        uint8_t *row = expected + n + 1;
        for (size_t r = 0; r < ROWS; r++, row += stride)
          unfilter(row[-1], row, r ? row - stride : expected, n, bpp);
        expect(memcmp(fast, expected, BUFFER_SIZE) == 0, "filters differ at %zu pixels of %u bytes",
               pixels, bpp);
      }
    }
}

// Complete images of random rows. As in the codec, filters, row length and bytes per pixel
// determine whether rows are unfiltered one by one, in pairs, or in groups of WAVE_ROWS rows with a
// horizontal offset (wavefront).
static void compare_images(void) {
  enum { ROWS = 20, BUFFER_SIZE = ROWS * (WIDEST * 8 + 1) + 2 * GUARD };
  static uint8_t vector[BUFFER_SIZE], plain[BUFFER_SIZE], zeros[WIDEST * 8 + GUARD];
  static const unsigned widths[] = {1, 2, 3, 4, 6, 8};
  for (int w = 0; w < 6; w++)
    for (size_t pixels = 1; pixels <= WIDEST; pixels += 1 + pixels / 16) {
      size_t n = pixels * widths[w], stride = n + 1;
      fill(vector, BUFFER_SIZE);
      for (size_t r = 0; r < ROWS; r++) vector[r * stride] %= 5;
      memcpy(plain, vector, BUFFER_SIZE);
      for (int way = 0; way < 2; way++) {
        uint8_t *raw = way ? plain : vector;
        const uint8_t *above = zeros;
        for (uint32_t r = 0, done; r < ROWS; r += done, above = raw + (r - 1) * stride + 1)
          done = (way ? plain_png_unfilter_some
                      : imgc_png_unfilter_next)(raw + r * stride, ROWS - r, above, n, widths[w]);
      }
      expect(memcmp(vector, plain, BUFFER_SIZE) == 0, "images differ at %zu pixels of %u bytes",
             pixels, widths[w]);
    }
}

void test_filters(void) {
  compare_filters();
  compare_images();
}
