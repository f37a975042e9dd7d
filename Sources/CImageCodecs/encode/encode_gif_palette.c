// Wu's quantiser (Xiaolin Wu, Efficient Statistical Computations for Optimal Color Quantization,
// Graphics Gems II, 1991): the colour cube is divided into boxes, always at the plane that reduces
// the sum of squared errors most. Cumulative moments give the sums over a box in 8 lookups. The
// means of the boxes are then refined by Lloyd's algorithm over the histogram (k-means).

#include "encode/encode_gif_palette.h"
#include "core/copy.h"
#include "encode/encode_png_colors.h"

#include <stdlib.h>
#include <string.h>

enum {
  SIDE = 33, // 5 bits per channel, and a plane of zeros before the first cell
  CELLS = SIDE * SIDE * SIDE,
  LLOYD_ITERATIONS = 2,
};

// Sums over pixels. 63 bits hold the squares of 4 * 10^13 pixels.
typedef struct moments {
  int64_t count, red, green, blue;
  int64_t squares; // of all three channels
} moments;

typedef struct cube {
  moments cells[CELLS];
  moments sums[CELLS]; // over all cells with coordinates up to the cell's own
} cube;

struct imgc_gif_histogram {
  imgc_png_palette distinct;       // the colours, while there are at most 256
  int64_t counts[IMGC_GIF_COLORS]; // pixels of each of them
  cube *cube;                      // NULL while there are at most 256
};

imgc_gif_histogram *imgc_gif_histogram_create(void) {
  return calloc(1, sizeof(imgc_gif_histogram));
}

void imgc_gif_histogram_destroy(imgc_gif_histogram *histogram) {
  if (histogram) free(histogram->cube);
  free(histogram);
}

void imgc_gif_histogram_clear(imgc_gif_histogram *histogram) {
  free(histogram->cube);
  memset(histogram, 0, sizeof *histogram);
}

static unsigned cell_at(unsigned red, unsigned green, unsigned blue) {
  return (red * SIDE + green) * SIDE + blue;
}

static void add(moments *sum, const moments *other, int64_t sign) {
  sum->count += sign * other->count;
  sum->red += sign * other->red;
  sum->green += sign * other->green;
  sum->blue += sign * other->blue;
  sum->squares += sign * other->squares;
}

static void add_color(cube *cube, uint32_t pixel, int64_t n) {
  unsigned red = pixel & 255, green = pixel >> 8 & 255, blue = pixel >> 16 & 255;
  moments *cell = &cube->cells[cell_at(red / 8 + 1, green / 8 + 1, blue / 8 + 1)];
  cell->count += n;
  cell->red += n * red;
  cell->green += n * green;
  cell->blue += n * blue;
  cell->squares += n * (red * red + green * green + blue * blue);
}

// Adds a colour while there is no cube; creates the cube for the 257th colour.
static bool add_distinct(imgc_gif_histogram *histogram, uint32_t pixel, int64_t n) {
  uint8_t bytes[4];
  imgc_copy(bytes, &pixel, 4);
  imgc_png_palette_add(&histogram->distinct, bytes, 1);
  if (histogram->distinct.count <= IMGC_GIF_COLORS) {
    histogram->counts[imgc_png_palette_index(&histogram->distinct, pixel)] += n;
    return true;
  }
  histogram->cube = calloc(1, sizeof *histogram->cube);
  if (!histogram->cube) return false;
  for (uint32_t i = 0; i < IMGC_GIF_COLORS; i++)
    add_color(histogram->cube, histogram->distinct.colors[i], histogram->counts[i]);
  add_color(histogram->cube, pixel, n);
  return true;
}

bool imgc_gif_histogram_add(imgc_gif_histogram *histogram, const uint32_t *pixels, size_t count) {
  for (size_t i = 0; i < count;) {
    uint32_t pixel = pixels[i];
    size_t end = i + 1;
    while (end < count && pixels[end] == pixel) end++;
    int64_t n = (int64_t)(end - i);
    i = end;
    if (pixel == IMGC_GIF_NOT_DRAWN) continue;
    if (histogram->cube)
      add_color(histogram->cube, pixel, n);
    else if (!add_distinct(histogram, pixel, n))
      return false;
  }
  return true;
}

uint32_t imgc_gif_histogram_colors(const imgc_gif_histogram *histogram) {
  return histogram->distinct.count;
}

// ---------------------------------------------------------------- boxes

// Cells with coordinates above `low` and up to `high`, in the order red, green, blue.
typedef struct box {
  unsigned low[3], high[3];
  double error; // sum of squared distances from the mean
} box;

static void accumulate(cube *cube) {
  moments *sums = cube->sums;
  // The planes with a coordinate of 0 stay zero.
  for (unsigned red = 1; red < SIDE; red++) {
    moments area[SIDE];
    memset(area, 0, sizeof area);
    for (unsigned green = 1; green < SIDE; green++) {
      moments line = {0};
      for (unsigned blue = 1; blue < SIDE; blue++) {
        unsigned at = cell_at(red, green, blue);
        add(&line, &cube->cells[at], 1);
        add(&area[blue], &line, 1);
        sums[at] = sums[at - SIDE * SIDE];
        add(&sums[at], &area[blue], 1);
      }
    }
  }
}

// Adds the cumulative moments of the four corners of the box in the plane `position` of `axis`.
static void add_plane(const cube *cube, const box *b, unsigned axis, unsigned position,
                      int64_t sign, moments *sum) {
  unsigned first = (axis + 1) % 3, second = (axis + 2) % 3, at[3];
  at[axis] = position;
  for (unsigned corner = 0; corner < 4; corner++) {
    at[first] = corner & 1 ? b->low[first] : b->high[first];
    at[second] = corner & 2 ? b->low[second] : b->high[second];
    bool is_negative = (corner == 1) != (corner == 2);
    add(sum, &cube->sums[cell_at(at[0], at[1], at[2])], is_negative ? -sign : sign);
  }
}

static moments box_moments(const cube *cube, const box *b) {
  moments sum = {0};
  add_plane(cube, b, 0, b->high[0], 1, &sum);
  add_plane(cube, b, 0, b->low[0], -1, &sum);
  return sum;
}

// The squared length of the sum of the colours, divided by the number of pixels. The squared error
// of a box is its sum of squares minus this value.
static double mean_square(const moments *m) {
  if (m->count == 0) return 0;
  double red = (double)m->red, green = (double)m->green, blue = (double)m->blue;
  return (red * red + green * green + blue * blue) / (double)m->count;
}

static void measure(const cube *cube, box *b) {
  moments sum = box_moments(cube, b);
  bool is_cell = true;
  for (unsigned axis = 0; axis < 3; axis++)
    if (b->high[axis] - b->low[axis] > 1) is_cell = false;
  b->error = is_cell ? 0 : (double)sum.squares - mean_square(&sum);
}

// Divides `b` at the plane with the least remaining error; returns false when no plane has pixels
// on both sides.
static bool split(const cube *cube, box *b, box *other) {
  moments whole = box_moments(cube, b);
  double best = 0;
  unsigned best_axis = 0, best_position = 0;
  for (unsigned axis = 0; axis < 3; axis++) {
    moments base = {0};
    add_plane(cube, b, axis, b->low[axis], -1, &base);
    for (unsigned position = b->low[axis] + 1; position < b->high[axis]; position++) {
      moments below = base, above = whole;
      add_plane(cube, b, axis, position, 1, &below);
      if (below.count == 0) continue;
      if (below.count == whole.count) break;
      add(&above, &below, -1);
      double value = mean_square(&below) + mean_square(&above);
      if (value > best) {
        best = value;
        best_axis = axis;
        best_position = position;
      }
    }
  }
  if (best_position == 0) return false;
  *other = *b;
  b->high[best_axis] = other->low[best_axis] = best_position;
  measure(cube, b);
  measure(cube, other);
  return true;
}

// ---------------------------------------------------------------- palette

static unsigned divide(int64_t sum, int64_t count) { return (unsigned)((sum + count / 2) / count); }

static uint32_t mean_color(const moments *m) {
  return 0xFF000000 | divide(m->blue, m->count) << 16 | divide(m->green, m->count) << 8 |
         divide(m->red, m->count);
}

static void make_boxes(cube *cube, uint32_t max_colors, imgc_png_palette *palette) {
  box boxes[IMGC_GIF_COLORS];
  accumulate(cube);
  boxes[0] = (box){{0, 0, 0}, {SIDE - 1, SIDE - 1, SIDE - 1}, 0};
  measure(cube, &boxes[0]);
  uint32_t count = 1;
  while (count < max_colors) {
    uint32_t worst = 0;
    for (uint32_t i = 1; i < count; i++)
      if (boxes[i].error > boxes[worst].error) worst = i;
    if (boxes[worst].error <= 0) break;
    if (split(cube, &boxes[worst], &boxes[count]))
      count++;
    else
      boxes[worst].error = 0;
  }
  palette->count = 0;
  for (uint32_t i = 0; i < count; i++) {
    moments sum = box_moments(cube, &boxes[i]);
    if (sum.count > 0) palette->colors[palette->count++] = mean_color(&sum);
  }
}

// The palette as separate channels, so that the compiler vectorizes the search.
typedef struct channels {
  int32_t red[IMGC_GIF_COLORS], green[IMGC_GIF_COLORS], blue[IMGC_GIF_COLORS];
} channels;

static uint32_t nearest(const channels *c, uint32_t count, uint32_t color) {
  int32_t red = color & 255, green = color >> 8 & 255, blue = color >> 16 & 255;
  int32_t distances[IMGC_GIF_COLORS];
  for (uint32_t i = 0; i < count; i++) {
    int32_t dr = c->red[i] - red, dg = c->green[i] - green, db = c->blue[i] - blue;
    // The index in the low 8 bits; a squared distance has 18 bits.
    distances[i] = (dr * dr + dg * dg + db * db) * 256 + (int32_t)i;
  }
  int32_t least = INT32_MAX;
  for (uint32_t i = 0; i < count; i++) least = distances[i] < least ? distances[i] : least;
  return (uint32_t)least & 255;
}

// One iteration of Lloyd's algorithm: moves every colour to the mean of the cells that are nearest
// to it.
static void refine(const cube *cube, imgc_png_palette *palette) {
  channels c;
  moments sums[IMGC_GIF_COLORS];
  memset(sums, 0, sizeof sums);
  for (uint32_t i = 0; i < palette->count; i++) {
    c.red[i] = palette->colors[i] & 255;
    c.green[i] = palette->colors[i] >> 8 & 255;
    c.blue[i] = palette->colors[i] >> 16 & 255;
  }
  for (unsigned at = 0; at < CELLS; at++) {
    const moments *cell = &cube->cells[at];
    if (cell->count > 0) add(&sums[nearest(&c, palette->count, mean_color(cell))], cell, 1);
  }
  for (uint32_t i = 0; i < palette->count; i++)
    if (sums[i].count > 0) palette->colors[i] = mean_color(&sums[i]);
}

bool imgc_gif_palette_make(imgc_gif_histogram *histogram, uint32_t max_colors,
                           imgc_gif_palette *palette) {
  palette->set = histogram->distinct;
  palette->is_exact = histogram->distinct.count <= max_colors;
  if (palette->is_exact) {
    imgc_png_palette_sort(&palette->set);
    return true;
  }
  cube *cube = histogram->cube;
  if (!cube) { // up to 256 colours, but more than max_colors
    histogram->cube = cube = calloc(1, sizeof *cube);
    if (!cube) return false;
    for (uint32_t i = 0; i < histogram->distinct.count; i++)
      add_color(cube, histogram->distinct.colors[i], histogram->counts[i]);
  }
  make_boxes(cube, max_colors, &palette->set);
  for (int i = 0; i < LLOYD_ITERATIONS; i++) refine(cube, &palette->set);
  return true;
}
