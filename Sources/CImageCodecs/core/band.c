// The band buffer: passes complete rows to the `push` callback before the codec decodes the
// following rows.

#include "core/band.h"
#include "core/cancel.h"
#include "core/limits.h"
#include "core/report.h"
#include "core/scratch.h"

// Maximum rows between two polls in imgc_band_commit_rows, because the codec does not poll during
// this call.
enum { BATCH = 16 };

imgc_status imgc_band_open(imgc_band *band, uint32_t rows) {
  band->rows = rows;
  uint64_t size = imgc_mul(rows, band->stride);
  band->size = size < SIZE_MAX ? (size_t)size : SIZE_MAX;
  band->pixels = imgc_scratch_alloc(band->request, band->size);
  if (band->pixels) return IMGC_OK;
  return imgc_fail(band->report, IMGC_ERROR_OUT_OF_MEMORY, NULL,
                   "out of memory for a buffer of %u rows", band->rows);
}

void imgc_band_close(imgc_band *band) {
  imgc_scratch_free(band->request, band->pixels, band->size);
  band->pixels = NULL;
}

bool imgc_band_push_rows(imgc_band *band, const uint8_t *rows, size_t stride, uint32_t count) {
  // Set before the loop, because a failed poll ends the loop early; in both cases the codec
  // continues after these rows.
  band->first += count;
  for (uint32_t i = 0; i < count; i++) {
    if (i % BATCH == BATCH - 1 && count > BATCH && imgc_poll(band->request, band->report))
      return false;
    band->push(band->context, rows + (size_t)i * stride);
  }
  return true;
}

void imgc_band_commit_rows(imgc_band *band, uint32_t end) {
  if (end <= band->first) return;
  uint32_t count = end - band->first;
  // After a failure a codec may commit rows that were never in the band.
  if (count > band->rows) count = band->rows;
  band->first = end - count;
  imgc_band_push_rows(band, band->pixels, band->stride, count);
}

bool imgc_band_advance(imgc_band *band, uint32_t row) {
  if (row - band->first < band->rows) return true;
  imgc_band_commit_rows(band, row);
  return imgc_poll(band->request, band->report) == IMGC_OK;
}
