// The dispatcher: checks arguments, finds the codec, settles the outcome.

#include "core/codec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const imgc_codec *codec_for(imgc_format format) {
  switch (format) {
  case IMGC_FORMAT_PNG: return &imgc_codec_png;
  case IMGC_FORMAT_JPEG: return &imgc_codec_jpeg;
  case IMGC_FORMAT_GIF: return &imgc_codec_gif;
  case IMGC_FORMAT_TIFF: return &imgc_codec_tiff;
  default: return NULL;
  }
}

static const imgc_codec *begin(const imgc_request *request, imgc_report *report) {
  memset(report, 0, sizeof *report);
  const imgc_codec *codec = codec_for(request->format);
  if (!codec)
    imgc_fail(report, IMGC_ERROR_UNKNOWN_FORMAT, NULL, "no codec for format %d", request->format);
  else if (!request->data && request->size)
    imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL, "data is NULL");
  return report->status ? NULL : codec;
}

// A codec that fails without saying why has a bug; say that instead of nothing.
static imgc_status end(const imgc_request *request, imgc_status status, imgc_report *report) {
  if (status == IMGC_END_OF_FRAMES) return imgc_settle(request, report) ? report->status : status;
  if (status) return imgc_fail(report, status, NULL, "no reason given");
  return imgc_settle(request, report);
}

imgc_status imgc_read_header(const imgc_request *request, imgc_header *header,
                             imgc_report *report) {
  memset(header, 0, sizeof *header);
  const imgc_codec *codec = begin(request, report);
  if (!codec) return report->status;
  header->format = request->format;
  header->orientation = 1;
  imgc_status status = codec->read_header(request, header, report);
  if (header->band_rows == 0 || header->band_rows > header->height)
    header->band_rows = header->height;
  return end(request, status, report);
}

imgc_status imgc_read_icc(const imgc_request *request, uint8_t *profile, size_t size,
                          imgc_report *report) {
  const imgc_codec *codec = begin(request, report);
  if (!codec) return report->status;
  imgc_status status = codec->read_icc(request, profile, size, report);
  if (status) return imgc_fail(report, status, NULL, "no profile of %zu bytes", size);
  return IMGC_OK;
}

imgc_status imgc_decode(const imgc_request *request, const imgc_target *target,
                        imgc_report *report) {
  const imgc_codec *codec = begin(request, report);
  if (!codec) return report->status;
  bool turned = target->orientation >= 5;
  imgc_place place;
  if (!imgc_place_make(&place, target, turned ? target->height : target->width,
                       turned ? target->width : target->height))
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL, "target too small");
  return end(request, codec->decode(request, &place, report), report);
}

// One attempt. False when the picture turned out not to be as opaque as `resamples` say.
static bool decode_resampled(const imgc_request *request, const imgc_resample_request *resamples,
                             const imgc_target *targets, uint32_t count, imgc_report *report) {
  imgc_request streamed = *request;
  streamed.flags |= IMGC_RESAMPLES;
  streamed.result_bytes = 0;
  for (uint32_t i = 0; i < count; i++)
    streamed.result_bytes = imgc_add(
        streamed.result_bytes, imgc_add(imgc_resampler_bytes(&resamples[i]), targets[i].size));
  const imgc_codec *codec = begin(&streamed, report);
  if (!codec) return true;
  imgc_sink sink = {.request = &streamed, .report = report};
  imgc_place place = {.sink = &sink,
                      .step_x = 4,
                      .step_y = (ptrdiff_t)resamples->source_width * 4,
                      .width = resamples->source_width,
                      .height = resamples->source_height};
  imgc_status status = IMGC_OK;
  for (uint32_t i = 0; i < count && !status; i++)
    status = imgc_sink_open(&sink, &resamples[i], &targets[i]);
  if (!status) status = codec->decode(&streamed, &place, report);
  if (!status) imgc_place_done(&place, place.height);
  // A resampler leaves rows out when it is to end.
  bool full = imgc_sink_is_full(&sink);
  if (!status && !full) status = imgc_poll(&streamed, report);
  if (!end(&streamed, status, report) && !full)
    imgc_fail(report, IMGC_ERROR_INTERNAL, NULL, "rows are missing");
  imgc_sink_close(&sink);
  return report->status || !sink.cleared || !(resamples->flags & IMGC_RESAMPLE_OPAQUE);
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
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL, "%u outputs that differ", count);
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

imgc_status imgc_next_frame(const imgc_request *request, imgc_frame *frame, imgc_report *report) {
  const imgc_codec *codec = begin(request, report);
  if (!codec) return report->status;
  if (!codec->next_frame) return IMGC_END_OF_FRAMES;
  return end(request, codec->next_frame(request, frame, report), report);
}

imgc_status imgc_draw_frame(const imgc_request *request, const imgc_frame *frame,
                            const imgc_target *canvas, imgc_report *report) {
  const imgc_codec *codec = begin(request, report);
  if (!codec) return report->status;
  imgc_place place;
  if (!codec->draw_frame || canvas->orientation > 1 ||
      !imgc_place_make(&place, canvas, canvas->width, canvas->height))
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL, "canvas does not fit");
  return end(request, codec->draw_frame(request, frame, canvas, report), report);
}

const char *imgc_codec_version(imgc_format format) {
  const imgc_codec *codec = codec_for(format);
  return codec ? codec->version() : "";
}

// ---------------------------------------------------------------- failing and warning

imgc_status imgc_fail(imgc_report *report, imgc_status status, const char *token,
                      const char *format, ...) {
  if (report->status) return report->status;
  report->status = status;
  if (token) snprintf(report->token, sizeof report->token, "%s", token);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(report->message, sizeof report->message, format, arguments);
  va_end(arguments);
  // One line, printable: library messages may quote bytes of the file.
  for (char *c = report->message; *c; c++)
    if (*c < ' ' || *c > '~') *c = '?';
  return status;
}

void imgc_warn(imgc_report *report, imgc_warning warning) {
  report->warning_total++;
  if (warning < IMGC_WARN_PROFILE_IGNORED) report->corrupt = true;
  for (uint32_t i = 0; i < report->warning_count; i++)
    if (report->warnings[i] == warning) return;
  if (report->warning_count < IMGC_MAX_WARNINGS)
    report->warnings[report->warning_count++] = (uint16_t)warning;
}

void imgc_truncated(imgc_report *report, uint32_t rows) {
  report->truncated = true;
  report->rows = rows;
}

imgc_status imgc_settle(const imgc_request *request, imgc_report *report) {
  if (report->status) return report->status;
  if (request->strictness >= IMGC_STRICT_ON_TRUNCATED && report->truncated)
    return imgc_fail(report, IMGC_ERROR_TRUNCATED, NULL, "data ends after %u complete rows",
                     report->rows);
  bool any = report->warning_count > 0;
  if ((request->strictness >= IMGC_STRICT_ON_CORRUPT && report->corrupt) ||
      (request->strictness >= IMGC_STRICT_ON_WARNING && any)) {
    // The first defect for "corrupt", the first warning of any kind for "warning".
    uint16_t first = any ? report->warnings[0] : 0;
    for (uint32_t i = 0; request->strictness == IMGC_STRICT_ON_CORRUPT && i < report->warning_count;
         i++) {
      first = report->warnings[i];
      if (first < IMGC_WARN_PROFILE_IGNORED) break;
    }
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "damaged: %s", imgc_warning_name(first));
  }
  return IMGC_OK;
}

static const struct {
  uint16_t warning;
  const char *name;
} warning_names[] = {
    {IMGC_WARN_CRC, "crc"},
    {IMGC_WARN_CHECKSUM, "checksum"},
    {IMGC_WARN_ENTROPY_DATA, "entropyData"},
    {IMGC_WARN_MARKER, "marker"},
    {IMGC_WARN_FRAME_REFUSED, "frameRefused"},
    {IMGC_WARN_STRIP, "strip"},
    {IMGC_WARN_PALETTE_INDEX, "paletteIndex"},
    {IMGC_WARN_CHUNK, "chunk"},
    {IMGC_WARN_SEQUENCE, "sequence"},
    {IMGC_WARN_STRUCTURE, "structure"},
    {IMGC_WARN_RUN_LENGTH, "runLength"},
    {IMGC_WARN_DATA_OFFSET, "dataOffset"},
    {IMGC_WARN_CODE, "code"},
    {IMGC_WARN_PROFILE_IGNORED, "profileIgnored"},
    {IMGC_WARN_ORIENTATION, "orientation"},
    {IMGC_WARN_EXIF, "exif"},
    {IMGC_WARN_HDR_TRANSFER, "hdrTransfer"},
    {IMGC_WARN_TRAILING_DATA, "trailingData"},
    {IMGC_WARN_MISSING_END, "missingEnd"},
    {IMGC_WARN_TAG, "tag"},
    {IMGC_WARN_METADATA_IGNORED, "metadataIgnored"},
};

const char *imgc_warning_name(uint16_t warning) {
  for (size_t i = 0; i < sizeof warning_names / sizeof *warning_names; i++)
    if (warning_names[i].warning == warning) return warning_names[i].name;
  return "unknown";
}

// ---------------------------------------------------------------- limits

imgc_status imgc_check(uint64_t value, uint64_t limit, const char *token, imgc_report *report) {
  if (limit == 0 || value <= limit) return IMGC_OK;
  return imgc_fail(report, IMGC_ERROR_LIMIT, token, "%llu is over the limit of %llu",
                   (unsigned long long)value, (unsigned long long)limit);
}

imgc_status imgc_check_size(const imgc_request *request, uint64_t width, uint64_t height,
                            imgc_report *report) {
  const imgc_limits *limits = &request->limits;
  if (width == 0 || height == 0)
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "size is %llu x %llu",
                     (unsigned long long)width, (unsigned long long)height);
  imgc_status status = imgc_check(width, limits->max_side, "max_side", report);
  if (!status) status = imgc_check(height, limits->max_side, "max_side", report);
  if (!status)
    status = imgc_check(imgc_mul(width, height), limits->max_pixels, "max_pixels", report);
  // Whatever the limits: a stride has to fit into 32 bits and a picture into an address space.
  if (!status && (width > INT32_MAX / 4 || imgc_mul(imgc_mul(width, height), 4) > INT64_MAX / 2))
    status = imgc_fail(report, IMGC_ERROR_LIMIT, "max_side", "%llu x %llu cannot be addressed",
                       (unsigned long long)width, (unsigned long long)height);
  return status;
}

imgc_status imgc_check_memory(const imgc_request *request, uint64_t width, uint64_t height,
                              uint64_t work_bytes, imgc_report *report) {
  uint64_t total = imgc_add(imgc_mul(imgc_mul(width, height), 4), work_bytes);
  if (request->flags & IMGC_RESAMPLES) total = imgc_add(total, request->result_bytes);
  return imgc_check(total, request->limits.max_memory, "max_memory", report);
}
