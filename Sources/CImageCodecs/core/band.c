// The band buffer: complete rows are pushed to the receiver while the codec decodes the next ones.

#include "core/band.h"
#include "core/cancel.h"
#include "core/limits.h"
#include "core/report.h"
#include "core/scratch.h"

// Rows between two polls in imgc_sink_done, during which the codec does not poll.
enum { BATCH = 16 };

imgc_status imgc_sink_open(imgc_sink *sink, uint32_t rows) {
  sink->rows = rows;
  uint64_t size = imgc_mul(rows, sink->stride);
  sink->size = size < SIZE_MAX ? (size_t)size : SIZE_MAX;
  sink->band = imgc_work_take(sink->request, sink->size);
  if (sink->band) return IMGC_OK;
  return imgc_fail(sink->report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "no memory for %u rows",
                   sink->rows);
}

void imgc_sink_close(imgc_sink *sink) {
  imgc_work_give(sink->request, sink->band, sink->size);
  sink->band = NULL;
}

void imgc_sink_done(imgc_sink *sink, uint32_t end) {
  if (end <= sink->first) return;
  uint32_t count = end - sink->first;
  // After a failure a codec may report rows that were never in the band.
  if (count > sink->rows) count = sink->rows;
  // Set before the polls, which may return early: the codec continues with the rows from `end` on.
  sink->first = end;
  for (uint32_t i = 0; i < count; i++) {
    if (i % BATCH == BATCH - 1 && count > BATCH && imgc_poll(sink->request, sink->report)) return;
    sink->push(sink->context, sink->band + (size_t)i * sink->stride);
  }
}

bool imgc_sink_reach(imgc_sink *sink, uint32_t row) {
  if (row - sink->first < sink->rows) return true;
  imgc_sink_done(sink, row);
  return imgc_poll(sink->request, sink->report) == IMGC_OK;
}
