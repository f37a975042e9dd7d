// Decoding of JPEG rows into the destination, and reporting of damage.

#include "jpeg/jpeg_rows.h"
#include "color/color.h"
#include "core/cancel.h"
#include "core/dest.h"
#include "core/limits.h"
#include "core/report.h"
#include "jpeg/baseline/jpeg_baseline.h"
#include "jpeg/jpeg_library.h"
#include "jpeg/jpeg_scans.h"
#include "jpeg/jpeg_start.h"
#include "jpeg/jpeg_work.h"
#include "rows/rows.h"

#include <limits.h>
#include <stdlib.h>

// ---------------------------------------------------------------- intact rows

// Returns true when no later scan can change the image: the scans contained all bits of all
// coefficients of every component.
static bool is_last_scan(const struct jpeg_decompress_struct *cinfo) {
  for (int i = 0; i < cinfo->num_components; i++) {
    if (!cinfo->comp_info[i].quant_table) return false; // set by the component's first scan
    for (int k = 0; k < DCTSIZE2 && cinfo->coef_bits; k++)
      if (cinfo->coef_bits[i][k] != 0) return false;
  }
  return true;
}

// Returns the number of rows from the top that do not depend on missing data, when the input ended
// in iMCU row `row` of the scan.
static uint32_t rows_before(const struct jpeg_decompress_struct *cinfo, uint32_t row) {
  uint32_t rows = row * (uint32_t)(cinfo->max_v_samp_factor * IMGC_JPEG_MIN_DCT_SIZE(cinfo));
  // With smooth ("fancy") upsampling the last of these rows also depends on the next chroma row,
  // which is missing.
  for (int i = 0; i < cinfo->num_components && rows; i++)
    if (cinfo->comp_info[i].v_samp_factor < cinfo->max_v_samp_factor) {
      rows--;
      break;
    }
  return rows < cinfo->output_height ? rows : cinfo->output_height;
}

// Checks for missing data, and sets the fields about missing data when they are not set yet. Sets
// intact_rows when data is missing. Must be called before the decompressor is destroyed.
static void find_intact_rows(jpeg_state *s) {
  const struct jpeg_decompress_struct *cinfo = &s->cinfo;
  // An arithmetic decoder without input reads zeros and does not warn. When the bytes end between
  // two scans, the later scans are missing.
  bool is_multiple = jpeg_has_multiple_scans((j_decompress_ptr)&s->cinfo);
  if (s->ended && !s->data_is_missing &&
      ((cinfo->arith_code && s->end_row < cinfo->total_iMCU_rows) ||
       (is_multiple && !is_last_scan(cinfo)))) {
    s->data_is_missing = true;
    s->missing_row = s->end_row;
    s->missing_scan = (uint32_t)cinfo->input_scan_number;
  }
  if (!s->data_is_missing) return;
  s->intact_rows = is_multiple && !is_last_scan(cinfo) ? 0 : rows_before(cinfo, s->missing_row);
  // An image without a complete row is an error. In a progressive image, a row is complete, with
  // lower quality, after the first scan that contains it.
  if (s->missing_scan <= 1 && rows_before(cinfo, s->missing_row) == 0)
    imgc_fail(s->report, IMGC_ERROR_TRUNCATED, NULL,
              "jpeg: data ends at byte %zu, before the end of the first row", s->size);
}

// Returns true when an EOI marker follows. In files with a single scan, libjpeg does not read this
// marker after the last row.
static bool eoi_follows(jpeg_state *s) {
  if (s->ended) return false;
  if (s->cinfo.unread_marker == JPEG_EOI || jpeg_input_complete(&s->cinfo)) return true;
  const uint8_t *data = s->source.next_input_byte;
  for (size_t left = s->source.bytes_in_buffer, i = 1; i < left; i++)
    if (data[i - 1] == 0xFF && data[i] == JPEG_EOI) return true;
  return false;
}

// ---------------------------------------------------------------- rows

// Writes the buffered rows to the destination.
static void flush(jpeg_state *s) {
  const imgc_dest *dest = s->dest;
  uint32_t n = s->buffered_rows, width = dest->width;
  s->buffered_rows = 0;
  const imgc_transform *transform = s->request->cmyk_transform;
  for (uint32_t i = 0; i < n && s->cmyk; i++) {
    const uint8_t *src = s->cmyk + i * s->stride;
    uint8_t *dst = s->band ? s->band + i * s->stride : imgc_dest_row(dest, s->rows + i);
    if (transform && imgc_transform_is_cmyk(transform))
      imgc_transform_cmyk_row(transform, dst, src, width);
    else
      imgc_row_cmyk8_inverted(dst, src, width);
  }
  if (s->band) imgc_dest_write_block(dest, 0, s->rows, width, n, s->band, s->stride);
  s->rows += n;
  imgc_dest_commit_rows(dest, s->rows);
}

// Returns the first row of the destination to write. After a restart, rows that the band buffer has
// already pushed are decoded again; they are written to the start of the band.
static uint32_t first_row(const jpeg_state *s) {
  const imgc_band *band = s->dest->band;
  return band && band->first > s->rows ? band->first : s->rows;
}

// Reads `count` rows. Returns false when the native baseline decoder cannot continue.
static bool read_rows(jpeg_state *s, uint32_t count) {
  JSAMPROW rows[IMGC_JPEG_BAND];
  uint8_t *buffer = s->cmyk ? s->cmyk : s->band;
  uint32_t first = first_row(s);
  for (uint32_t i = 0; i < count; i++)
    rows[i] = buffer ? buffer + i * s->stride : imgc_dest_row(s->dest, first + i);
  if (s->baseline) {
    s->baseline_failed = !imgc_jpeg_baseline_read(s->baseline, rows, count);
    s->buffered_rows = s->baseline_failed ? 0 : count;
    return !s->baseline_failed;
  }
  // The source never suspends, so a call of libjpeg that returns no row is an internal error.
  for (JDIMENSION got = 1; got && s->buffered_rows < count; s->buffered_rows += got)
    got = jpeg_read_scanlines(&s->cinfo, rows + s->buffered_rows, count - s->buffered_rows);
  if (s->buffered_rows < count)
    imgc_fail(s->report, IMGC_ERROR_INTERNAL, NULL, "jpeg: libjpeg-turbo returned no row");
  return true;
}

static void allocate(jpeg_state *s) {
  s->stride = (size_t)s->dest->width * 4;
  size_t size = s->stride * IMGC_JPEG_BAND;
  bool needs_band = !imgc_dest_is_direct(s->dest);
  bool needs_cmyk = s->cinfo.out_color_space == JCS_CMYK;
  if (needs_band && !s->band) s->band = malloc(size);
  if (needs_cmyk && !s->cmyk) s->cmyk = malloc(size);
  if ((needs_band && !s->band) || (needs_cmyk && !s->cmyk))
    imgc_fail(s->report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "jpeg: out of memory");
  // A second decode of the image reuses the band buffer of the first decode.
  if (!s->dest->band || !s->dest->band->pixels) imgc_dest_open(s->dest, IMGC_JPEG_BATCH);
}

// Starts the native baseline decoder if it supports the file, has not failed before, and the
// request does not have IMGC_LIBRARIES_ONLY. Otherwise starts libjpeg.
static void start_rows(jpeg_state *s) {
  if (!s->baseline_failed && !s->ended && !(s->request->flags & IMGC_LIBRARIES_ONLY))
    s->baseline = imgc_jpeg_baseline_open(&s->cinfo, s->request->flags);
  if (s->baseline) return;
  s->reads_all_scans = jpeg_has_multiple_scans(&s->cinfo);
  jpeg_start_decompress(&s->cinfo);
  s->reads_all_scans = false;
}

// Moves libjpeg's source to the position after the data that the native decoder has read.
static void end_baseline(jpeg_state *s) {
  const uint8_t *next = imgc_jpeg_baseline_next(s->baseline);
  s->source.bytes_in_buffer -= (size_t)(next - s->source.next_input_byte);
  s->source.next_input_byte = next;
}

static void decode_step(jpeg_state *s) {
  imgc_jpeg_start(s);
  struct jpeg_decompress_struct *cinfo = &s->cinfo;
  const imgc_dest *dest = s->dest;
  uint64_t memory = s->request->limits.max_memory;
  if (cinfo->output_width != dest->width || cinfo->output_height != dest->height)
    imgc_fail(s->report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
              "jpeg: the destination does not have the image size of %u x %u pixels",
              cinfo->output_width, cinfo->output_height);
  imgc_jpeg_exit_if_failed(s);
  // imgc_jpeg_start has checked the estimated memory; this limit applies when libjpeg needs more.
  if (memory) {
    memory -=
        (uint64_t)dest->width * 4 * imgc_rows_in_memory(s->request, dest->height, IMGC_JPEG_BATCH);
    if (s->request->flags & IMGC_RESAMPLES) memory -= s->request->result_bytes;
    cinfo->mem->max_memory_to_use = memory < LONG_MAX ? (long)memory : LONG_MAX;
  }

  allocate(s);
  imgc_jpeg_exit_if_failed(s);

  start_rows(s);
  if (s->ended) find_intact_rows(s);
  uint32_t batch = s->band ? IMGC_JPEG_BAND : IMGC_JPEG_BATCH;
  for (uint32_t y = 0; y < dest->height; y += batch) {
    imgc_poll(s->request, s->report);
    imgc_jpeg_exit_if_failed(s);
    if (!read_rows(s, dest->height - y < batch ? dest->height - y : batch)) return;
    if (s->ended && !s->intact_rows) find_intact_rows(s);
    imgc_jpeg_exit_if_failed(s);
    flush(s);
  }
  if (s->baseline) end_baseline(s);
  find_intact_rows(s);
  s->has_end = eoi_follows(s);
  s->is_complete = true;
}

// ---------------------------------------------------------------- decode

static imgc_status report_result(jpeg_state *s) {
  imgc_report *report = s->report;
  if (report->status) return report->status;
  if (s->buffered_rows) flush(s);
  if (s->rows == 0) return imgc_jpeg_fail(s);
  if (!s->is_complete) {
    if (s->failed) imgc_warn(report, IMGC_WARN_MARKER);
    imgc_dest_clear(s->dest, 0, s->rows, s->dest->width, s->dest->height - s->rows);
  } else if (s->is_repaired) {
    // This second decode stops before the part that libjpeg rejected, so a missing end or missing
    // data is not reported.
  } else if (s->data_is_missing) {
    imgc_truncated(report, s->intact_rows);
  } else if (!s->has_end) {
    imgc_warn(report, IMGC_WARN_MISSING_END);
  }
  return report->status;
}

static void restart_decode(jpeg_state *s) {
  s->failed = s->ended = s->data_is_missing = s->reads_all_scans = false;
  s->scan = 0;
  imgc_jpeg_run(s, decode_step);
}

// libjpeg decodes all rows again; the rows that the band buffer has already pushed are identical.
static void restart_with_libjpeg(jpeg_state *s, const imgc_report *before) {
  imgc_jpeg_baseline_close(s->baseline);
  s->baseline = NULL;
  s->rows = 0;
  *s->report = *before;
  restart_decode(s);
}

imgc_status imgc_jpeg_decode(const imgc_request *request, const imgc_dest *dest,
                             imgc_report *report) {
  jpeg_markers markers;
  if (imgc_jpeg_open(request, &markers, report)) return report->status;
  jpeg_state s = {.request = request, .report = report, .size = request->size, .dest = dest};
  imgc_jpeg_select_skipped_scans(request, &s.skipped_scans);
  if (imgc_jpeg_charge(&s, &markers)) return report->status;
  const imgc_report before = *report;
  imgc_jpeg_run(&s, decode_step);
  if (!report->status && s.baseline_failed) restart_with_libjpeg(&s, &before);
  // libjpeg reports an error that the scan parser did not detect: decode again without skipping
  // scans.
  if (!report->status && s.skipped_scans.count > 0 && s.failed && s.rows == 0 &&
      s.buffered_rows == 0) {
    s.skipped_scans.count = 0;
    restart_decode(&s);
  }
  // libjpeg failed in a later scan: decode again up to the last scan that it accepted.
  if (!report->status && s.failed && s.reads_all_scans && s.safe_size < s.size) {
    s.is_repaired = !s.ended;
    if (s.is_repaired) imgc_warn(report, IMGC_WARN_MARKER);
    s.size = s.safe_size;
    restart_decode(&s);
  }
  report_result(&s);
  imgc_jpeg_baseline_close(s.baseline);
  free(s.band);
  free(s.cmyk);
  return report->status;
}
