// Decoding of a coded image by libwebp's incremental decoder.
//
// The decoder receives the data in pieces. After each piece, the complete rows are passed on, and
// the cancel flag is polled. libwebp writes a row once and does not read it afterwards (see
// Docs/decisions/0023-webp-streaming.md), so the rows can be in a ring.

#ifdef IMGC_WEBP

#include "webp/webp_draw.h"
#include "core/cancel.h"
#include "core/limits.h"
#include "core/report.h"
#include "core/scratch.h"
#include "rows/rows.h"
#include "webp/webp_flat.h"
#include "webp/webp_halve.h"
#include "webp/webp_opaque.h"
#include "webp/webp_prefix.h"
#include "webp/webp_ring.h"
#include "webp/webp_stream.h"

#include <string.h>
#include <webp/decode.h>

enum {
  CHUNK_HEADER = 8,
  MAX_PIECE = 65536, // bytes of a lossy image
  // Rows that a piece completes on average, so that the cancel flag is polled at least every 16
  // rows.
  PIECE_ROWS = 12,
  PIECES_PER_RING = 4, // at least
  // After each piece of a lossless image, libwebp decodes up to 8 rows again.
  LOSSLESS_PIECE_ROWS = 256,
  MIN_LOSSLESS_PIECE = 32768,
  DAMAGED_PIECES = 128, // least number of pieces in which a damaged lossless image is decoded again
  ROWS_PER_POLL = 16,   // even
  // A window is decoded with more rows above and below, because the chroma of a row is interpolated
  // with the adjacent rows, and a window starts at an even row.
  WINDOW_MARGIN = 2,
};

typedef struct draw {
  const imgc_request *request;
  imgc_report *report;
  const imgc_webp_image *image;
  const uint8_t *data; // image->size bytes that libwebp decodes
  const imgc_webp_output *output;
  uint8_t *pixels; // of the row `first_row`
  size_t stride;
  uint32_t capacity; // rows at `pixels`
  bool moves;        // every piece starts to write at `pixels`
  size_t piece;      // bytes
  uint8_t *halved;   // IMGC_WEBP_HALVED_ROWS rows of a halved image
  bool makes_opaque; // libwebp can return an alpha below 255 although the image has no alpha bit
  uint32_t done;     // rows of the image that have been written directly or passed on
  WebPDecoderConfig config;
  WebPIDecoder *decoder;
} draw;

// The area that one decoder decodes: the rows from `first` to `end`, of which the rows from `skip`
// (relative to `first`) to `keep` are used.
typedef struct window {
  uint32_t first, end;
  uint32_t skip, keep;
  bool is_whole;
} window;

typedef enum outcome {
  OUTCOME_COMPLETE,
  OUTCOME_SUSPENDED, // all data used
  OUTCOME_DAMAGED,
  OUTCOME_FAILED, // see the report
} outcome;

// ---------------------------------------------------------------- rows

static bool is_opaque(const uint8_t *row, size_t count) {
  uint32_t all = UINT32_MAX;
  for (size_t i = 0; i < count; i++) {
    uint32_t pixel;
    imgc_copy(&pixel, row + i * 4, 4);
    all &= pixel;
  }
  return imgc_le32((const uint8_t *)&all) >> 24 == 255;
}

// Without the alpha bit the image is opaque, even if pixels have an alpha below 255, as in
// libwebp's tools.
static void make_opaque(const draw *d, uint8_t *rows, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    uint8_t *row = rows + i * d->stride;
    if (!is_opaque(row, d->image->width)) imgc_row_rgbx8(row, row, d->image->width);
  }
}

// Converts `count` rows, the first of which is even, and passes them on.
static void put_halved(const draw *d, uint32_t y, const uint8_t *rows, uint32_t count) {
  size_t width = d->image->width, stride = (width + 1) / 2 * 4;
  for (uint32_t i = 0; i < count; i += 2) {
    const uint8_t *upper = rows + i * d->stride, *lower = upper + d->stride;
    imgc_webp_row_pair pair = {
        {upper, i + 1 < count ? lower : upper}, upper + width, lower + width};
    imgc_webp_halve(d->halved + i / 2 * stride, &pair, width);
  }
  d->output->put(d->output->context, y / 2, d->halved, stride, (count + 1) / 2);
}

// Passes on the rows from `from` to `to` of the window, which are at `rows`.
static void put_rows(draw *d, const window *window, uint32_t from, uint32_t to, uint8_t *rows) {
  if (from < window->skip) {
    uint32_t skipped = (to < window->skip ? to : window->skip) - from;
    from += skipped;
    rows += skipped * d->stride;
  }
  if (to > window->keep) to = window->keep;
  if (from >= to) return;
  if (!d->output->put && !d->makes_opaque) {
    d->done = window->first + to;
    return;
  }
  // In batches, so that rows of a lossless image stay in the processor's cache between both steps.
  for (uint32_t count; from < to; from += count, rows += count * d->stride) {
    count = to - from < ROWS_PER_POLL ? to - from : ROWS_PER_POLL;
    if (imgc_poll(d->request, d->report)) return;
    if (d->makes_opaque) make_opaque(d, rows, count);
    if (d->halved)
      put_halved(d, window->first + from, rows, count);
    else if (d->output->put)
      d->output->put(d->output->context, window->first + from, rows, d->stride, count);
    d->done = window->first + from + count;
  }
}

// ---------------------------------------------------------------- pieces

// Returns the number of bytes that the decoder receives in total with the next piece.
static size_t next_end(const draw *d, size_t fed) {
  size_t size = d->image->size, step = d->piece;
  // Until the header of a lossless image is complete, libwebp decodes the header again with every
  // piece. Pieces that grow in proportion limit the number of attempts.
  if (d->image->is_lossless && d->config.output.width == 0 && step < fed / 4) step = fed / 4;
  return size - fed > step ? fed + step : size;
}

// Sets the addresses so that libwebp, which writes row `y` to the start + y * stride, writes the
// row `row` to `pixels`. Integers are used because the start is outside the buffer.
static void set_start(draw *d, uint32_t row) {
  uintptr_t start = (uintptr_t)d->pixels - (uintptr_t)row * d->stride;
  WebPDecBuffer *output = &d->config.output;
  if (d->halved) {
    output->u.YUVA.y = (uint8_t *)start;
    output->u.YUVA.u = (uint8_t *)(start + d->image->width);
    output->u.YUVA.v = (uint8_t *)(start + d->stride + d->image->width);
  } else {
    output->u.RGBA.rgba = (uint8_t *)start;
  }
}

static bool open_decoder(draw *d, const window *window) {
  if (!WebPInitDecoderConfig(&d->config)) return false;
  WebPDecBuffer *output = &d->config.output;
  uint32_t height = window->end - window->first;
  size_t size = (size_t)imgc_mul(d->stride, height);
  output->colorspace = d->halved ? MODE_YUV : MODE_RGBA;
  output->is_external_memory = 1;
  if (d->halved) {
    WebPYUVABuffer *yuv = &output->u.YUVA;
    yuv->y_stride = (int)d->stride;
    yuv->u_stride = yuv->v_stride = (int)d->stride * 2;
    yuv->y_size = yuv->u_size = yuv->v_size = size;
  } else {
    output->u.RGBA.stride = (int)d->stride;
    output->u.RGBA.size = size;
  }
  set_start(d, 0);
  if (!window->is_whole) {
    d->config.options.use_cropping = 1;
    d->config.options.crop_top = (int)window->first;
    d->config.options.crop_width = (int)d->image->width;
    d->config.options.crop_height = (int)height;
  }
  d->decoder = WebPIDecode(NULL, 0, &d->config);
  return d->decoder;
}

// Returns the number of complete rows of the window; for a halved image an even number, or all.
static uint32_t complete_rows(const draw *d, const window *window) {
  int count = 0;
  if (d->config.output.width == 0 || !WebPIDecodedArea(d->decoder, NULL, NULL, NULL, &count))
    return 0;
  uint32_t rows = count > 0 ? (uint32_t)count : 0;
  return d->halved && rows < window->end - window->first ? rows & ~1u : rows;
}

static outcome fail_without_memory(draw *d) {
  imgc_fail(d->report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "webp: out of memory");
  return OUTCOME_FAILED;
}

static outcome decode_lost_rows(draw *d, uint32_t end);

static outcome feed(draw *d, const window *window) {
  uint32_t rows = 0; // complete rows of the window
  for (size_t fed = 0; fed < d->image->size;) {
    if (imgc_poll(d->request, d->report)) return OUTCOME_FAILED;
    fed = next_end(d, fed);
    VP8StatusCode status = WebPIUpdate(d->decoder, d->data, fed);
    uint32_t now = complete_rows(d, window);
    if (now > window->end - window->first) return OUTCOME_DAMAGED;
    if (d->moves && now - rows > d->capacity) {
      outcome outcome = decode_lost_rows(d, now);
      if (outcome != OUTCOME_COMPLETE) return outcome;
      rows = now;
    }
    if (now > rows) {
      put_rows(d, window, rows, now, d->pixels + (d->moves ? 0 : (size_t)rows * d->stride));
      rows = now;
      if (d->report->status) return OUTCOME_FAILED;
    }
    if (d->moves && d->config.output.width) set_start(d, rows);
    if (status == VP8_STATUS_OK || rows >= window->keep) return OUTCOME_COMPLETE;
    if (status == VP8_STATUS_OUT_OF_MEMORY) return fail_without_memory(d);
    if (status != VP8_STATUS_SUSPENDED) return OUTCOME_DAMAGED;
  }
  return OUTCOME_SUSPENDED;
}

// Units of work: of a pixel with the costliest transforms or filters, of a byte of a lossy image.
enum { WORK_LOSSY_PIXEL = 8, WORK_LOSSLESS_PIXEL = 13, WORK_LOSSY_BYTE = 16 };

// Returns the number of prefix codes that libwebp reads. The header of the lossless stream is read
// only if more codes than its size allows could exceed the limit: this takes 1 to 2 % of the time
// in which libwebp decodes an ordinary image. A code has at least 4 bits.
static uint64_t prefix_codes(const draw *d) {
  uint64_t most = (uint64_t)(IMGC_WEBP_MAX_GROUPS + 4) * IMGC_WEBP_CODES;
  if (imgc_mul(d->image->size, 2) < most) most = d->image->size * 2;
  if (imgc_work_fits(d->request, imgc_mul(most, IMGC_WORK_PREFIX_CODE))) return 0;
  return imgc_webp_prefix_codes(d->request, d->image, d->report);
}

// Charges the work of the first `rows` rows.
static imgc_status charge(const draw *d, uint32_t rows) {
  const imgc_webp_image *image = d->image;
  if (!imgc_work_is_limited(d->request)) return IMGC_OK;
  uint64_t pixels = (uint64_t)image->width * rows, units = IMGC_WORK_FRAME;
  if (image->is_lossless || image->alpha_is_coded) {
    units += pixels * WORK_LOSSLESS_PIXEL + prefix_codes(d) * IMGC_WORK_PREFIX_CODE;
  }
  if (!image->is_lossless) units += pixels * WORK_LOSSY_PIXEL + image->size * WORK_LOSSY_BYTE;
  return d->report->status ? d->report->status : imgc_charge(d->request, units, d->report);
}

static outcome decode_window(draw *d, const window *window) {
  if (charge(d, window->end)) return OUTCOME_FAILED;
  if (!open_decoder(d, window)) return fail_without_memory(d);
  outcome outcome = feed(d, window);
  WebPIDelete(d->decoder);
  return outcome;
}

// ---------------------------------------------------------------- windows

// Decodes the rows from `done` to `end` with a second decoder, in windows that fit into the buffer,
// after one piece of data completed more rows than the buffer holds. Every window is decoded from
// the start of the data, and only its rows are written. Flat images have such pieces: macroblocks
// without coefficients need no data after the first partition.
static outcome decode_lost_rows(draw *d, uint32_t end) {
  draw again = *d;
  uint32_t height = d->image->height;
  outcome outcome = OUTCOME_COMPLETE;
  again.moves = false;
  while (again.done < end && outcome == OUTCOME_COMPLETE) {
    window window = {0};
    window.first = again.done > WINDOW_MARGIN ? (again.done - WINDOW_MARGIN) & ~1u : 0;
    window.end = height - window.first > d->capacity ? window.first + d->capacity : height;
    window.skip = again.done - window.first;
    window.keep = window.end - window.first - (window.end < height ? WINDOW_MARGIN : 0);
    if (window.keep > end - window.first) window.keep = end - window.first;
    outcome = decode_window(&again, &window);
  }
  d->done = again.done;
  return outcome;
}

// ---------------------------------------------------------------- the image

// The size of the pieces does not depend on the destination, because it influences how many rows of
// a damaged image are decoded.
static size_t piece_size(const imgc_webp_image *image) {
  uint64_t rows = imgc_webp_ring_rows(image) / PIECES_PER_RING, size = image->size;
  if (image->is_lossless) {
    size = size * LOSSLESS_PIECE_ROWS / image->height;
    return size < MIN_LOSSLESS_PIECE ? MIN_LOSSLESS_PIECE : (size_t)size;
  }
  if (rows > PIECE_ROWS) rows = PIECE_ROWS;
  size = size * (rows ? rows : 1) / image->height;
  return size > MAX_PIECE ? MAX_PIECE : size ? (size_t)size : 1;
}

// Decodes all rows. When libwebp finds damage in a lossless image, it discards the rows of the
// piece; with smaller pieces more rows are kept.
static outcome decode_rows(draw *d) {
  window whole = {.end = d->image->height, .keep = d->image->height, .is_whole = true};
  bool is_flat = d->stride == imgc_webp_row_bytes(d->image) &&
                 imgc_webp_draw_flat(d->request, d->image, d->pixels, d->report);
  if (is_flat) put_rows(d, &whole, 0, whole.end, d->pixels);
  if (!is_flat && d->image->is_lossless && !d->image->has_alpha && !d->report->status)
    d->makes_opaque = !imgc_webp_is_opaque(d->request, d->image, d->report);
  if (d->report->status) return OUTCOME_FAILED;
  if (is_flat) return OUTCOME_COMPLETE;
  outcome outcome = decode_window(d, &whole);
  size_t small = d->image->size / DAMAGED_PIECES + 1;
  if (outcome != OUTCOME_DAMAGED || !d->image->is_lossless || small >= d->piece) return outcome;
  d->piece = small;
  // Rows in the destination are written again.
  if (d->output->put) whole.skip = d->done;
  return decode_window(d, &whole);
}

static outcome draw_direct(draw *d) {
  d->pixels = d->output->pixels;
  d->stride = d->output->stride;
  return decode_rows(d);
}

static outcome draw_buffered(draw *d) {
  const imgc_webp_image *image = d->image;
  imgc_webp_ring ring;
  d->stride = imgc_webp_row_bytes(image);
  imgc_webp_ring_open(&ring, d->request, image);
  if (!ring.pixels) return fail_without_memory(d);
  d->pixels = ring.pixels;
  d->capacity = ring.rows;
  d->moves = ring.addresses > 0;
  outcome outcome = ring.holds_image ? decode_rows(d) : decode_lost_rows(d, image->height);
  imgc_webp_ring_close(&ring, d->request);
  return outcome;
}

static outcome draw_halved(draw *d) {
  size_t size = (size_t)imgc_webp_drawn(d->image, d->image->width) * IMGC_WEBP_HALVED_ROWS * 4;
  d->halved = imgc_scratch_alloc(d->request, size);
  if (!d->halved) return fail_without_memory(d);
  outcome outcome = draw_buffered(d);
  imgc_scratch_free(d->request, d->halved, size);
  return outcome;
}

// libwebp decodes a lossless image only after it has an eighth of the size in the chunk header,
// which can be more than the file has.
static bool waits_for_missing_data(const draw *d) {
  return d->image->is_lossless && imgc_le32(d->data + 4) / 8 >= d->image->size;
}

// Returns a copy of the data whose chunk header has a size that is 1 byte larger than the data, so
// that libwebp still waits for more data at the end. NULL when memory is exhausted.
static uint8_t *copy_with_size(const draw *d) {
  size_t size = d->image->size, payload = size - CHUNK_HEADER + 1;
  uint8_t *copy = imgc_scratch_alloc(d->request, size);
  if (!copy) return NULL;
  memcpy(copy, d->data, size);
  for (int i = 0; i < 4; i++) copy[4 + i] = (uint8_t)(payload >> 8 * i);
  return copy;
}

imgc_status imgc_webp_draw(const imgc_request *request, const imgc_webp_image *image,
                           const imgc_webp_output *output, imgc_webp_result *result,
                           imgc_report *report) {
  draw d = {.request = request,
            .report = report,
            .image = image,
            .data = request->data + image->offset,
            .output = output,
            .piece = piece_size(image)};
  uint8_t *copy = NULL;
  outcome outcome = OUTCOME_FAILED;
  if (waits_for_missing_data(&d) && !(d.data = copy = copy_with_size(&d)))
    fail_without_memory(&d);
  else
    outcome = image->is_halved ? draw_halved(&d)
              : output->pixels ? draw_direct(&d)
                               : draw_buffered(&d);
  imgc_scratch_free(request, copy, image->size);
  result->rows = imgc_webp_drawn(image, d.done);
  bool has_all_rows = outcome == OUTCOME_COMPLETE && d.done == image->height;
  if (image->is_truncated && (has_all_rows || outcome == OUTCOME_SUSPENDED))
    result->end = IMGC_WEBP_TRUNCATED;
  else if (has_all_rows)
    result->end = image->exceeds_frame ? IMGC_WEBP_EXCEEDS : IMGC_WEBP_COMPLETE;
  else
    result->end = IMGC_WEBP_DAMAGED;
  return report->status;
}

// ---------------------------------------------------------------- memory

// Upper bounds of libwebp 1.2 to 1.5. Fixed: the decoder structs and tables. Per macroblock column
// of a lossy image: prediction modes, top samples, coefficients, and 24 rows of luma and chroma.
enum { FIXED_BYTES = 65536, MACROBLOCK_BYTES = 2200 };

// A lossless image of w x h: the pixels, a row above, 16 rows of output, and the two transforms and
// the entropy image with up to one value per 4 x 4 pixels each.
static uint64_t lossless_bytes(uint64_t width, uint64_t height) {
  uint64_t pixels = imgc_mul(width, height + 18), blocks = (width / 4 + 1) * (height / 4 + 1);
  return pixels * 4 + blocks * 12;
}

uint64_t imgc_webp_library_bytes(const imgc_webp_image *image) {
  uint64_t width = image->width, height = image->height, pixels = width * height;
  if (image->is_lossless) return FIXED_BYTES + lossless_bytes(width, height);
  // Two decoders exist while lost rows are decoded.
  uint64_t bytes = 2 * (FIXED_BYTES + (width / 16 + 1) * MACROBLOCK_BYTES + width * 2 + 64);
  if (image->has_alpha_chunk) bytes += pixels * 2;
  if (image->alpha_is_coded) bytes += lossless_bytes(width, height);
  return bytes;
}

#endif
