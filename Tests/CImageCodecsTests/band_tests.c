// Tests of the band buffer: writes to rows above, in and below the band, and the number of rows
// that are pushed (passed to the function `push`).

#include "core/dest.h"
#include "tests.h"

enum { WIDTH = 5, HEIGHT = 64, ROWS = 16, FIRST = 32, STRIDE = WIDTH * 4 };

static void count_row(void *context, const uint8_t *row) {
  uint32_t *count = context;
  (void)row;
  ++*count;
}

static void check(bool claim, const char *name, uint32_t y) {
  expect(claim, "%s, row %u", name, y);
}

static bool band_is(const imgc_band *band, uint8_t value) {
  for (size_t i = 0; i < band->size; i++)
    if (band->pixels[i] != value) return false;
  return true;
}

static void test_dest_rows(void) {
  uint32_t pushed = 0;
  imgc_report report = {0};
  imgc_request request = {0};
  imgc_band band = {.request = &request,
                    .report = &report,
                    .push = count_row,
                    .context = &pushed,
                    .stride = STRIDE,
                    .rows = ROWS,
                    .size = ROWS * STRIDE};
  imgc_dest dest = {.band = &band, .step_x = 4, .step_y = STRIDE, .width = WIDTH, .height = HEIGHT};
  uint8_t source[ROWS * STRIDE];
  memset(source, 0xAA, sizeof source);
  band.pixels = malloc(band.size);
  if (!band.pixels) exit(2);

  for (uint32_t y = 0; y < HEIGHT; y++) {
    const bool inside = y >= FIRST && y < FIRST + ROWS;
    band.first = FIRST;
    const uint8_t *row = imgc_dest_row(&dest, y);
    check(row >= band.pixels && row + STRIDE <= band.pixels + band.size, "imgc_dest_row", y);
    if (inside) check(row == band.pixels + (y - FIRST) * STRIDE, "row in the band", y);

    // A block is clipped to the rows in the band.
    memset(band.pixels, 0x55, band.size);
    imgc_dest_write_block(&dest, 0, y, WIDTH, ROWS, source, STRIDE);
    const bool meets = y + ROWS > FIRST && y < FIRST + ROWS;
    check(band_is(&band, 0x55) == !meets, "imgc_dest_write_block", y);

    // Rows that were pushed do not change; the band moves down to later rows.
    memset(band.pixels, 0x55, band.size);
    imgc_dest_clear(&dest, 0, y, WIDTH, 1);
    check(band_is(&band, 0x55) == (y < FIRST), "imgc_dest_clear", y);
    check(band.first >= FIRST, "the band moved up", y);
  }
  free(band.pixels);
}

// Writes an image of 64 rows through band buffers of every height and commits the rows in steps of
// every size: all rows must be pushed.
static void test_pushing(void) {
  for (uint32_t rows = 1; rows <= HEIGHT; rows++)
    for (uint32_t step = 1; step <= rows; step++) {
      uint32_t pushed = 0;
      imgc_report report = {0};
      imgc_request request = {0};
      imgc_band band = {.request = &request,
                        .report = &report,
                        .push = count_row,
                        .context = &pushed,
                        .stride = STRIDE};
      imgc_dest dest = {
          .band = &band, .step_x = 4, .step_y = STRIDE, .width = WIDTH, .height = HEIGHT};
      expect(imgc_dest_open(&dest, rows) == IMGC_OK, "a band of %u rows", rows);
      for (uint32_t end = step; end < HEIGHT; end += step) imgc_dest_commit_rows(&dest, end);
      imgc_dest_commit_rows(&dest, HEIGHT);
      expect(pushed == HEIGHT, "%u rows pushed of a band of %u in steps of %u", pushed, rows, step);
      imgc_band_close(&band);
    }
}

void test_band(void) {
  test_dest_rows();
  test_pushing();
}
