// Rows that go on into a resampler while the codec reads the next ones.

#include "core/codec.h"

// Rows between two polls where nobody else polls.
enum { BATCH = 16 };

imgc_status imgc_sink_open(imgc_sink *sink, const imgc_resample_request *resample,
                           const imgc_target *result) {
  uint64_t row = (uint64_t)result->width * 4;
  if (!result->pixels || result->width != resample->width || result->height != resample->height ||
      result->orientation > 1 || result->stride < row || result->height == 0 ||
      imgc_add(imgc_mul(result->stride, result->height - 1), row) > result->size)
    return imgc_fail(sink->report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "target does not fit the resampled size");
  const imgc_request *request = sink->request;
  if (imgc_check(request->result_bytes, request->limits.max_memory, "max_memory", sink->report))
    return sink->report->status;
  imgc_small output = {.result = result};
  imgc_status status = imgc_resampler_create(resample, &output.resampler);
  if (!status) {
    imgc_resampler_watch(output.resampler, sink->request->cancel);
    sink->outputs[sink->output_count++] = output;
    return IMGC_OK;
  }
  return imgc_fail(sink->report, status, NULL, "no resampler of %u x %u to %u x %u",
                   resample->source_width, resample->source_height, resample->width,
                   resample->height);
}

void imgc_sink_close(imgc_sink *sink) {
  imgc_work_give(sink->request, sink->band, sink->size);
  sink->band = NULL;
  for (uint32_t i = 0; i < sink->output_count; i++)
    imgc_resampler_destroy(sink->outputs[i].resampler);
  sink->output_count = 0;
}

bool imgc_sink_is_full(const imgc_sink *sink) {
  for (uint32_t i = 0; i < sink->output_count; i++)
    if (sink->outputs[i].done != sink->outputs[i].result->height) return false;
  return true;
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
  for (uint32_t i = 0; i < count; i++) {
    if (i % BATCH == BATCH - 1 && count > BATCH && imgc_poll(sink->request, sink->report)) return;
    const uint8_t *row = sink->band + (size_t)i * (size_t)p->step_y;
    for (uint32_t j = 0; j < sink->output_count; j++) {
      imgc_small *output = &sink->outputs[j];
      output->done = imgc_resampler_push(output->resampler, row, output->result->pixels,
                                         output->result->stride);
    }
  }
}

bool imgc_sink_reach(const imgc_place *p, uint32_t row) {
  imgc_sink *sink = p->sink;
  if (row - sink->first < sink->rows) return true;
  imgc_place_done(p, row);
  return imgc_poll(sink->request, sink->report) == IMGC_OK;
}
