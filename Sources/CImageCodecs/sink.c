// Rows that go on into a resampler while the codec reads the next ones.

#include "codec.h"

// Rows between two polls where nobody else polls.
enum { BATCH = 16 };

imgc_status imgc_sink_open(imgc_sink *sink, const imgc_resample_request *resample) {
  const imgc_target *result = sink->result;
  uint64_t row = (uint64_t)result->width * 4;
  if (!result->pixels || result->width != resample->width || result->height != resample->height ||
      result->orientation > 1 || result->stride < row || result->height == 0 ||
      imgc_add(imgc_mul(result->stride, result->height - 1), row) > result->size)
    return imgc_fail(sink->report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "target does not fit the resampled size");
  const imgc_request *request = sink->request;
  if (imgc_check(request->result_bytes, request->limits.max_memory, "max_memory", sink->report))
    return sink->report->status;
  imgc_status status = imgc_resampler_create(resample, &sink->resampler);
  if (!status) {
    imgc_resampler_watch(sink->resampler, sink->request->cancel);
    return IMGC_OK;
  }
  return imgc_fail(sink->report, status, NULL, "no resampler of %u x %u to %u x %u",
                   resample->source_width, resample->source_height, resample->width,
                   resample->height);
}

void imgc_sink_close(imgc_sink *sink) {
  imgc_work_give(sink->request, sink->band, sink->size);
  sink->band = NULL;
  imgc_resampler_destroy(sink->resampler);
  sink->resampler = NULL;
}

imgc_status imgc_place_open(const imgc_place *p, uint32_t rows) {
  imgc_sink *sink = p->sink;
  if (!sink) return IMGC_OK;
  sink->rows = rows < p->height ? rows : p->height;
  uint64_t size = imgc_mul(sink->rows, (uint64_t)p->step_y);
  sink->size = size < SIZE_MAX ? (size_t)size : SIZE_MAX;
  sink->band = imgc_work_take(sink->request, sink->size);
  if (sink->band) return IMGC_OK;
  return imgc_fail(sink->report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "no memory for %u rows",
                   sink->rows);
}

void imgc_place_done(const imgc_place *p, uint32_t end) {
  imgc_sink *sink = p->sink;
  if (!sink || end <= sink->first) return;
  uint32_t count = end - sink->first;
  // After a failure a codec may count rows that were never in the band.
  if (count > sink->rows) count = sink->rows;
  // Whatever happens: the codec goes on writing below.
  sink->first = end;
  const imgc_target *result = sink->result;
  for (uint32_t i = 0; i < count; i++) {
    if (i % BATCH == BATCH - 1 && count > BATCH && imgc_poll(sink->request, sink->report)) return;
    sink->done = imgc_resampler_push(sink->resampler, sink->band + (size_t)i * (size_t)p->step_y,
                                     result->pixels, result->stride);
  }
}

bool imgc_sink_reach(const imgc_place *p, uint32_t row) {
  imgc_sink *sink = p->sink;
  if (row - sink->first < sink->rows) return true;
  imgc_place_done(p, row);
  return imgc_poll(sink->request, sink->report) == IMGC_OK;
}
