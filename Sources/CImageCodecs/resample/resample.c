// The resampler: receives source rows, writes output rows, and stores only the horizontally
// filtered rows that are needed for the next output row.

#include "core/copy.h"
#include "core/cpu_features.h"
#include "resample/resample_kernels.h"

#include <math.h>
#include <stdlib.h>

// Format of the planes into which a source row is split.
typedef struct row_format {
  bool is_opaque; // all alpha values are 255
  bool is_fine;   // four planes with IMGC_FINE_BITS, otherwise three of 8-bit samples
} row_format;

struct imgc_resampler {
  imgc_resample_request request;
  const imgc_resample_kernels *kernels;
  imgc_cancel *cancel;               // may be NULL
  imgc_windows horizontal, vertical; // horizontal windows are relative to `column`
  uint32_t column, columns; // first source column that contributes, and number of these columns
  uint32_t pushed, done;    // source rows received, output rows written
  uint32_t translucent;     // end of the rows with an alpha below 255
  row_format formats[2];
  size_t plane;       // samples of a plane: `columns`, and zeros that a window may read after them
  int16_t *planes;    // eight: R G B A of an even source row, then of the next row
  size_t ring_stride; // samples of a row of pairs
  int16_t *ring;      // vertical.taps / 2 rows of pairs
  const int16_t **pairs;    // [vertical.taps / 2], for one output row
  int32_t *sums;            // one output row in linear light before the conversion to sRGB
  imgc_light_tables *light; // NULL unless filtering in linear light
  bool is_cancelled; // cancelled: the ring buffer no longer contains the rows of later outputs
};

static bool is_in_range(const imgc_resample_request *r) {
  const uint32_t max = 1u << 20;
  if (r->source_width == 0 || r->source_height == 0 || r->width == 0 || r->height == 0) {
    return false;
  }
  if (r->source_width > max || r->source_height > max) return false;
  if (r->width > max || r->height > max) return false;
  if ((unsigned)r->filter > IMGC_FILTER_LANCZOS3) return false;
  // These comparisons are false for NaN.
  return r->crop_x >= 0 && r->crop_y >= 0 && r->crop_width > 0 && r->crop_height > 0 &&
         r->crop_x + r->crop_width <= r->source_width &&
         r->crop_y + r->crop_height <= r->source_height;
}

// Uses the nearest sample in a dimension in which the crop starts at a whole pixel and has the
// output size, because some filters would modify the samples.
static imgc_filter filter_for(const imgc_resample_request *r, double start, double length,
                              uint32_t count) {
  return length == count && start == floor(start) ? IMGC_FILTER_NEAREST : r->filter;
}

static imgc_axis horizontal_axis(const imgc_resample_request *r) {
  return (imgc_axis){filter_for(r, r->crop_x, r->crop_width, r->width),
                     r->source_width,
                     r->crop_x,
                     r->crop_width,
                     r->width,
                     8,
                     1};
}

// Source rows are processed in pairs, so windows start at even rows.
static imgc_axis vertical_axis(const imgc_resample_request *r) {
  return (imgc_axis){filter_for(r, r->crop_y, r->crop_height, r->height),
                     r->source_height,
                     r->crop_y,
                     r->crop_height,
                     r->height,
                     2,
                     2};
}

// ---------------------------------------------------------------- memory: one block

typedef struct block {
  uint8_t *base; // NULL: only count the bytes
  uint64_t used;
} block;

static void *reserve(block *b, uint64_t bytes) {
  void *at = b->base == NULL ? NULL : b->base + b->used;
  b->used += (bytes + 31) / 32 * 32;
  return at;
}

// The sizes cannot overflow: widths and heights are at most 2^20, and the number of weights per
// output sample (taps) is at most a few larger than the source size.
static void assign_memory(imgc_resampler *r, double **real, block *b) {
  const imgc_resample_request *request = &r->request;
  const imgc_axis horizontal = horizontal_axis(request), vertical = vertical_axis(request);
  const uint64_t width = request->width, height = request->height;
  const uint64_t horizontal_taps = imgc_windows_taps(&horizontal),
                 vertical_taps = imgc_windows_taps(&vertical);
  r->horizontal.first = reserve(b, width * sizeof *r->horizontal.first);
  r->horizontal.weights = reserve(b, width * horizontal_taps * sizeof *r->horizontal.weights);
  r->vertical.first = reserve(b, height * sizeof *r->vertical.first);
  r->vertical.weights = reserve(b, height * vertical_taps * sizeof *r->vertical.weights);
  *real = reserve(b, (horizontal_taps > vertical_taps ? horizontal_taps : vertical_taps) *
                         sizeof **real);
  r->plane = request->source_width + horizontal_taps;
  r->planes = reserve(b, r->plane * 8 * sizeof *r->planes);
  const uint64_t padded =
      (width + IMGC_PIXELS_PER_STEP - 1) / IMGC_PIXELS_PER_STEP * IMGC_PIXELS_PER_STEP;
  r->ring_stride = padded * 8;
  r->ring = reserve(b, padded * 8 * (vertical_taps / 2) * sizeof *r->ring);
  r->pairs = reserve(b, vertical_taps / 2 * sizeof *r->pairs);
  if ((request->flags & IMGC_RESAMPLE_LINEAR) != 0) {
    r->sums = reserve(b, padded * 4 * sizeof *r->sums);
    r->light = reserve(b, sizeof *r->light);
  }
}

uint64_t imgc_resampler_bytes(const imgc_resample_request *request) {
  if (!is_in_range(request)) return 0;
  imgc_resampler measured = {.request = *request};
  block b = {.base = NULL, .used = 0};
  double *real;
  reserve(&b, sizeof measured);
  assign_memory(&measured, &real, &b);
  return b.used;
}

static const imgc_resample_kernels *kernels_for(uint32_t flags) {
#ifdef IMGC_RESAMPLE_AVX2
  if ((flags & IMGC_RESAMPLE_PORTABLE) == 0 && IMGC_CPU_HAS_AVX2) {
    return &imgc_resample_avx2;
  }
#endif
  (void)flags;
  return &imgc_resample_plain;
}

imgc_status imgc_resampler_create(const imgc_resample_request *request,
                                  imgc_resampler **resampler) {
  *resampler = NULL;
  const uint64_t bytes = imgc_resampler_bytes(request);
  if (bytes == 0) return IMGC_ERROR_INVALID_ARGUMENT;
  // The memory is zeroed, because the kernels also read samples after a window; their weight is 0.
  imgc_resampler *r = bytes <= PTRDIFF_MAX ? calloc(1, (size_t)bytes) : NULL;
  if (r == NULL) return IMGC_ERROR_OUT_OF_MEMORY;
  block b = {.base = (uint8_t *)r, .used = 0};
  double *real;
  reserve(&b, sizeof *r);
  r->request = *request;
  r->kernels = kernels_for(request->flags);
  assign_memory(r, &real, &b);
  const imgc_axis horizontal = horizontal_axis(request), vertical = vertical_axis(request);
  imgc_windows_fill(&r->horizontal, &horizontal, real);
  imgc_windows_fill(&r->vertical, &vertical, real);
  r->column = r->horizontal.first[0];
  r->columns = r->horizontal.end - r->column;
  for (uint32_t x = 0; x < request->width; x++) r->horizontal.first[x] -= r->column;
  if (r->light != NULL) imgc_light_fill(r->light);
  *resampler = r;
  return IMGC_OK;
}

void imgc_resampler_destroy(imgc_resampler *r) { free(r); }

void imgc_resampler_watch(imgc_resampler *r, imgc_cancel *cancel) { r->cancel = cancel; }

// ---------------------------------------------------------------- rows

// Returns the end of the range of source rows from which an output row is computed.
static uint32_t end_of(const imgc_resampler *r, uint32_t output) {
  uint32_t end = r->vertical.first[output] + r->vertical.taps;
  return end < r->vertical.end ? end : r->vertical.end;
}

void imgc_resampler_rows(const imgc_resampler *r, uint32_t *first, uint32_t *end) {
  *first = r->vertical.first[0];
  *end = r->vertical.end;
}

// Returns the index of the source sample that is copied to the output sample with index `output`.
static uint32_t copied_sample(const imgc_windows *windows, uint32_t output) {
  const int16_t *weights = windows->weights + (size_t)output * windows->taps;
  uint32_t at = 0;
  while (weights[at] == 0) at++;
  return windows->first[output] + at;
}

static bool poll_cancel(imgc_resampler *r) {
  if (r->done % 16 == 15 && imgc_cancel_poll(r->cancel) != IMGC_OK) r->is_cancelled = true;
  return r->is_cancelled;
}

static void copy_rows(imgc_resampler *r, const uint8_t *row, uint32_t y, uint8_t *pixels,
                      size_t stride) {
  row += (size_t)r->column * 4;
  while (r->done < r->request.height && copied_sample(&r->vertical, r->done) == y) {
    uint8_t *to = pixels + r->done * stride;
    for (uint32_t x = 0; x < r->request.width; x++) {
      imgc_copy(to + (size_t)x * 4, row + (size_t)copied_sample(&r->horizontal, x) * 4, 4);
    }
    r->done++;
    if (poll_cancel(r)) return;
  }
}

// Splits the row into the planes for even or odd rows.
static void split_planes(imgc_resampler *r, const uint8_t *row, uint32_t y) {
  int16_t *planes = r->planes + (y & 1) * 4 * r->plane;
  row += (size_t)r->column * 4;
  row_format format = {.is_opaque = (r->request.flags & IMGC_RESAMPLE_OPAQUE) != 0};
  if (r->light != NULL) {
    format.is_opaque =
        imgc_light_split_planes(planes, r->plane, row, r->columns, format.is_opaque, r->light);
    format.is_fine = true;
  } else if (format.is_opaque) {
    r->kernels->split_planes(planes, r->plane, row, r->columns);
  } else {
    // If the previous row is translucent, this row usually is too, so the opaque format is not
    // tried.
    if (r->translucent < y || y == 0) {
      format.is_opaque = r->kernels->split_planes(planes, r->plane, row, r->columns);
    }
    if (!format.is_opaque) {
      format.is_opaque = r->kernels->split_planes_alpha(planes, r->plane, row, r->columns);
      format.is_fine = true;
    }
  }
  if (!format.is_opaque) r->translucent = y + 1;
  r->formats[y & 1] = format;
}

// Converts a row of 8-bit samples to fixed point with IMGC_FINE_BITS fraction bits, and adds an
// opaque alpha plane.
static void refine(imgc_resampler *r, unsigned row) {
  int16_t *planes = r->planes + row * 4 * r->plane;
  for (uint32_t c = 0; c < 3; c++) {
    for (uint32_t x = 0; x < r->columns; x++) planes[c * r->plane + x] *= 1 << IMGC_FINE_BITS;
  }
  for (uint32_t x = 0; x < r->columns; x++) planes[3 * r->plane + x] = IMGC_FINE_ONE;
}

// Filters a pair of source rows horizontally, into the ring buffer.
static void filter_rows_horizontally(imgc_resampler *r, uint32_t y) {
  row_format *formats = r->formats;
  if (y % 2 == 0) formats[1] = formats[0]; // the pair's other row has weight 0
  if (formats[0].is_fine != formats[1].is_fine) refine(r, formats[0].is_fine ? 1 : 0);
  const bool is_fine = formats[0].is_fine || formats[1].is_fine;
  const bool is_opaque = formats[0].is_opaque && formats[1].is_opaque;
  const unsigned shift = IMGC_WEIGHT_BITS - IMGC_PAIR_BITS + (is_fine ? IMGC_FINE_BITS : 0);
  r->kernels->horizontal(r->ring + y / 2 % (r->vertical.taps / 2) * r->ring_stride, r->planes,
                         r->plane, &r->horizontal, is_opaque ? 3 : 4, shift);
}

// Filters vertically, from the ring buffer.
static void filter_row_vertically(imgc_resampler *r, uint8_t *to) {
  const uint32_t count = r->vertical.taps / 2, width = r->request.width;
  const uint32_t first = r->vertical.first[r->done];
  const int16_t *weights = r->vertical.weights + (size_t)r->done * r->vertical.taps;
  // Rows below the source have weight 0, so any row can be used for them.
  for (uint32_t k = 0; k < count; k++) {
    r->pairs[k] = r->ring + (first / 2 + k) % count * r->ring_stride;
  }
  if (r->light != NULL) {
    r->kernels->vertical_sums(r->sums, r->pairs, weights, count, width);
    imgc_light_store_row(to, r->sums, width, r->light);
  } else if (r->translucent > first) {
    r->kernels->vertical_alpha(to, r->pairs, weights, count, width);
  } else {
    r->kernels->vertical(to, r->pairs, weights, count, width);
  }
}

uint32_t imgc_resampler_push(imgc_resampler *r, const uint8_t *row, uint8_t *pixels,
                             size_t stride) {
  const uint32_t height = r->request.height, y = r->pushed;
  if (r->is_cancelled || r->done == height || y == r->request.source_height) return r->done;
  r->pushed++;
  if (r->horizontal.copies && r->vertical.copies) {
    copy_rows(r, row, y, pixels, stride);
    return r->done;
  }
  if (y < r->vertical.first[r->done]) return r->done;
  split_planes(r, row, y);
  if (y % 2 == 1 || y + 1 == r->vertical.end) {
    filter_rows_horizontally(r, y);
    while (r->done < height && end_of(r, r->done) <= y + 1) {
      filter_row_vertically(r, pixels + r->done * stride);
      r->done++;
      if (poll_cancel(r)) break;
    }
  }
  return r->done;
}
