// The colour cube is divided into 32 x 32 x 32 cells of 8 x 8 x 8 colours. A cell stores the
// palette's colours that are nearest to any colour of the cell, about 5 of 256 for a photograph, so
// the nearest colour is exact. Cells are filled when a pixel needs them.

#include "encode/encode_gif_index.h"
#include "CImageCodecs/encode_gif.h"

#include <stdlib.h>
#include <string.h>

enum {
  CELL_BITS = 3,
  CELL_SIDE = 1 << CELL_BITS,
  CELLS = 1 << 3 * (8 - CELL_BITS),
  POOL = 256 << 10, // candidates of all cells; the cells after that search the whole palette
};

struct imgc_gif_map {
  uint32_t count;
  int32_t red[IMGC_GIF_COLORS], green[IMGC_GIF_COLORS], blue[IMGC_GIF_COLORS];
  uint32_t used;         // entries of `pool`
  uint32_t cells[CELLS]; // position of the cell's first candidate in `pool`, plus 1; 0: not filled
  // R, G, B and index from the lowest byte. The first entry of a list is its length.
  uint32_t pool[POOL + IMGC_GIF_COLORS + 1];
};

imgc_gif_map *imgc_gif_map_create(void) { return malloc(sizeof(imgc_gif_map)); }

void imgc_gif_map_destroy(imgc_gif_map *map) { free(map); }

void imgc_gif_map_set(imgc_gif_map *map, const imgc_png_palette *palette) {
  map->count = palette->count;
  for (uint32_t i = 0; i < palette->count; i++) {
    map->red[i] = palette->colors[i] & 255;
    map->green[i] = palette->colors[i] >> 8 & 255;
    map->blue[i] = palette->colors[i] >> 16 & 255;
  }
  memset(map->cells, 0, sizeof map->cells);
  // The whole palette, for cells that do not fit into the pool.
  map->pool[0] = palette->count;
  for (uint32_t i = 0; i < palette->count; i++)
    map->pool[i + 1] = (palette->colors[i] & 0xFFFFFF) | i << 24;
  map->used = palette->count + 1;
}

// Adds the least and the greatest squared distance of `value` from the cell's interval, which
// starts at `low`.
static inline void add_distances(int32_t value, int32_t low, int32_t *least, int32_t *greatest) {
  int32_t below = low - value, above = value - (low + CELL_SIDE - 1);
  int32_t outside = below > above ? below : above;
  outside = outside > 0 ? outside : 0;
  // One of the two ends is the farthest point; below + above is 1 - CELL_SIDE.
  int32_t farthest = -(below < above ? below : above);
  *least += outside * outside;
  *greatest += farthest * farthest;
}

// Stores the colours whose least distance from the cell is not above the least of all greatest
// distances: one of these is nearest to each colour of the cell.
static __attribute__((noinline)) uint32_t fill_cell(imgc_gif_map *map, unsigned cell) {
  if (map->used > POOL) return map->cells[cell] = 1;
  enum { MASK = (1 << (8 - CELL_BITS)) - 1 };
  int32_t red = (int32_t)(cell >> 2 * (8 - CELL_BITS)) * CELL_SIDE;
  int32_t green = (int32_t)(cell >> (8 - CELL_BITS) & MASK) * CELL_SIDE;
  int32_t blue = (int32_t)(cell & MASK) * CELL_SIDE;
  int32_t least[IMGC_GIF_COLORS], bound = INT32_MAX;
  for (uint32_t i = 0; i < map->count; i++) {
    int32_t greatest = 0;
    least[i] = 0;
    add_distances(map->red[i], red, &least[i], &greatest);
    add_distances(map->green[i], green, &least[i], &greatest);
    add_distances(map->blue[i], blue, &least[i], &greatest);
    bound = greatest < bound ? greatest : bound;
  }
  uint32_t start = map->used, end = start + 1;
  for (uint32_t i = 0; i < map->count; i++)
    if (least[i] <= bound) map->pool[end++] = map->pool[i + 1];
  map->pool[start] = end - start - 1;
  map->used = end;
  return map->cells[cell] = start + 1;
}

static inline uint8_t nearest(imgc_gif_map *map, unsigned red, unsigned green, unsigned blue) {
  unsigned cell = red >> CELL_BITS << 2 * (8 - CELL_BITS) | green >> CELL_BITS << (8 - CELL_BITS) |
                  blue >> CELL_BITS;
  uint32_t list = map->cells[cell];
  if (list == 0) list = fill_cell(map, cell);
  const uint32_t *candidate = map->pool + list, *end = candidate + candidate[-1];
  if (candidate + 1 == end) return (uint8_t)(*candidate >> 24);
  // The distance in the high bits, so that the first of equal distances wins.
  uint32_t best = UINT32_MAX;
  for (; candidate < end; candidate++) {
    int32_t dr = (int32_t)(*candidate & 255) - (int32_t)red;
    int32_t dg = (int32_t)(*candidate >> 8 & 255) - (int32_t)green;
    int32_t db = (int32_t)(*candidate >> 16 & 255) - (int32_t)blue;
    uint32_t value = (uint32_t)(dr * dr + dg * dg + db * db) << 8 | *candidate >> 24;
    best = value < best ? value : best;
  }
  return (uint8_t)best;
}

uint8_t imgc_gif_map_nearest(imgc_gif_map *map, unsigned red, unsigned green, unsigned blue) {
  return nearest(map, red, green, blue);
}

// ---------------------------------------------------------------- without dithering

static inline int32_t clamp(int32_t value) { return value < 0 ? 0 : value > 255 ? 255 : value; }

static uint8_t plain_index(imgc_gif_indexer *indexer, uint32_t pixel) {
  if (pixel == IMGC_GIF_NOT_DRAWN) return indexer->undrawn;
  if (indexer->exact) return imgc_png_palette_index(indexer->exact, pixel);
  return nearest(indexer->map, pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255);
}

static void plain_row(imgc_gif_indexer *indexer, const uint32_t *pixels, uint8_t *indices) {
  uint32_t last = IMGC_GIF_NOT_DRAWN;
  uint8_t index = indexer->undrawn;
  for (uint32_t x = 0; x < indexer->width; x++) {
    uint32_t pixel = pixels[x];
    if (pixel != last) {
      last = pixel;
      index = plain_index(indexer, pixel);
    }
    indices[x] = index;
  }
}

// ---------------------------------------------------------------- ordered dither

// Bayer's matrix of 8 x 8 thresholds (An optimum method for two-level rendition of continuous-tone
// pictures, 1973): the bits of x ^ y and y, interleaved and reversed. 0...63.
static int32_t bayer(uint32_t x, uint32_t y) {
  uint32_t mixed = x ^ y, value = 0;
  for (unsigned bit = 0; bit < 3; bit++)
    value |= (mixed >> bit & 1) << (5 - 2 * bit) | (y >> bit & 1) << (4 - 2 * bit);
  return (int32_t)value;
}

// Half of the mean distance of a colour from its nearest neighbour, per channel, times 64.
static int32_t amplitude_of(const imgc_gif_map *map) {
  if (map->count < 2) return 0;
  int64_t sum = 0;
  for (uint32_t i = 0; i < map->count; i++) {
    int32_t least = INT32_MAX;
    for (uint32_t k = 0; k < map->count; k++) {
      int32_t dr = map->red[i] - map->red[k], dg = map->green[i] - map->green[k];
      int32_t db = map->blue[i] - map->blue[k], distance = dr * dr + dg * dg + db * db;
      if (k != i && distance < least) least = distance;
    }
    // Integer square root of least * 64 * 64 / 3, by bits.
    int32_t square = least * 4096 / 3, root = 0;
    for (int32_t bit = 1 << 14; bit > 0; bit >>= 1)
      if ((int64_t)(root + bit) * (root + bit) <= square) root += bit;
    sum += root;
  }
  return (int32_t)(sum / map->count / 2);
}

static void ordered_row(imgc_gif_indexer *indexer, const uint32_t *pixels, uint8_t *indices) {
  enum { SCALE = 63 * 64, BIAS = 256 };
  int32_t offsets[8];
  for (uint32_t i = 0; i < 8; i++) // from -amplitude to amplitude, rounded
    offsets[i] =
        ((2 * bayer(i, indexer->y % 8) - 63) * indexer->amplitude + BIAS * SCALE + SCALE / 2) /
            SCALE -
        BIAS;
  for (uint32_t x = 0; x < indexer->width; x++) {
    uint32_t pixel = pixels[x];
    if (pixel == IMGC_GIF_NOT_DRAWN) {
      indices[x] = indexer->undrawn;
      continue;
    }
    int32_t offset = offsets[(indexer->x + x) % 8];
    indices[x] = nearest(indexer->map, (unsigned)clamp((int32_t)(pixel & 255) + offset),
                         (unsigned)clamp((int32_t)(pixel >> 8 & 255) + offset),
                         (unsigned)clamp((int32_t)(pixel >> 16 & 255) + offset));
  }
}

// ---------------------------------------------------------------- error diffusion

// Floyd and Steinberg, An adaptive algorithm for spatial grey scale (1976): 7/16 of the error to
// the next pixel, 3/16, 5/16 and 1/16 to the row below. Odd rows run from right to left, which
// avoids diagonal patterns. Pixels that are not drawn receive and pass on no error.
//
// The row of errors is updated in place: the error of the pixel below the previous one is complete
// when the current pixel is converted.
static void diffused_row(imgc_gif_indexer *indexer, const uint32_t *pixels, uint8_t *indices) {
  bool is_odd = indexer->y % 2;
  ptrdiff_t step = is_odd ? -1 : 1;
  ptrdiff_t x = is_odd ? (ptrdiff_t)indexer->width - 1 : 0;
  const imgc_gif_map *map = indexer->map;
  // Errors times 16: of the next pixel, and of the pixels below this one and below the next one.
  int32_t red_next = 0, red_under = 0, red_ahead = 0;
  int32_t green_next = 0, green_under = 0, green_ahead = 0;
  int32_t blue_next = 0, blue_under = 0, blue_ahead = 0;
  int16_t *error = indexer->errors + (x + 1) * 3;
  for (uint32_t n = 0; n < indexer->width; n++, x += step, error += 3 * step) {
    uint32_t pixel = pixels[x];
    int32_t red_rest = 0, green_rest = 0, blue_rest = 0;
    if (pixel == IMGC_GIF_NOT_DRAWN) {
      indices[x] = indexer->undrawn;
    } else {
      int32_t red = clamp((int32_t)(pixel & 255) + ((error[0] + red_next + 8) >> 4));
      int32_t green = clamp((int32_t)(pixel >> 8 & 255) + ((error[1] + green_next + 8) >> 4));
      int32_t blue = clamp((int32_t)(pixel >> 16 & 255) + ((error[2] + blue_next + 8) >> 4));
      uint8_t index = nearest(indexer->map, (unsigned)red, (unsigned)green, (unsigned)blue);
      indices[x] = index;
      red_rest = red - map->red[index];
      green_rest = green - map->green[index];
      blue_rest = blue - map->blue[index];
    }
    int16_t *behind = error - 3 * step;
    behind[0] = (int16_t)(red_under + red_rest * 3);
    behind[1] = (int16_t)(green_under + green_rest * 3);
    behind[2] = (int16_t)(blue_under + blue_rest * 3);
    red_under = red_ahead + red_rest * 5;
    green_under = green_ahead + green_rest * 5;
    blue_under = blue_ahead + blue_rest * 5;
    red_ahead = red_rest, green_ahead = green_rest, blue_ahead = blue_rest;
    red_next = red_rest * 7, green_next = green_rest * 7, blue_next = blue_rest * 7;
  }
  error -= 3 * step;
  error[0] = (int16_t)red_under, error[1] = (int16_t)green_under, error[2] = (int16_t)blue_under;
}

// ---------------------------------------------------------------- rows

size_t imgc_gif_indexer_error_bytes(uint32_t width) {
  return ((size_t)width + 2) * 3 * sizeof(int16_t);
}

void imgc_gif_indexer_start(imgc_gif_indexer *indexer) {
  if (indexer->exact) indexer->dither = IMGC_GIF_DITHER_NONE;
  if (indexer->dither == IMGC_GIF_DITHER_ORDERED) indexer->amplitude = amplitude_of(indexer->map);
  if (indexer->dither == IMGC_GIF_DITHER_FLOYD_STEINBERG)
    memset(indexer->errors, 0, imgc_gif_indexer_error_bytes(indexer->width));
}

void imgc_gif_indexer_row(imgc_gif_indexer *indexer, const uint32_t *pixels, uint8_t *indices) {
  switch (indexer->dither) {
  case IMGC_GIF_DITHER_ORDERED: ordered_row(indexer, pixels, indices); break;
  case IMGC_GIF_DITHER_FLOYD_STEINBERG: diffused_row(indexer, pixels, indices); break;
  default: plain_row(indexer, pixels, indices);
  }
  indexer->y++;
}
