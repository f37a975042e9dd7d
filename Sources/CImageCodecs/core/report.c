// Reports of a call: failures, warnings and their names, strictness.

#include "core/report.h"

#include <stdarg.h>
#include <stdio.h>

imgc_status imgc_fail(imgc_report *report, imgc_status status, const char *token,
                      const char *format, ...) {
  if (report->status) return report->status;
  report->status = status;
  if (token) snprintf(report->token, sizeof report->token, "%s", token);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(report->message, sizeof report->message, format, arguments);
  va_end(arguments);
  // Makes the message a printable single line, because library messages may contain bytes of the
  // file.
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

imgc_status imgc_enforce_strictness(const imgc_request *request, imgc_report *report) {
  if (report->status) return report->status;
  if (request->strictness >= IMGC_STRICT_ON_TRUNCATED && report->truncated)
    return imgc_fail(report, IMGC_ERROR_TRUNCATED, NULL, "data ends after %u complete rows",
                     report->rows);
  bool any = report->warning_count > 0;
  if ((request->strictness >= IMGC_STRICT_ON_CORRUPT && report->corrupt) ||
      (request->strictness >= IMGC_STRICT_ON_WARNING && any)) {
    // With IMGC_STRICT_ON_CORRUPT the message contains the name of the first defect, otherwise that
    // of the first warning.
    uint16_t first = any ? report->warnings[0] : 0;
    for (uint32_t i = 0; request->strictness == IMGC_STRICT_ON_CORRUPT && i < report->warning_count;
         i++) {
      first = report->warnings[i];
      if (first < IMGC_WARN_PROFILE_IGNORED) break;
    }
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "damaged data: %s",
                     imgc_warning_name(first));
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
