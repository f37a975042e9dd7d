// Decoding into resamplers: complete rows are resampled before the codec decodes the following
// rows.

#include "CImageCodecs/decode.h"
#include "core/cancel.h"
#include "core/codec.h"
#include "core/limits.h"
#include "core/report.h"
#include "dispatch/dispatch.h"

#include <string.h>

// A resampled image in progress.
typedef struct output {
  imgc_resampler *resampler;
  const imgc_target *result;
  uint32_t done; // complete rows of the result
} output;

typedef struct outputs {
  output all[IMGC_MAX_OUTPUTS];
  uint32_t count;
} outputs;

// Adds an output; the request and report of `band` must be set. Fails with INVALID_ARGUMENT when
// the target does not have the resampled size, with LIMIT when the memory limit is exceeded, or
// with OUT_OF_MEMORY.
static imgc_status add_output(outputs *o, const imgc_band *band,
                              const imgc_resample_request *resample, const imgc_target *result) {
  uint64_t row = (uint64_t)result->width * 4;
  if (!result->pixels || result->width != resample->width || result->height != resample->height ||
      result->orientation > 1 || result->stride < row || result->height == 0 ||
      imgc_add(imgc_mul(result->stride, result->height - 1), row) > result->size)
    return imgc_fail(band->report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "the size, orientation, stride or buffer of the destination is invalid for a "
                     "result of %u x %u pixels",
                     resample->width, resample->height);
  const imgc_request *request = band->request;
  if (imgc_check(request->result_bytes, request->limits.max_memory, "max_memory", band->report))
    return band->report->status;
  imgc_resampler *resampler;
  imgc_status status = imgc_resampler_create(resample, &resampler);
  if (status)
    return imgc_fail(
        band->report, status, NULL, "cannot create a resampler from %u x %u to %u x %u pixels",
        resample->source_width, resample->source_height, resample->width, resample->height);
  imgc_resampler_watch(resampler, request->cancel);
  o->all[o->count++] = (output){.resampler = resampler, .result = result};
  return IMGC_OK;
}

// Units of work: of a sample of a row before and after the horizontal pass, and of a result pixel.
enum { WORK_ROW_PIXEL = 3, WORK_RESULT_PIXEL = 6 };

static imgc_status charge(const imgc_request *request, const imgc_resample_request *resample,
                          imgc_report *report) {
  uint64_t columns = imgc_add((uint64_t)resample->crop_width, resample->width);
  uint64_t rows = (uint64_t)resample->crop_height;
  uint64_t result = imgc_mul(resample->width, resample->height);
  return imgc_charge(request,
                     imgc_add(imgc_mul(imgc_mul(columns, rows), WORK_ROW_PIXEL),
                              imgc_mul(result, WORK_RESULT_PIXEL)),
                     report);
}

static void push_row(void *context, const uint8_t *row) {
  outputs *o = context;
  for (uint32_t i = 0; i < o->count; i++) {
    output *to = &o->all[i];
    to->done = imgc_resampler_push(to->resampler, row, to->result->pixels, to->result->stride);
  }
}

// Returns true when all rows of all outputs are complete.
static bool are_full(const outputs *o) {
  for (uint32_t i = 0; i < o->count; i++)
    if (o->all[i].done != o->all[i].result->height) return false;
  return true;
}

// Decodes the image once. Returns false when the decode succeeded, but `resamples` have the flag
// IMGC_RESAMPLE_OPAQUE and pixels are transparent because data for them is missing.
static bool decode_resampled(const imgc_request *request, const imgc_resample_request *resamples,
                             const imgc_target *targets, uint32_t count, imgc_report *report) {
  imgc_request streamed = *request;
  streamed.flags |= IMGC_RESAMPLES;
  streamed.result_bytes = 0;
  for (uint32_t i = 0; i < count; i++)
    streamed.result_bytes = imgc_add(
        streamed.result_bytes, imgc_add(imgc_resampler_bytes(&resamples[i]), targets[i].size));
  const imgc_codec *codec = imgc_dispatch_begin(&streamed, report);
  if (!codec) return true;
  outputs list = {0};
  imgc_band band = {.request = &streamed,
                    .report = report,
                    .push = push_row,
                    .context = &list,
                    .stride = (size_t)resamples->source_width * 4};
  imgc_dest dest = {.band = &band,
                    .step_x = 4,
                    .step_y = (ptrdiff_t)band.stride,
                    .width = resamples->source_width,
                    .height = resamples->source_height};
  imgc_status status = IMGC_OK;
  for (uint32_t i = 0; i < count && !status; i++)
    status = add_output(&list, &band, &resamples[i], &targets[i]);
  for (uint32_t i = 0; i < count && !status; i++) status = charge(&streamed, &resamples[i], report);
  if (!status) status = codec->decode(&streamed, &dest, report);
  if (!status) imgc_dest_commit_rows(&dest, dest.height);
  // A resampler omits output rows after the cancel flag is raised.
  bool full = are_full(&list);
  if (!status && !full) status = imgc_poll(&streamed, report);
  if (!imgc_dispatch_end(&streamed, status, report) && !full)
    imgc_fail(report, IMGC_ERROR_INTERNAL, NULL,
              "the codec returned fewer rows than the image has");
  imgc_band_close(&band);
  for (uint32_t i = 0; i < list.count; i++) imgc_resampler_destroy(list.all[i].resampler);
  return report->status || !band.cleared || !(resamples->flags & IMGC_RESAMPLE_OPAQUE);
}

imgc_status imgc_decode_resampled_all(const imgc_request *request,
                                      const imgc_resample_request *resamples,
                                      const imgc_target *targets, uint32_t count,
                                      imgc_report *report) {
  memset(report, 0, sizeof *report);
  bool agree = count >= 1 && count <= IMGC_MAX_OUTPUTS;
  for (uint32_t i = 1; agree && i < count; i++)
    agree = resamples[i].source_width == resamples->source_width &&
            resamples[i].source_height == resamples->source_height &&
            !((resamples[i].flags ^ resamples->flags) & IMGC_RESAMPLE_OPAQUE);
  if (!agree)
    return imgc_fail(
        report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
        "%u outputs, expected 1 to %d with equal source sizes and equal IMGC_RESAMPLE_OPAQUE flags",
        count, IMGC_MAX_OUTPUTS);
  if (decode_resampled(request, resamples, targets, count, report)) return report->status;
  imgc_resample_request again[IMGC_MAX_OUTPUTS];
  for (uint32_t i = 0; i < count; i++) {
    again[i] = resamples[i];
    again[i].flags &= ~(uint32_t)IMGC_RESAMPLE_OPAQUE;
  }
  decode_resampled(request, again, targets, count, report);
  return report->status;
}

imgc_status imgc_decode_resampled(const imgc_request *request,
                                  const imgc_resample_request *resample, const imgc_target *target,
                                  imgc_report *report) {
  return imgc_decode_resampled_all(request, resample, target, 1, report);
}

uint64_t imgc_resampled_bytes(const imgc_header *header, const imgc_resample_request *resample) {
  uint64_t resampler = imgc_resampler_bytes(resample);
  if (!resampler) return UINT64_MAX;
  uint64_t band = imgc_mul(imgc_mul(header->width, header->band_rows), 4);
  return imgc_add(imgc_add(band, resampler), header->work_bytes);
}
