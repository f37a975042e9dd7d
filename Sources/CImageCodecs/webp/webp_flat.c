// Decodes flat lossless images without libwebp (see Docs/decisions/0027-flat-webp.md). libwebp
// inserts every pixel into the colour cache, and writes an image of its own before the destination.
// Here only pixels that differ from the pixel before them are inserted, and copies are made in the
// destination.

#include "webp/webp_flat.h"
#include "core/bytes.h"
#include "core/cancel.h"
#include "core/scratch.h"
#include "webp/webp_stream.h"

#include <string.h>

// The least number of pixels for a byte and for a code. Tests define a smaller value.
#ifndef IMGC_WEBP_PIXELS_PER_CODE
#define IMGC_WEBP_PIXELS_PER_CODE 32
#endif

enum {
  QUICK_BITS = 8,
  LONG_CODE = UINT16_MAX,
  LENGTHS_END =
      IMGC_WEBP_LITERALS + IMGC_WEBP_LENGTHS, // green symbols from here on are indices of the cache
  BLOCK = 16,                                 // pixels that are compared at once
  ROWS_PER_POLL = 16,
};
static const uint32_t HASH = 0x1e35a7bd; // of a pixel, for its index in the cache

// A canonical code with a table by the next QUICK_BITS bits.
typedef struct quick_code {
  uint16_t table[1 << QUICK_BITS]; // symbol << 4 | length; LONG_CODE for more bits
  uint16_t counts[IMGC_WEBP_MAX_CODE_LENGTH + 1];
  const uint16_t *symbols;
} quick_code;

typedef struct group {
  quick_code codes[IMGC_WEBP_CODES];
  uint16_t symbols[IMGC_WEBP_MAX_ALPHABET + 4 * IMGC_WEBP_LITERALS];
} group;

// Pixels are in the byte order R, G, B, A.
typedef struct flat {
  imgc_webp_stream stream;
  const imgc_webp_image *image;
  uint8_t *pixels;
  uint64_t at; // pixels written
  uint64_t max_codes;
  group *groups;
  uint16_t tiles[IMGC_WEBP_MAX_TILES];
  uint32_t near[IMGC_WEBP_NEAR_CODES];           // distances of the codes from 1
  uint32_t cache[1 << IMGC_WEBP_MAX_CACHE_BITS]; // pixels as in `pixels`
} flat;

// ---------------------------------------------------------------- codes

// Returns the code after `code`, both of `length` bits, with the first bit lowest.
static uint32_t next_code(uint32_t code, unsigned length) {
  uint32_t bit = 1u << (length - 1);
  while (code & bit) code ^= bit, bit >>= 1;
  return code | bit;
}

// Copies the symbols to `symbols`, and returns the end of the copy.
static uint16_t *make_quick(quick_code *quick, const imgc_webp_code *code, uint16_t *symbols) {
  memcpy(symbols, code->symbols, code->used * sizeof *symbols);
  memcpy(quick->counts, code->count, sizeof quick->counts);
  quick->symbols = symbols;
  memset(quick->table, 0xff, sizeof quick->table);
  for (uint32_t at = 0; at < 1 << QUICK_BITS && code->is_single; at++)
    quick->table[at] = (uint16_t)((uint32_t)symbols[0] << 4);
  uint32_t value = 0, index = 0;
  for (unsigned length = 1; length <= QUICK_BITS && !code->is_single; length++)
    for (uint32_t i = 0; i < code->count[length]; i++, value = next_code(value, length)) {
      uint32_t entry = (uint32_t)symbols[index++] << 4 | length;
      for (uint32_t at = value; at < 1 << QUICK_BITS; at += 1u << length)
        quick->table[at] = (uint16_t)entry;
    }
  return symbols + code->used;
}

static inline __attribute__((always_inline)) uint32_t read_symbol(imgc_webp_bits *b,
                                                                  const quick_code *code) {
  uint32_t entry = code->table[b->value & ((1 << QUICK_BITS) - 1)];
  if (entry == LONG_CODE) return imgc_webp_read_code(b, code->counts, code->symbols);
  imgc_webp_skip(b, entry & 15);
  return entry >> 4;
}

// Returns false for damage, and for an image without the alpha bit whose literal pixels can be
// transparent.
static bool read_groups(flat *f) {
  imgc_webp_stream *s = &f->stream;
  for (uint32_t i = 0; i < s->groups; i++) {
    if (!imgc_webp_stream_read_group(s)) return false;
    if (!f->image->has_alpha && !imgc_webp_is_only(&s->codes[IMGC_WEBP_ALPHA], 255)) return false;
    uint16_t *symbols = f->groups[i].symbols;
    for (int k = 0; k < IMGC_WEBP_CODES; k++)
      symbols = make_quick(&f->groups[i].codes[k], &s->codes[k], symbols);
  }
  return true;
}

// ---------------------------------------------------------------- pixels

static uint32_t load(const uint8_t *p) { return imgc_le32(p); }

static void store(uint8_t *p, uint32_t pixel) {
  p[0] = (uint8_t)pixel, p[1] = (uint8_t)(pixel >> 8);
  p[2] = (uint8_t)(pixel >> 16), p[3] = (uint8_t)(pixel >> 24);
}

// Section 3.6.2.3: inserts a pixel of the destination. The index is that of the coded pixel.
static void insert(flat *f, uint32_t pixel) {
  if (f->stream.cache_bits == 0) return;
  uint32_t green = pixel >> 8 & 255, subtracted = f->stream.subtracts_green ? green : 0;
  uint32_t red = (pixel - subtracted) & 255, blue = ((pixel >> 16) - subtracted) & 255;
  uint32_t argb = (pixel & 0xff00ff00) | red << 16 | blue;
  f->cache[(HASH * argb) >> (32 - f->stream.cache_bits)] = pixel;
}

static uint32_t read_literal(flat *f, imgc_webp_bits *b, const group *g, uint32_t green) {
  uint32_t red = read_symbol(b, &g->codes[IMGC_WEBP_RED]);
  imgc_webp_fill(b);
  uint32_t blue = read_symbol(b, &g->codes[IMGC_WEBP_BLUE]);
  uint32_t alpha = read_symbol(b, &g->codes[IMGC_WEBP_ALPHA]);
  uint32_t added = f->stream.subtracts_green ? green : 0; // section 3.5.3
  return alpha << 24 | ((blue + added) & 255) << 16 | green << 8 | ((red + added) & 255);
}

// Inserts `count` pixels, except those that are equal to the pixel before them.
static void insert_copies(flat *f, const uint8_t *pixels, uint32_t count) {
  if (f->stream.cache_bits == 0) return;
  for (uint32_t i = 0; i < count; i += BLOCK) {
    const uint8_t *p = pixels + (size_t)i * 4;
    uint32_t size = count - i < BLOCK ? count - i : BLOCK;
    if (size == BLOCK) {
      uint64_t changes = 0;
      for (int k = 0; k < BLOCK * 4; k += 8)
        changes |= imgc_load_le64(p + k) ^ imgc_load_le64(p + k - 4);
      if (changes == 0) continue;
    }
    for (uint32_t k = 0; k < size; k++, p += 4)
      if (load(p) != load(p - 4)) insert(f, load(p));
  }
}

// Section 3.6.2.2: repeats `count` pixels that start `distance` pixels before.
static void copy(flat *f, uint32_t distance, uint32_t count) {
  uint8_t *to = f->pixels + f->at * 4;
  size_t size = (size_t)count * 4, done = (size_t)distance * 4;
  if (done >= size) {
    memcpy(to, to - done, size);
  } else {
    // The pixels repeat with the period of the distance.
    memcpy(to, to - done, done);
    for (size_t next; done < size; done += next) {
      next = done < size - done ? done : size - done;
      memcpy(to + done, to, next);
    }
  }
  // With the distance 1 all pixels are equal to the pixel before them.
  if (distance > 1) insert_copies(f, to, count);
}

// Returns 0 when the distance is that of a pixel before the image.
static uint32_t read_distance(const flat *f, imgc_webp_bits *b, const group *g) {
  imgc_webp_fill(b);
  uint32_t code = imgc_webp_read_length(b, read_symbol(b, &g->codes[IMGC_WEBP_DISTANCE]));
  uint32_t distance = code > IMGC_WEBP_NEAR_CODES ? code - IMGC_WEBP_NEAR_CODES : f->near[code - 1];
  return distance > f->at ? 0 : distance;
}

// Returns false when libwebp must decode the image, and when imgc_poll fails.
static bool read_pixels(flat *f) {
  const imgc_webp_stream *s = &f->stream;
  const uint32_t width = f->image->width;
  const uint32_t columns = (width + (1u << s->tile_bits) - 1) >> s->tile_bits;
  const uint64_t total = (uint64_t)width * f->image->height;
  imgc_webp_bits b = s->bits;
  uint64_t codes = 0;
  for (uint32_t x = 0, y = 0, next_poll = 0; f->at < total;) {
    if (++codes > f->max_codes) return false;
    if (y >= next_poll) {
      if (imgc_poll(s->request, s->report)) return false;
      next_poll = y + ROWS_PER_POLL;
    }
    const group *g = &f->groups[s->tiles[(y >> s->tile_bits) * columns + (x >> s->tile_bits)]];
    imgc_webp_fill(&b);
    uint32_t green = read_symbol(&b, &g->codes[IMGC_WEBP_GREEN]), count = 1;
    uint8_t *pixel = f->pixels + f->at * 4;
    if (green < IMGC_WEBP_LITERALS) {
      uint32_t value = read_literal(f, &b, g, green);
      store(pixel, value);
      insert(f, value);
    } else if (green < LENGTHS_END) {
      count = imgc_webp_read_length(&b, green - IMGC_WEBP_LITERALS);
      uint32_t distance = read_distance(f, &b, g);
      if (!b.is_valid || distance == 0 || count > total - f->at) return false;
      copy(f, distance, count);
    } else {
      uint32_t value = f->cache[green - LENGTHS_END];
      store(pixel, value);
      if (value == 0) {
        // An empty entry, unless a transparent pixel is black.
        if (!f->image->has_alpha) return false;
        insert(f, 0);
      }
    }
    if (!b.is_valid) return false;
    f->at += count;
    for (x += count; x >= width; x -= width) y++;
  }
  return true;
}

bool imgc_webp_draw_flat(const imgc_request *request, const imgc_webp_image *image, uint8_t *pixels,
                         imgc_report *report) {
  uint64_t count = (uint64_t)image->width * image->height,
           max_groups = count / IMGC_WEBP_PIXELS_PER_GROUP;
  uint64_t max_codes = count / IMGC_WEBP_PIXELS_PER_CODE;
  // A code has about a byte.
  if (!image->is_lossless || image->is_truncated || count < IMGC_WEBP_PIXELS_PER_GROUP ||
      image->size > max_codes)
    return false;
  flat f = {.image = image, .pixels = pixels, .max_codes = max_codes};
  imgc_webp_stream *s = &f.stream;
  if (!imgc_webp_stream_open(s, request, image, report)) return false;
  s->max_symbols = max_groups * IMGC_WEBP_SYMBOLS_PER_GROUP;
  s->tiles = f.tiles;
  if (!imgc_webp_stream_read_header(s) || !s->has_tiles || s->groups > max_groups ||
      s->has_predictor || s->has_color_transform || s->colors)
    return false;
  size_t size = s->groups * sizeof(group);
  f.groups = imgc_scratch_alloc(request, size);
  if (!f.groups) return false;
  imgc_webp_near_distances(f.near, image->width);
  bool is_complete = read_groups(&f) && read_pixels(&f);
  imgc_scratch_free(request, f.groups, size);
  return is_complete;
}
