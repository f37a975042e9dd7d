// Band buffer: a window of consecutive rows that moves down the image. Complete rows are pushed
// from the start of the window.

#ifndef IMGC_BAND_H
#define IMGC_BAND_H

#include "CImageCodecs/report.h"
#include "CImageCodecs/request.h"

typedef struct imgc_band {
  const imgc_request *request;
  imgc_report *report;
  // Receives every complete row, row 0 first. `row` is valid during the call.
  void (*push)(void *context, const uint8_t *row);
  void *context;
  size_t stride;   // bytes from row to row
  uint8_t *pixels; // `rows` rows of the image; NULL before imgc_band_open
  size_t size;     // bytes at `pixels`
  uint32_t rows;
  uint32_t first; // image row at the start of the band; earlier rows have been pushed
  bool cleared;   // some pixels are transparent black because data for them is missing
} imgc_band;

// Returns row `y` in the band. For a row outside the band it returns the first row of the band, so
// that a bug in a codec can overwrite only a row of the band.
static inline uint8_t *imgc_band_row(const imgc_band *band, uint32_t y) {
  const uint32_t row = y - band->first; // wraps around to a large number for a row above the band
  return band->pixels + (row < band->rows ? (size_t)row * band->stride : 0);
}

// Allocates a band of `rows` rows; fails when memory is exhausted.
imgc_status imgc_band_open(imgc_band *band, uint32_t rows);
void imgc_band_close(imgc_band *band);
// Pushes all rows before `end`, which must be completely written, and moves the band's start to
// `end`.
void imgc_band_commit_rows(imgc_band *band, uint32_t end);
// Pushes the next rows from other memory, without a copy: `count` rows at `rows`, `stride` bytes
// each, the first of which is the row at the start of the band. Returns false when a poll fails.
bool imgc_band_push_rows(imgc_band *band, const uint8_t *rows, size_t stride, uint32_t count);
// If `row` is after the last row of the band, pushes the rows of the band and moves the start of
// the band to `row`. Returns false when a poll fails; the decode must then end.
bool imgc_band_advance(imgc_band *band, uint32_t row);

#endif
