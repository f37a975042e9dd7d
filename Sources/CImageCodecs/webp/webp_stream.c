// The header of a lossless stream. Copies and colour cache codes repeat values of literal pixels,
// so the images before the main image are only parsed, unless the caller wants the entropy image.

#include "webp/webp_stream.h"
#include "core/cancel.h"
#include "core/limits.h"

#include <string.h>

enum {
  CHUNK_HEADER = 8,
  VP8L_HEADER = 5,
  DISTANCE_CODES = 40,
  SYMBOLS_PER_POLL = 1 << 16,
};

// ---------------------------------------------------------------- prefix codes

static void add_length(imgc_webp_lengths *l, uint32_t symbol, uint32_t length) {
  l->symbols[l->used] = (uint16_t)symbol;
  l->lengths[l->used++] = (uint8_t)length;
}

static void build(imgc_webp_code *code, const imgc_webp_lengths *l, imgc_webp_bits *b) {
  memset(code->count, 0, sizeof code->count);
  for (uint32_t i = 0; i < l->used; i++) code->count[l->lengths[i]]++;
  code->used = (uint16_t)l->used;
  code->is_single = l->used == 1;
  uint16_t offset[IMGC_WEBP_MAX_CODE_LENGTH + 2] = {0};
  int32_t left = 1; // unused codes of a length
  for (int length = 1; length <= IMGC_WEBP_MAX_CODE_LENGTH; length++) {
    offset[length + 1] = (uint16_t)(offset[length] + code->count[length]);
    left = left * 2 - code->count[length];
    if (left < 0) b->is_valid = false;
  }
  if (l->used == 0 || (l->used > 1 && left != 0)) b->is_valid = false;
  for (uint32_t i = 0; i < l->used; i++) code->symbols[offset[l->lengths[i]]++] = l->symbols[i];
}

static uint32_t read_symbol(imgc_webp_bits *b, const imgc_webp_code *code) {
  return code->is_single ? code->symbols[0] : imgc_webp_read_code(b, code->count, code->symbols);
}

// Section 3.7.2.1: the lengths of the codes, themselves coded.
static void read_lengths(imgc_webp_stream *p, uint32_t alphabet) {
  static const uint8_t order[] = {17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  imgc_webp_bits *b = &p->bits;
  uint8_t lengths[sizeof order] = {0};
  uint32_t count = imgc_webp_read_bits(b, 4) + 4;
  for (uint32_t i = 0; i < count; i++) lengths[order[i]] = (uint8_t)imgc_webp_read_bits(b, 3);
  for (uint32_t i = 0; i < sizeof order; i++)
    if (lengths[i]) add_length(&p->lengths, i, lengths[i]);
  build(&p->length_code, &p->lengths, b);
  p->lengths.used = 0;
  uint32_t left = alphabet;
  if (imgc_webp_read_bits(b, 1)) {
    left = imgc_webp_read_bits(b, 2 + 2 * imgc_webp_read_bits(b, 3)) + 2;
    if (left > alphabet) b->is_valid = false;
  }
  uint32_t previous = 8;
  for (uint32_t i = 0; i < alphabet && left > 0 && b->is_valid; left--) {
    uint32_t symbol = read_symbol(b, &p->length_code), repeat = 1, length = 0;
    if (symbol < 16) {
      length = symbol;
      if (length) previous = length;
    } else if (symbol == 16) {
      length = previous;
      repeat = imgc_webp_read_bits(b, 2) + 3;
    } else {
      repeat = symbol == 17 ? imgc_webp_read_bits(b, 3) + 3 : imgc_webp_read_bits(b, 7) + 11;
    }
    if (repeat > alphabet - i) {
      b->is_valid = false;
      return;
    }
    for (uint32_t k = 0; k < repeat && length > 0; k++) add_length(&p->lengths, i + k, length);
    i += repeat;
  }
}

static void read_code(imgc_webp_stream *p, imgc_webp_code *code, uint32_t alphabet) {
  imgc_webp_bits *b = &p->bits;
  p->lengths.used = 0;
  if (imgc_webp_read_bits(b, 1)) {
    bool has_two = imgc_webp_read_bits(b, 1);
    uint32_t first = imgc_webp_read_bits(b, imgc_webp_read_bits(b, 1) ? 8 : 1);
    uint32_t second = has_two ? imgc_webp_read_bits(b, 8) : first;
    uint32_t low = first < second ? first : second, high = first < second ? second : first;
    if (low < alphabet) add_length(&p->lengths, low, 1);
    if (low < high && high < alphabet) add_length(&p->lengths, high, 1);
  } else {
    read_lengths(p, alphabet);
  }
  if (b->is_valid) build(code, &p->lengths, b);
}

// ---------------------------------------------------------------- images

static uint32_t read_cache_bits(imgc_webp_bits *b) {
  if (!imgc_webp_read_bits(b, 1)) return 0;
  uint32_t count = imgc_webp_read_bits(b, 4);
  if (count < 1 || count > IMGC_WEBP_MAX_CACHE_BITS) b->is_valid = false;
  return b->is_valid ? count : 0;
}

// Reads the codes of a group of an image with a colour cache of the given size.
static void read_group(imgc_webp_stream *p, uint32_t cache_bits) {
  uint32_t cache = cache_bits ? 1u << cache_bits : 0;
  const uint32_t alphabets[IMGC_WEBP_CODES] = {IMGC_WEBP_LITERALS + IMGC_WEBP_LENGTHS + cache,
                                               IMGC_WEBP_LITERALS, IMGC_WEBP_LITERALS,
                                               IMGC_WEBP_LITERALS, DISTANCE_CODES};
  for (int i = 0; i < IMGC_WEBP_CODES && p->bits.is_valid; i++, p->prefix_codes++)
    read_code(p, &p->codes[i], alphabets[i]);
}

// A palette is stored as differences to the previous colour (section 3.5.4): it is opaque if the
// first alpha is 255 and the others are 0, so if copies do not copy the first.
static bool copies_opaque(uint32_t at, uint32_t distance_code) {
  // Section 3.6.2.2: the code 2 is the previous pixel. Codes from 3 to 120 are not resolved.
  uint32_t distance = distance_code == 2 ? 1 : distance_code > 120 ? distance_code - 120 : 0;
  return distance > 0 && distance < at;
}

// The codes select a pixel by its columns to the left and its rows above. They are sorted by their
// distance to the current pixel, then by row.
void imgc_webp_near_distances(uint32_t distances[IMGC_WEBP_NEAR_CODES], uint32_t width) {
  enum { LEFT = 8, ABOVE = 7 };
  int code = 0;
  for (int square = 1; square <= LEFT * LEFT + ABOVE * ABOVE; square++) {
    for (int y = ABOVE; y >= 0; y--) {
      int x = 0;
      while (x * x + y * y < square) x++;
      if (x * x + y * y != square || x > LEFT) continue;
      uint32_t left = (uint32_t)x, above = (uint32_t)y * width;
      distances[code++] = above + left;
      if (x > 0 && x < LEFT && y > 0) distances[code++] = above > left ? above - left : 1;
    }
  }
}

// Values of the entropy image, as far as they are known.
typedef struct tile_writer {
  uint16_t *values;
  size_t size;
  uint32_t near[IMGC_WEBP_NEAR_CODES]; // distances
} tile_writer;

// Copies `count` values. Returns false when they are not known.
static bool copy_tiles(tile_writer *tiles, uint64_t at, uint32_t count, uint32_t code) {
  size_t distance =
      code > IMGC_WEBP_NEAR_CODES ? code - IMGC_WEBP_NEAR_CODES : tiles->near[code - 1];
  if (distance > at || count > tiles->size - at) return false;
  for (size_t i = at; i < at + count; i++) tiles->values[i] = tiles->values[i - distance];
  return true;
}

// Results of reading an image before the main image. Each can be NULL.
typedef struct image_results {
  uint64_t *values;   // receives the values of the entropy image, a bit per value
  tile_writer *tiles; // set to NULL if they are not known
  bool *is_opaque;    // set to false when the image, as a palette, is not known to be opaque
} image_results;

// Adds the work since the last call to the budget of the file.
static void charge(imgc_webp_stream *p) {
  uint64_t units = imgc_mul(p->symbols - p->charged_symbols, IMGC_WORK_SYMBOL);
  units = imgc_add(units, imgc_mul(p->prefix_codes - p->charged_codes, IMGC_WORK_PREFIX_CODE));
  p->charged_symbols = p->symbols, p->charged_codes = p->prefix_codes;
  if (imgc_charge(p->request, units, p->report)) p->bits.is_valid = false;
}

// An image whose four channels have one value each takes no bits, and is not read pixel by pixel.
// Returns false for other images.
static bool read_constant_image(imgc_webp_stream *p, uint64_t total, image_results *results) {
  const imgc_webp_code *codes = p->codes;
  for (int i = IMGC_WEBP_GREEN; i <= IMGC_WEBP_ALPHA; i++)
    if (!codes[i].is_single) return false;
  if (codes[IMGC_WEBP_GREEN].symbols[0] >= IMGC_WEBP_LITERALS) return false;
  uint32_t value =
      (uint32_t)codes[IMGC_WEBP_RED].symbols[0] << 8 | codes[IMGC_WEBP_GREEN].symbols[0];
  uint32_t alpha = codes[IMGC_WEBP_ALPHA].symbols[0];
  if (results->values) results->values[value >> 6] |= (uint64_t)1 << (value & 63);
  for (uint64_t at = 0; at < total && results->tiles; at++)
    results->tiles->values[at] = (uint16_t)value;
  if (results->is_opaque) *results->is_opaque = total == 1 && alpha == 255;
  p->symbols++;
  return true;
}

// Parses an image with one group of codes. The values of the entropy image are in red and green.
static void read_image(imgc_webp_stream *p, uint32_t width, uint32_t height,
                       image_results *results) {
  imgc_webp_bits *b = &p->bits;
  read_group(p, read_cache_bits(b));
  uint64_t total = (uint64_t)width * height;
  if (b->is_valid && read_constant_image(p, total, results)) return;
  bool opaque = true;
  for (uint64_t at = 0, count = 1; at < total && b->is_valid; at += count) {
    if (++p->symbols % SYMBOLS_PER_POLL == 0) {
      charge(p);
      if (imgc_poll(p->request, p->report)) b->is_valid = false;
    }
    if (p->symbols > p->max_symbols) b->is_valid = false;
    uint32_t green = read_symbol(b, &p->codes[IMGC_WEBP_GREEN]);
    count = 1;
    if (green < IMGC_WEBP_LITERALS) {
      uint32_t red = read_symbol(b, &p->codes[IMGC_WEBP_RED]);
      read_symbol(b, &p->codes[IMGC_WEBP_BLUE]);
      opaque &= read_symbol(b, &p->codes[IMGC_WEBP_ALPHA]) == (at == 0 ? 255 : 0);
      uint32_t value = red << 8 | green;
      if (results->values && b->is_valid)
        results->values[value >> 6] |= (uint64_t)1 << (value & 63);
      if (results->tiles) results->tiles->values[at] = (uint16_t)value;
    } else if (green < IMGC_WEBP_LITERALS + IMGC_WEBP_LENGTHS) {
      count = imgc_webp_read_length(b, green - IMGC_WEBP_LITERALS);
      uint32_t code = imgc_webp_read_length(b, read_symbol(b, &p->codes[IMGC_WEBP_DISTANCE]));
      // Without a pixel before it, a copy is invalid; every other symbol takes bits.
      if (at == 0) b->is_valid = false;
      opaque &= copies_opaque((uint32_t)at, code);
      if (results->tiles && !copy_tiles(results->tiles, at, (uint32_t)count, code))
        results->tiles = NULL;
    } else {
      opaque = false;
      results->tiles = NULL;
    }
    if (count > total - at) b->is_valid = false;
  }
  if (results->is_opaque) *results->is_opaque = opaque;
}

static uint32_t subsampled(uint32_t size, uint32_t bits) {
  return (size + (1u << bits) - 1) >> bits;
}

// Section 3.5. Returns the width of the main image: the color-indexing transform packs pixels.
static uint32_t read_transforms(imgc_webp_stream *p) {
  enum { PREDICTOR, COLOR, SUBTRACT_GREEN, COLOR_INDEXING };
  imgc_webp_bits *b = &p->bits;
  uint32_t width = p->width, height = p->height;
  unsigned seen = 0;
  while (b->is_valid && imgc_webp_read_bits(b, 1)) {
    uint32_t type = imgc_webp_read_bits(b, 2);
    if (seen & 1u << type) b->is_valid = false;
    seen |= 1u << type;
    p->subtracts_green |= type == SUBTRACT_GREEN;
    if (!b->is_valid || type == SUBTRACT_GREEN) continue;
    if (type == COLOR_INDEXING) {
      p->colors = imgc_webp_read_bits(b, 8) + 1;
      read_image(p, p->colors, 1, &(image_results){.is_opaque = &p->has_opaque_colors});
      width = subsampled(width, imgc_webp_packing_bits(p->colors));
    } else {
      uint32_t size_bits = imgc_webp_read_bits(b, 3) + 2;
      p->has_predictor |= type == PREDICTOR;
      p->has_color_transform |= type == COLOR;
      read_image(p, subsampled(width, size_bits), subsampled(height, size_bits),
                 &(image_results){0});
    }
  }
  return width;
}

bool imgc_webp_stream_open(imgc_webp_stream *stream, const imgc_request *request,
                           const imgc_webp_image *image, imgc_report *report) {
  if (!image->is_lossless && !image->alpha_is_coded) return false;
  const uint8_t *chunk = request->data + image->offset;
  size_t skipped = image->is_lossless ? VP8L_HEADER : 1, size = image->size - CHUNK_HEADER;
  if (imgc_le32(chunk + 4) < size) size = imgc_le32(chunk + 4);
  if (size < skipped) return false;
  *stream = (imgc_webp_stream){.request = request,
                               .report = report,
                               .max_symbols = UINT64_MAX,
                               .width = image->width,
                               .height = image->height};
  stream->bits = (imgc_webp_bits){
      .data = chunk + CHUNK_HEADER + skipped, .size = size - skipped, .is_valid = true};
  return true;
}

// Reads the entropy image of a main image of the given width.
static void read_entropy_image(imgc_webp_stream *p, uint32_t width) {
  imgc_webp_bits *b = &p->bits;
  p->tile_bits = imgc_webp_read_bits(b, 3) + 2;
  uint32_t columns = subsampled(width, p->tile_bits), rows = subsampled(p->height, p->tile_bits);
  uint64_t values[IMGC_WEBP_MAX_GROUPS / 64] = {0};
  tile_writer tiles = {.values = p->tiles, .size = (size_t)columns * rows};
  image_results results = {.values = values};
  if (p->tiles && tiles.size <= IMGC_WEBP_MAX_TILES) {
    imgc_webp_near_distances(tiles.near, columns);
    results.tiles = &tiles;
  }
  read_image(p, columns, rows, &results);
  p->has_tiles = results.tiles;
  p->groups = p->used = 0;
  for (uint32_t i = 0; i < IMGC_WEBP_MAX_GROUPS / 64; i++) {
    if (!values[i]) continue;
    p->groups = i * 64 + 64 - (uint32_t)__builtin_clzll(values[i]);
    p->used += (uint32_t)__builtin_popcountll(values[i]);
  }
}

static bool read_header(imgc_webp_stream *p) {
  imgc_webp_bits *b = &p->bits;
  uint32_t width = read_transforms(p);
  p->cache_bits = read_cache_bits(b);
  if (imgc_webp_read_bits(b, 1)) {
    read_entropy_image(p, width);
    return b->is_valid;
  }
  p->groups = p->used = 1;
  p->tile_bits = IMGC_WEBP_MAX_SIZE_BITS;
  if (p->tiles) p->tiles[0] = 0;
  p->has_tiles = p->tiles;
  return b->is_valid;
}

bool imgc_webp_stream_read_header(imgc_webp_stream *p) {
  bool is_valid = read_header(p);
  charge(p);
  return is_valid && p->bits.is_valid;
}

bool imgc_webp_stream_read_group(imgc_webp_stream *p) {
  read_group(p, p->cache_bits);
  charge(p);
  return p->bits.is_valid;
}
