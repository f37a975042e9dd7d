// The destination of a WebP image: all of it for a still image, a rectangle for a frame.

#ifdef IMGC_WEBP

#include "webp/webp_canvas.h"
#include "core/limits.h"
#include "core/report.h"
#include "webp/webp_prefix.h"
#include "webp/webp_ring.h"

#include <limits.h>

uint64_t imgc_webp_fixed_bytes(const imgc_request *request, const imgc_webp_image *image) {
  uint64_t bytes = imgc_webp_library_bytes(image);
  if (image->is_halved)
    bytes += imgc_mul(imgc_webp_drawn(image, image->width), IMGC_WEBP_HALVED_ROWS * 4);
  else if (request->flags & IMGC_RESAMPLES)
    return bytes;
  // Rows that are not written directly, because they are turned, blended, clipped or halved.
  return bytes + imgc_webp_ring_bytes(image);
}

uint64_t imgc_webp_work_bytes(const imgc_request *request, const imgc_webp_image *image,
                              imgc_report *report) {
  return imgc_webp_fixed_bytes(request, image) + imgc_webp_prefix_bytes(request, image, report);
}

imgc_status imgc_webp_check_memory(const imgc_request *request, uint32_t width, uint32_t rows,
                                   const imgc_webp_image *image, imgc_report *report) {
  // The stream is read only if the limit can be exceeded.
  imgc_report ignored = {0};
  uint64_t most = imgc_webp_fixed_bytes(request, image) + imgc_webp_max_prefix_bytes(image);
  if (imgc_check_memory(request, width, rows, most, &ignored) == IMGC_OK) return IMGC_OK;
  uint64_t work = imgc_webp_work_bytes(request, image, report);
  return report->status ? report->status : imgc_check_memory(request, width, rows, work, report);
}

uint32_t imgc_webp_band_rows(const imgc_webp_image *image) {
  if (image->is_halved) return IMGC_WEBP_BAND;
  // Whole pages: up to one page more than the rows have.
  return imgc_webp_ring_rows(image) + IMGC_WEBP_BAND + 1 + 16384 / ((uint32_t)image->width * 4);
}

// ---------------------------------------------------------------- rows

typedef struct canvas {
  const imgc_dest *dest;
  uint32_t x, y, width; // the rectangle of the image
} canvas;

static void put(void *context, uint32_t y, const uint8_t *rows, size_t stride, uint32_t count) {
  const canvas *c = context;
  const imgc_dest *dest = c->dest;
  imgc_band *band = dest->band;
  y += c->y;
  if (!band) {
    imgc_dest_write_block(dest, c->x, y, c->width, count, rows, stride);
    return;
  }
  if (c->width == dest->width && y == band->first) {
    imgc_band_push_rows(band, rows, stride, count);
    return;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (!imgc_band_advance(band, y + i)) return;
    imgc_dest_clear(dest, 0, y + i, c->x, 1);
    imgc_dest_write_block(dest, c->x, y + i, c->width, 1, rows + i * stride, stride);
    imgc_dest_clear(dest, c->x + c->width, y + i, dest->width, 1);
  }
}

static bool is_direct(const imgc_dest *dest) {
  return !dest->band && imgc_dest_is_direct(dest) && dest->step_y > 0 && dest->step_y <= INT_MAX;
}

imgc_status imgc_webp_draw_still(const imgc_request *request, const imgc_webp_image *image,
                                 uint32_t x, uint32_t y, const imgc_dest *dest,
                                 imgc_report *report) {
  const uint32_t width = imgc_webp_drawn(image, image->width);
  canvas canvas = {dest, x, y, width};
  imgc_webp_output output = {.put = put, .context = &canvas};
  if (is_direct(dest) && !image->is_halved)
    output = (imgc_webp_output){.pixels = imgc_dest_row(dest, y) + (size_t)x * 4,
                                .stride = (size_t)dest->step_y};
  if (imgc_dest_open(dest, IMGC_WEBP_BAND)) return report->status;
  imgc_dest_clear(dest, 0, 0, dest->width, y);
  if (!dest->band) {
    const uint32_t height = imgc_webp_drawn(image, image->height);
    imgc_dest_clear(dest, 0, y, x, height);
    imgc_dest_clear(dest, x + width, y, dest->width, height);
  }
  imgc_dest_commit_rows(dest, y);
  imgc_webp_result result;
  if (imgc_webp_draw(request, image, &output, &result, report)) return report->status;
  report->rows = dest->height;
  if (imgc_webp_report_end(&result, y, report)) return report->status;
  imgc_dest_clear(dest, 0, y + result.rows, dest->width, dest->height);
  return report->status;
}

imgc_status imgc_webp_report_end(const imgc_webp_result *result, uint32_t y, imgc_report *report) {
  if (result->end == IMGC_WEBP_COMPLETE) return IMGC_OK;
  if (result->end == IMGC_WEBP_EXCEEDS) {
    imgc_warn(report, IMGC_WARN_STRUCTURE);
    return IMGC_OK;
  }
  if (result->rows == 0 && result->end == IMGC_WEBP_TRUNCATED)
    return imgc_fail(report, IMGC_ERROR_TRUNCATED, NULL,
                     "webp: data ends before the end of the first row");
  if (result->rows == 0) {
    imgc_warn(report, IMGC_WARN_ENTROPY_DATA);
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "webp: invalid image data");
  }
  if (result->end == IMGC_WEBP_TRUNCATED) {
    imgc_truncated(report, y + result->rows);
  } else {
    report->rows = y + result->rows;
    imgc_warn(report, IMGC_WARN_ENTROPY_DATA);
  }
  return IMGC_OK;
}

#endif
