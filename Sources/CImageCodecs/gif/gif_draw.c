// Conversion of palette indices to pixels: row order, clipping, transparency, and handling of
// damaged data.

#include "gif/gif_draw.h"
#include "core/cancel.h"
#include "core/copy.h"
#include "core/dest.h"
#include "core/limits.h"
#include "core/report.h"
#include "gif/gif_lzw.h"
#include "rows/rows.h"

#include <stdlib.h>

enum { INPUT_SIZE = 4096 };
// Units of work: of a pixel, and of a byte of LZW data, which can contain 2 codes without pixels.
enum { WORK_PIXEL = 4, WORK_BYTE = 8 };

// Codes have at most 12 bits (GIF89a, appendix F), and the first codes are one bit longer than the
// code size.
enum { MAX_CODE_SIZE = 11 };

typedef struct draw_state {
  imgc_gif *gif;
  const imgc_gif_image *image;
  const imgc_gif_drawing *to;
  imgc_lzw *lzw;
  uint8_t *row_pixels; // a row of pixels; NULL when canvas rows are written directly
  uint32_t visible_columns, visible_rows; // part of the image on the canvas
  uint32_t palette[256];
  uint8_t input[INPUT_SIZE];
} draw_state;

uint64_t imgc_gif_work_bytes(uint32_t width, uint32_t height) {
  return IMGC_GIF_LIBRARY_BYTES + sizeof(draw_state) + imgc_lzw_bytes(width, height) +
         (uint64_t)width * 4;
}

// ---------------------------------------------------------------- interlacing

// GIF89a, appendix E: every 8th row from 0, every 8th from 4, every 4th from 2, every 2nd from 1.
static uint32_t stored_position(const imgc_gif_image *image, uint32_t y) {
  if (!image->interlaced) return y;
  uint32_t first = (image->height + 7) / 8, second = (image->height + 3) / 8,
           third = (image->height + 1) / 4;
  if (y % 8 == 0) return y / 8;
  if (y % 8 == 4) return first + y / 8;
  if (y % 4 == 2) return first + second + y / 4;
  return first + second + third + y / 2;
}

typedef struct row_order {
  uint32_t y, step;
} row_order;

static row_order first_row(const imgc_gif_image *image) {
  return (row_order){.y = 0, .step = image->interlaced ? 8 : 1};
}

// Returns false after the last row.
static bool next_row(row_order *order, const imgc_gif_image *image) {
  static const uint8_t start_of_pass[] = {0, 4, 2, 1}, step_of_pass[] = {8, 8, 4, 2};
  order->y += order->step;
  if (!image->interlaced) return order->y < image->height;
  while (order->y >= image->height) {
    // The row numbers of the first pass are 0 modulo 8, those of the second pass 4 modulo 8, those
    // of the third pass 2 modulo 4.
    unsigned pass = order->step == 2 ? 3 : order->step == 4 ? 2 : order->y % 8 == 4 ? 1 : 0;
    if (++pass > 3) return false;
    order->y = start_of_pass[pass];
    order->step = step_of_pass[pass];
  }
  return true;
}

// ---------------------------------------------------------------- one row

// Does not change canvas pixels where the index is transparent. Most pixels of animation frames are
// transparent, so eight pixels are tested at once.
static void draw_over(uint8_t *dst, const uint8_t *src, size_t n, const uint32_t palette[256],
                      uint8_t transparent) {
  uint64_t eight = transparent * UINT64_C(0x0101010101010101);
  size_t i = 0;
  while (i < n) {
    uint64_t indices;
    if (n - i >= 8) {
      imgc_copy(&indices, src + i, 8);
      if (indices == eight) {
        i += 8;
        continue;
      }
    }
    size_t end = n - i < 8 ? n : i + 8;
    for (; i < end; i++) {
      uint32_t pixel;
      imgc_copy(&pixel, dst + i * 4, 4);
      pixel = src[i] == transparent ? pixel : palette[src[i]];
      imgc_copy(dst + i * 4, &pixel, 4);
    }
  }
}

// Draws the first `visible_columns` pixels of row `y` of the image.
static void draw_row(const draw_state *d, uint32_t y, const uint8_t *indices,
                     uint32_t visible_columns) {
  const imgc_gif_drawing *to = d->to;
  if (!imgc_dest_is_direct(to->canvas)) {
    imgc_row_index8(d->row_pixels, indices, visible_columns, d->palette);
    imgc_dest_write_block(to->canvas, to->x, to->y + y, visible_columns, 1, d->row_pixels, 0);
    return;
  }
  uint8_t *dst = imgc_dest_row(to->canvas, to->y + y) + (size_t)to->x * 4;
  if (to->keep_transparent && d->image->transparent_index >= 0)
    draw_over(dst, indices, visible_columns, d->palette, (uint8_t)d->image->transparent_index);
  else
    imgc_row_index8(dst, indices, visible_columns, d->palette);
}

// Returns the indices of the next row; NULL when there is no further row. Then `*state` contains
// the reason; INPUT means the end of the data, or a failed poll.
static const uint8_t *decode_row(draw_state *d, imgc_lzw_state *state) {
  const uint8_t *row = imgc_lzw_row(d->lzw);
  while (!row) {
    *state = imgc_lzw_run(d->lzw);
    row = imgc_lzw_row(d->lzw); // in every state: rows before an end or error are valid
    if (row || *state == IMGC_LZW_OUTPUT) continue;
    if (*state != IMGC_LZW_INPUT) return NULL;
    size_t count = imgc_gif_read_data(d->gif, d->input, sizeof d->input);
    if (count == 0 || imgc_poll(d->gif->request, d->gif->report) ||
        imgc_charge(d->gif->request, count * WORK_BYTE, d->gif->report))
      return NULL;
    imgc_lzw_feed(d->lzw, d->input, count);
  }
  return row;
}

// ---------------------------------------------------------------- the image

// Reports and handles missing rows: `done` rows in stored order are complete, and row `y` may be
// partly decoded.
static imgc_status report_damage(draw_state *d, uint32_t done, uint32_t y, imgc_lzw_state state) {
  imgc_report *report = d->gif->report;
  const imgc_gif_image *image = d->image;
  if (report->status) return report->status; // cancelled or failed in a poll
  if (state == IMGC_LZW_NO_MEMORY)
    return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "gif: out of memory");
  if (state == IMGC_LZW_INVALID) {
    imgc_warn(report, IMGC_WARN_CODE);
    if (!d->to->keep_rows_before_error || done == 0) {
      imgc_warn(report, IMGC_WARN_FRAME_REFUSED);
      return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "gif: invalid LZW code after %u rows",
                       done);
    }
  }
  uint32_t complete = 0;
  while (complete < d->visible_rows && stored_position(image, complete) < done) complete++;
  report->rows = d->to->y + complete;
  if (state != IMGC_LZW_INVALID) {
    if (d->to->keep_rows_before_error && done == 0)
      return imgc_fail(report, IMGC_ERROR_TRUNCATED, NULL,
                       "gif: data ends before the end of the first row");
    imgc_truncated(report, report->rows);
  }
  for (uint32_t i = complete; d->to->clear_missing_rows && i < d->visible_rows; i++)
    if (stored_position(image, i) >= done)
      imgc_dest_clear(d->to->canvas, d->to->x, d->to->y + i, d->visible_columns, 1);
  uint32_t visible_columns;
  const uint8_t *indices = imgc_lzw_partial_row(d->lzw, &visible_columns);
  if (visible_columns > d->visible_columns) visible_columns = d->visible_columns;
  if (y < d->visible_rows && visible_columns > 0) draw_row(d, y, indices, visible_columns);
  return IMGC_OK;
}

static imgc_status draw_rows(draw_state *d) {
  imgc_lzw_state state = IMGC_LZW_INPUT;
  row_order order = first_row(d->image);
  uint32_t done = 0;
  do {
    if (done % 16 == 0 && imgc_poll(d->gif->request, d->gif->report)) break;
    const uint8_t *row = decode_row(d, &state);
    if (!row) break;
    if (order.y < d->visible_rows) draw_row(d, order.y, row, d->visible_columns);
    done++;
    // Rows below the canvas are not decoded, unless rows on the canvas follow.
  } while (next_row(&order, d->image) && (order.y < d->visible_rows || d->image->interlaced));
  d->gif->report->rows = d->to->y + d->visible_rows;
  if (d->gif->report->status) return d->gif->report->status;
  bool all = done == d->image->height || (!d->image->interlaced && done == d->visible_rows);
  return all ? IMGC_OK : report_damage(d, done, order.y, state);
}

imgc_status imgc_gif_draw(imgc_gif *gif, const imgc_gif_image *image, const imgc_gif_drawing *to) {
  imgc_report *report = gif->report;
  if (image->width == 0 || image->height == 0) return IMGC_OK; // draws nothing
  if (image->code_size < 1 || image->code_size > MAX_CODE_SIZE) {
    imgc_warn(report, IMGC_WARN_CODE);
    imgc_warn(report, IMGC_WARN_FRAME_REFUSED);
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "gif: invalid LZW code size of %u bits",
                     image->code_size);
  }
  if (to->x >= to->canvas->width || to->y >= to->canvas->height) return IMGC_OK;

  uint64_t pixels = (uint64_t)image->width * image->height;
  if (imgc_charge(gif->request, IMGC_WORK_FRAME + pixels * WORK_PIXEL, report))
    return report->status;
  draw_state *d = malloc(sizeof *d);
  if (!d) return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "gif: out of memory");
  d->gif = gif;
  d->image = image;
  d->to = to;
  d->visible_columns = to->canvas->width - to->x;
  if (d->visible_columns > image->width) d->visible_columns = image->width;
  d->visible_rows = to->canvas->height - to->y;
  if (d->visible_rows > image->height) d->visible_rows = image->height;
  imgc_gif_palette(gif, image->transparent_index, d->palette);
  d->row_pixels = imgc_dest_is_direct(to->canvas) ? NULL : malloc((size_t)d->visible_columns * 4);
  d->lzw = imgc_lzw_create(image->width, image->height, image->code_size);
  if (!d->lzw || (!d->row_pixels && !imgc_dest_is_direct(to->canvas)))
    imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "gif: out of memory");
  else
    draw_rows(d);
  imgc_lzw_destroy(d->lzw);
  free(d->row_pixels);
  free(d);
  return report->status;
}
