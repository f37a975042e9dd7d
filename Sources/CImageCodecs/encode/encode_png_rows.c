// Conversion of RGBA8 rows to PNG samples, and row filters (PNG specification, section 9).

#include "encode/encode_png_rows.h"
#include "core/copy.h"

#include <stdlib.h>
#include <string.h>

enum {
  LEFT_PADDING = 16, // zero bytes before the samples: the left neighbours of the first pixel
  FILTERS = 5
};

// ---------------------------------------------------------------- samples

static void write_indices(const imgc_png_palette *palette, uint8_t *dst, const uint8_t *src,
                          size_t width) {
  uint32_t last = 0;
  uint8_t index = 0;
  for (size_t x = 0; x < width; x++) {
    uint32_t color;
    imgc_copy(&color, src + x * 4, 4);
    if (x == 0 || color != last) index = imgc_png_palette_index(palette, color);
    last = color;
    dst[x] = index;
  }
}

// Packs samples of one byte to `bits` each, in place, the leftmost in the highest bits.
static void pack(uint8_t *row, size_t width, unsigned bits) {
  size_t per_byte = 8 / bits;
  for (size_t x = 0; x < width; x += per_byte) {
    unsigned byte = 0;
    for (size_t i = 0; i < per_byte; i++) byte = byte << bits | (x + i < width ? row[x + i] : 0u);
    row[x / per_byte] = (uint8_t)byte;
  }
}

static void write_samples(const imgc_png_row_encoder *row_encoder, uint8_t *dst, const uint8_t *src,
                          size_t width) {
  unsigned depth = row_encoder->layout.bit_depth;
  switch (row_encoder->layout.color_type) {
  case IMGC_PNG_COLOR_GRAY: {
    unsigned step = 255 / ((1u << depth) - 1);
    if (step == 1)
      for (size_t x = 0; x < width; x++) dst[x] = src[x * 4];
    else
      for (size_t x = 0; x < width; x++) dst[x] = (uint8_t)(src[x * 4] / step);
    break;
  }
  case IMGC_PNG_COLOR_RGB:
    for (size_t x = 0; x < width; x++, dst += 3, src += 4)
      dst[0] = src[0], dst[1] = src[1], dst[2] = src[2];
    return;
  case IMGC_PNG_COLOR_INDEXED: write_indices(row_encoder->palette, dst, src, width); break;
  case IMGC_PNG_COLOR_GRAY_ALPHA:
    for (size_t x = 0; x < width; x++, dst += 2, src += 4) dst[0] = src[0], dst[1] = src[3];
    return;
  default: memcpy(dst, src, width * 4); return;
  }
  if (depth < 8) pack(dst, width, depth);
}

// ---------------------------------------------------------------- filters

// The filters process `size` bytes. `left` points to the bytes one pixel before `row`, `corner` to
// the bytes one pixel before `up`.
static void filter_sub(uint8_t *restrict dst, const uint8_t *row, const uint8_t *left,
                       size_t size) {
  for (size_t i = 0; i < size; i++) dst[i] = (uint8_t)(row[i] - left[i]);
}

static void filter_up(uint8_t *restrict dst, const uint8_t *row, const uint8_t *up, size_t size) {
  for (size_t i = 0; i < size; i++) dst[i] = (uint8_t)(row[i] - up[i]);
}

static void filter_average(uint8_t *restrict dst, const uint8_t *row, const uint8_t *left,
                           const uint8_t *up, size_t size) {
  for (size_t i = 0; i < size; i++) dst[i] = (uint8_t)(row[i] - ((left[i] + up[i]) >> 1));
}

static void filter_paeth(uint8_t *restrict dst, const uint8_t *row, const uint8_t *left,
                         const uint8_t *up, const uint8_t *corner, size_t size) {
  for (size_t i = 0; i < size; i++) {
    int16_t a = left[i], b = up[i], c = corner[i];
    int16_t pa = (int16_t)abs(b - c), pb = (int16_t)abs(a - c);
    int16_t pc = (int16_t)abs(a + b - 2 * c);
    int16_t nearer = pb <= pc ? b : c;
    int16_t predictor = ((pa <= pb) & (pa <= pc)) ? a : nearer;
    dst[i] = (uint8_t)(row[i] - predictor);
  }
}

static void apply_filter(const imgc_png_row_encoder *row_encoder, unsigned filter) {
  uint8_t *dst = row_encoder->candidates[filter];
  const uint8_t *row = row_encoder->current, *left = row - row_encoder->pixel_size;
  const uint8_t *up = row_encoder->previous, *corner = up - row_encoder->pixel_size;
  size_t size = row_encoder->row_size;
  *dst++ = (uint8_t)filter;
  switch (filter) {
  case IMGC_FILTER_NONE: memcpy(dst, row, size); break;
  case IMGC_FILTER_SUB: filter_sub(dst, row, left, size); break;
  case IMGC_FILTER_UP: filter_up(dst, row, up, size); break;
  case IMGC_FILTER_AVERAGE: filter_average(dst, row, left, up, size); break;
  default: filter_paeth(dst, row, left, up, corner, size); break;
  }
}

// Returns the sum of the absolute values of the bytes as signed numbers, for the minimum-sum
// heuristic of filter selection.
static uint64_t sum_of_absolutes(const uint8_t *row, size_t size) {
  uint64_t sum = 0;
  for (size_t start = 0; start < size; start += 4096) {
    size_t end = size - start < 4096 ? size : start + 4096;
    uint32_t part = 0;
    for (size_t i = start; i < end; i++) part += (uint32_t)abs((int8_t)row[i]);
    sum += part;
  }
  return sum;
}

static const uint8_t *select_filter(const imgc_png_row_encoder *row_encoder) {
  unsigned chosen = 0;
  uint64_t least = UINT64_MAX;
  for (unsigned filter = 0; filter < FILTERS; filter++) {
    apply_filter(row_encoder, filter);
    uint64_t cost = sum_of_absolutes(row_encoder->candidates[filter] + 1, row_encoder->row_size);
    if (cost < least) {
      least = cost;
      chosen = filter;
    }
  }
  return row_encoder->candidates[chosen];
}

// ---------------------------------------------------------------- rows

static size_t candidate_count(const imgc_png_row_encoder *row_encoder) {
  return row_encoder->filter == IMGC_FILTER_ADAPTIVE ? FILTERS : 1;
}

bool imgc_png_row_encoder_init(imgc_png_row_encoder *row_encoder, uint32_t width) {
  uint64_t row_size = imgc_png_layout_row_bytes(row_encoder->layout, width);
  // Indices have one byte each before they are packed.
  uint64_t samples = LEFT_PADDING + (row_size < width ? width : row_size);
  uint64_t total = 2 * samples + candidate_count(row_encoder) * (row_size + 1);
  if (total > PTRDIFF_MAX) return false;
  row_encoder->memory = calloc(1, (size_t)total);
  if (!row_encoder->memory) return false;
  row_encoder->row_size = (size_t)row_size;
  uint64_t bits =
      imgc_png_layout_row_bytes(row_encoder->layout, 8); // bytes of 8 pixels = bits of one
  row_encoder->pixel_size = bits < 8 ? 1 : (uint32_t)(bits / 8);
  row_encoder->current = row_encoder->memory + LEFT_PADDING;
  row_encoder->previous = row_encoder->current + samples;
  uint8_t *next = row_encoder->memory + 2 * samples;
  for (unsigned filter = 0; filter < FILTERS; filter++) {
    row_encoder->candidates[filter] = next;
    if (row_encoder->filter == IMGC_FILTER_ADAPTIVE) next += row_size + 1;
  }
  return true;
}

void imgc_png_row_encoder_free(imgc_png_row_encoder *row_encoder) { free(row_encoder->memory); }

const uint8_t *imgc_png_row_encoder_next(imgc_png_row_encoder *row_encoder, const uint8_t *rgba,
                                         size_t width) {
  uint8_t *above = row_encoder->current;
  row_encoder->current = row_encoder->previous;
  row_encoder->previous = above;
  write_samples(row_encoder, row_encoder->current, rgba, width);
  if (row_encoder->filter == IMGC_FILTER_ADAPTIVE) return select_filter(row_encoder);
  apply_filter(row_encoder, row_encoder->filter);
  return row_encoder->candidates[row_encoder->filter];
}
