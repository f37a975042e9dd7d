// Rows that a codec places above or below the band of a sink: only the band is ever written. Built
// with AddressSanitizer by Fuzz/run. Prints one line; exit status 1 when a row went elsewhere.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/codec.h"

enum { WIDTH = 5, HEIGHT = 64, ROWS = 16, FIRST = 32, STRIDE = WIDTH * 4 };

static int failures = 0;
static void expect(bool claim, const char *name, uint32_t y) {
  if (claim) return;
  failures++;
  printf("band: %s, row %u\n", name, y);
}

static bool band_is(const imgc_sink *sink, uint8_t value) {
  for (size_t i = 0; i < sink->size; i++)
    if (sink->band[i] != value) return false;
  return true;
}

int main(void) {
  imgc_report report = {0};
  imgc_request request = {0};
  imgc_sink sink = {.request = &request, .report = &report, .rows = ROWS, .size = ROWS * STRIDE};
  imgc_place place = {
      .sink = &sink, .step_x = 4, .step_y = STRIDE, .width = WIDTH, .height = HEIGHT};
  uint8_t source[ROWS * STRIDE];
  memset(source, 0xAA, sizeof source);
  sink.band = malloc(sink.size);
  if (!sink.band) return 1;

  for (uint32_t y = 0; y < HEIGHT; y++) {
    const bool inside = y >= FIRST && y < FIRST + ROWS;
    sink.first = FIRST;
    const uint8_t *row = imgc_place_row(&place, y);
    expect(row >= sink.band && row + STRIDE <= sink.band + sink.size, "imgc_place_row", y);
    if (inside) expect(row == sink.band + (y - FIRST) * STRIDE, "row in the band", y);

    // Clipped to what the band holds of these rows.
    memset(sink.band, 0x55, sink.size);
    imgc_place_block(&place, 0, y, WIDTH, ROWS, source, STRIDE);
    const bool meets = y + ROWS > FIRST && y < FIRST + ROWS;
    expect(band_is(&sink, 0x55) == !meets, "imgc_place_block", y);

    // Rows that went on stay; the band moves down to those below.
    memset(sink.band, 0x55, sink.size);
    imgc_place_clear(&place, 0, y, WIDTH, 1);
    expect(band_is(&sink, 0x55) == (y < FIRST), "imgc_place_clear", y);
    expect(sink.first >= FIRST, "the band moved up", y);
  }
  free(sink.band);
  printf("band: %d failures\n", failures);
  return failures > 0;
}
