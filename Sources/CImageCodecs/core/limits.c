// Checks of sizes, memory and work against the limits of a request.

#include "core/limits.h"
#include "core/report.h"

#include <string.h>

// Returns the quantity that the limit with the name `token` bounds, as a plural noun.
static const char *limited_quantity(const char *token) {
  static const struct {
    const char *token, *quantity;
  } quantities[] = {
      {"max_side", "pixels per side"},
      {"max_pixels", "pixels"},
      {"max_memory", "bytes of memory"},
      {"max_scans", "scans"},
      {"max_scan_samples", "samples in all scans together"},
      {"max_pages", "pages"},
      {"max_tile_side", "pixels per side of a tile"},
      {"max_samples_per_pixel", "samples per pixel"},
  };
  for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++)
    if (strcmp(quantities[i].token, token) == 0) return quantities[i].quantity;
  return "units";
}

imgc_status imgc_check(uint64_t value, uint64_t limit, const char *token, imgc_report *report) {
  if (limit == 0 || value <= limit) return IMGC_OK;
  return imgc_fail(report, IMGC_ERROR_LIMIT, token, "%llu %s exceed the limit of %llu",
                   (unsigned long long)value, limited_quantity(token), (unsigned long long)limit);
}

imgc_status imgc_check_size(const imgc_request *request, uint64_t width, uint64_t height,
                            imgc_report *report) {
  const imgc_limits *limits = &request->limits;
  if (width == 0 || height == 0)
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "invalid image size of %llu x %llu pixels",
                     (unsigned long long)width, (unsigned long long)height);
  imgc_status status = imgc_check(width, limits->max_side, "max_side", report);
  if (!status) status = imgc_check(height, limits->max_side, "max_side", report);
  if (!status)
    status = imgc_check(imgc_mul(width, height), limits->max_pixels, "max_pixels", report);
  // Checked without limits too: a stride must fit into 31 bits and an image into the address space.
  if (!status && (width > INT32_MAX / 4 || imgc_mul(imgc_mul(width, height), 4) > INT64_MAX / 2))
    status = imgc_fail(report, IMGC_ERROR_LIMIT, "max_side",
                       "an image of %llu x %llu pixels exceeds 2 GiB per row or 4 EiB in total",
                       (unsigned long long)width, (unsigned long long)height);
  return status;
}

imgc_status imgc_check_memory(const imgc_request *request, uint64_t width, uint64_t height,
                              uint64_t work_bytes, imgc_report *report) {
  uint64_t total = imgc_add(imgc_mul(imgc_mul(width, height), 4), work_bytes);
  if (request->flags & IMGC_RESAMPLES) total = imgc_add(total, request->result_bytes);
  return imgc_check(total, request->limits.max_memory, "max_memory", report);
}

imgc_status imgc_charge(const imgc_request *request, uint64_t units, imgc_report *report) {
  if (!request->work) return IMGC_OK;
  uint64_t sum = request->work->units = imgc_add(request->work->units, units);
  uint64_t limit = request->limits.max_work;
  if (!limit || sum <= limit) return IMGC_OK;
  if (!report) return IMGC_ERROR_LIMIT;
  return imgc_fail(report, IMGC_ERROR_LIMIT, "max_work",
                   "an estimated work of %llu ms exceeds the limit of %llu ms",
                   (unsigned long long)(sum / 1000000), (unsigned long long)(limit / 1000000));
}

bool imgc_work_fits(const imgc_request *request, uint64_t most) {
  if (!imgc_work_is_limited(request)) return true;
  imgc_work *work = request->work;
  uint64_t sum = imgc_add(work->not_counted, most);
  if (imgc_add(work->units, sum) > request->limits.max_work) return false;
  work->not_counted = sum;
  return true;
}
