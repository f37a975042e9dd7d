// The header of a lossless stream. Copies and colour cache codes repeat values of literal pixels,
// so no pixel is stored: the images before the main image are only parsed.

#include "webp/webp_stream.h"
#include "core/cancel.h"

#include <string.h>

enum {
  CHUNK_HEADER = 8,
  VP8L_HEADER = 5,
  LENGTH_CODES = 24,
  DISTANCE_CODES = 40,
  SYMBOLS_PER_POLL = 1 << 16,
};

static uint32_t read_bits(imgc_webp_bits *b, unsigned count) {
  while (b->count < count) {
    if (b->at >= b->size) {
      b->is_valid = false;
      return 0;
    }
    b->value |= (uint64_t)b->data[b->at++] << b->count;
    b->count += 8;
  }
  uint32_t result = (uint32_t)(b->value & (((uint64_t)1 << count) - 1));
  b->value >>= count;
  b->count -= count;
  return result;
}

// ---------------------------------------------------------------- prefix codes

static void build(imgc_webp_code *code, const uint8_t *lengths, uint32_t alphabet,
                  imgc_webp_bits *b) {
  memset(code->count, 0, sizeof code->count);
  for (uint32_t i = 0; i < alphabet; i++) code->count[lengths[i]]++;
  uint32_t used = alphabet - code->count[0];
  code->count[0] = 0;
  code->used = (uint16_t)used;
  code->is_single = used == 1;
  uint16_t offset[IMGC_WEBP_MAX_CODE_LENGTH + 2] = {0};
  int32_t left = 1; // unused codes of a length
  for (int length = 1; length <= IMGC_WEBP_MAX_CODE_LENGTH; length++) {
    offset[length + 1] = (uint16_t)(offset[length] + code->count[length]);
    left = left * 2 - code->count[length];
    if (left < 0) b->is_valid = false;
  }
  if (used == 0 || (used > 1 && left != 0)) b->is_valid = false;
  for (uint32_t i = 0; i < alphabet; i++)
    if (lengths[i]) code->symbols[offset[lengths[i]]++] = (uint16_t)i;
}

static uint32_t read_symbol(imgc_webp_bits *b, const imgc_webp_code *code) {
  if (code->is_single) return code->symbols[0];
  uint32_t value = 0, first = 0, index = 0;
  for (int length = 1; length <= IMGC_WEBP_MAX_CODE_LENGTH && b->is_valid; length++) {
    value |= read_bits(b, 1);
    uint32_t count = code->count[length];
    if (value - first < count) return code->symbols[index + value - first];
    index += count;
    first = (first + count) << 1;
    value <<= 1;
  }
  b->is_valid = false;
  return 0;
}

// Section 6.2.1: the lengths of the codes, themselves coded.
static void read_lengths(imgc_webp_stream *p, uint32_t alphabet) {
  static const uint8_t order[] = {17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  imgc_webp_bits *b = &p->bits;
  uint8_t lengths[sizeof order] = {0};
  uint32_t count = read_bits(b, 4) + 4;
  for (uint32_t i = 0; i < count; i++) lengths[order[i]] = (uint8_t)read_bits(b, 3);
  build(&p->length_code, lengths, sizeof order, b);
  uint32_t left = alphabet;
  if (read_bits(b, 1)) {
    left = read_bits(b, 2 + 2 * read_bits(b, 3)) + 2;
    if (left > alphabet) b->is_valid = false;
  }
  uint8_t previous = 8;
  for (uint32_t i = 0; i < alphabet && left > 0 && b->is_valid; left--) {
    uint32_t symbol = read_symbol(b, &p->length_code), repeat = 1;
    uint8_t length = 0;
    if (symbol < 16) {
      length = (uint8_t)symbol;
      if (length) previous = length;
    } else if (symbol == 16) {
      length = previous;
      repeat = read_bits(b, 2) + 3;
    } else {
      repeat = symbol == 17 ? read_bits(b, 3) + 3 : read_bits(b, 7) + 11;
    }
    if (repeat > alphabet - i) {
      b->is_valid = false;
      return;
    }
    memset(p->lengths + i, length, repeat);
    i += repeat;
  }
}

static void read_code(imgc_webp_stream *p, imgc_webp_code *code, uint32_t alphabet) {
  imgc_webp_bits *b = &p->bits;
  memset(p->lengths, 0, alphabet);
  if (read_bits(b, 1)) {
    bool has_two = read_bits(b, 1);
    p->lengths[read_bits(b, read_bits(b, 1) ? 8 : 1)] = 1;
    if (has_two) p->lengths[read_bits(b, 8)] = 1;
  } else {
    read_lengths(p, alphabet);
  }
  if (b->is_valid) build(code, p->lengths, alphabet, b);
}

// ---------------------------------------------------------------- images

static uint32_t read_cache_bits(imgc_webp_bits *b) {
  if (!read_bits(b, 1)) return 0;
  uint32_t count = read_bits(b, 4);
  if (count < 1 || count > IMGC_WEBP_MAX_CACHE_BITS) b->is_valid = false;
  return b->is_valid ? count : 0;
}

// Section 5.2.2: a value of a prefix code with extra bits.
static uint32_t read_length(imgc_webp_bits *b, uint32_t symbol) {
  if (symbol < 4) return symbol + 1;
  uint32_t extra = (symbol - 2) >> 1;
  return ((2 + (symbol & 1)) << extra) + read_bits(b, extra) + 1;
}

// Reads the codes of a group of an image with a colour cache of the given size.
static void read_group(imgc_webp_stream *p, uint32_t cache_bits) {
  uint32_t cache = cache_bits ? 1u << cache_bits : 0;
  const uint32_t alphabets[IMGC_WEBP_CODES] = {IMGC_WEBP_LITERALS + LENGTH_CODES + cache,
                                               IMGC_WEBP_LITERALS, IMGC_WEBP_LITERALS,
                                               IMGC_WEBP_LITERALS, DISTANCE_CODES};
  for (int i = 0; i < IMGC_WEBP_CODES && p->bits.is_valid; i++)
    read_code(p, &p->codes[i], alphabets[i]);
}

// A palette is stored as differences to the previous colour (section 4.4): it is opaque if the
// first alpha is 255 and the others are 0, so if copies do not copy the first.
static bool copies_opaque(uint32_t at, uint32_t distance_code) {
  // Section 5.2.2: the code 2 is the previous pixel. Codes from 3 to 120 are not resolved.
  uint32_t distance = distance_code == 2 ? 1 : distance_code > 120 ? distance_code - 120 : 0;
  return distance > 0 && distance < at;
}

// Parses an image with one group of codes, and adds its values to `values`, a bit per value, unless
// NULL. The values of the entropy image are in red and green. `is_opaque` can be NULL; it is set to
// false when the image, as a palette, is not known to be opaque.
static void read_image(imgc_webp_stream *p, uint32_t width, uint32_t height, uint64_t *values,
                       bool *is_opaque) {
  imgc_webp_bits *b = &p->bits;
  read_group(p, read_cache_bits(b));
  uint64_t total = (uint64_t)width * height;
  bool opaque = true;
  for (uint64_t at = 0, count = 1; at < total && b->is_valid; at += count) {
    if (++p->symbols % SYMBOLS_PER_POLL == 0 && imgc_poll(p->request, p->report))
      b->is_valid = false;
    if (p->symbols > p->max_symbols) b->is_valid = false;
    uint32_t green = read_symbol(b, &p->codes[IMGC_WEBP_GREEN]);
    count = 1;
    if (green < IMGC_WEBP_LITERALS) {
      uint32_t red = read_symbol(b, &p->codes[IMGC_WEBP_RED]);
      read_symbol(b, &p->codes[IMGC_WEBP_BLUE]);
      opaque &= read_symbol(b, &p->codes[IMGC_WEBP_ALPHA]) == (at == 0 ? 255 : 0);
      uint32_t value = red << 8 | green;
      if (values && b->is_valid) values[value >> 6] |= (uint64_t)1 << (value & 63);
    } else if (green < IMGC_WEBP_LITERALS + LENGTH_CODES) {
      count = read_length(b, green - IMGC_WEBP_LITERALS);
      uint32_t code = read_length(b, read_symbol(b, &p->codes[IMGC_WEBP_DISTANCE]));
      opaque &= copies_opaque((uint32_t)at, code);
    } else {
      opaque = false;
    }
    if (count > total - at) b->is_valid = false;
  }
  if (is_opaque) *is_opaque = opaque;
}

static uint32_t subsampled(uint32_t size, uint32_t bits) {
  return (size + (1u << bits) - 1) >> bits;
}

// Section 4. Returns the width of the main image: the color-indexing transform packs pixels.
static uint32_t read_transforms(imgc_webp_stream *p) {
  enum { PREDICTOR, COLOR, SUBTRACT_GREEN, COLOR_INDEXING };
  imgc_webp_bits *b = &p->bits;
  uint32_t width = p->width, height = p->height;
  unsigned seen = 0;
  while (b->is_valid && read_bits(b, 1)) {
    uint32_t type = read_bits(b, 2);
    if (seen & 1u << type) b->is_valid = false;
    seen |= 1u << type;
    if (!b->is_valid || type == SUBTRACT_GREEN) continue;
    if (type == COLOR_INDEXING) {
      p->colors = read_bits(b, 8) + 1;
      read_image(p, p->colors, 1, NULL, &p->has_opaque_colors);
      width = subsampled(width, imgc_webp_packing_bits(p->colors));
    } else {
      uint32_t size_bits = read_bits(b, 3) + 2;
      p->has_predictor |= type == PREDICTOR;
      read_image(p, subsampled(width, size_bits), subsampled(height, size_bits), NULL, NULL);
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

bool imgc_webp_stream_read_header(imgc_webp_stream *p) {
  imgc_webp_bits *b = &p->bits;
  uint32_t width = read_transforms(p);
  p->cache_bits = read_cache_bits(b);
  p->groups = p->used = 1;
  if (!read_bits(b, 1)) return b->is_valid;
  uint64_t values[IMGC_WEBP_MAX_GROUPS / 64] = {0};
  uint32_t size_bits = read_bits(b, 3) + 2;
  read_image(p, subsampled(width, size_bits), subsampled(p->height, size_bits), values, NULL);
  p->groups = p->used = 0;
  for (uint32_t i = 0; i < IMGC_WEBP_MAX_GROUPS / 64; i++) {
    if (!values[i]) continue;
    p->groups = i * 64 + 64 - (uint32_t)__builtin_clzll(values[i]);
    p->used += (uint32_t)__builtin_popcountll(values[i]);
  }
  return b->is_valid;
}

bool imgc_webp_stream_read_group(imgc_webp_stream *p) {
  read_group(p, p->cache_bits);
  return p->bits.is_valid;
}
