// The memory of the prefix codes of a lossless stream (RFC 9649, sections 3.4 to 6.2).
//
// Only the largest value of the entropy image matters, and how many values it has. Copies and
// colour cache codes repeat values of literal pixels, so no pixel is stored: the images before the
// main image are only parsed.

#include "webp/webp_prefix.h"
#include "core/cancel.h"

#include <string.h>

enum {
  CHUNK_HEADER = 8,
  VP8L_HEADER = 5,
  LITERALS = 256,
  LENGTH_CODES = 24,
  DISTANCE_CODES = 40,
  MAX_CACHE_BITS = 11,
  MAX_ALPHABET = LITERALS + LENGTH_CODES + (1 << MAX_CACHE_BITS),
  MAX_CODE_LENGTH = 15,
  PIXELS_PER_POLL = 1 << 16,
  // The table entries of a group without colour cache, 4 bytes each, and the size of its struct.
  GROUP_ENTRIES = 2954,
  GROUP_BYTES = 640,
  MAX_GROUPS = 65536,
  DENSE_GROUPS = 1000, // with more groups, libwebp has tables only for the values that occur
};

typedef struct bits {
  const uint8_t *data;
  size_t size;
  size_t at; // next byte
  uint64_t value;
  unsigned count; // bits in `value`
  bool is_valid;  // false after the end of the data, or after an invalid code
} bits;

static uint32_t read_bits(bits *b, unsigned count) {
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

// A canonical code: the symbols in order of their code length and value.
typedef struct code {
  uint16_t count[MAX_CODE_LENGTH + 1]; // codes of each length
  uint16_t symbols[MAX_ALPHABET];
  bool is_single; // one symbol, which takes no bits
} code;

typedef struct parser {
  const imgc_request *request;
  imgc_report *report;
  bits bits;
  uint64_t pixels;
  uint8_t lengths[MAX_ALPHABET];
  code length_code;
  code codes[5]; // green, lengths and cache; red; blue; alpha; distance
} parser;

static void build(code *code, const uint8_t *lengths, uint32_t alphabet, bits *b) {
  memset(code->count, 0, sizeof code->count);
  for (uint32_t i = 0; i < alphabet; i++) code->count[lengths[i]]++;
  uint32_t used = alphabet - code->count[0];
  code->count[0] = 0;
  code->is_single = used == 1;
  uint16_t offset[MAX_CODE_LENGTH + 2] = {0};
  int32_t left = 1; // unused codes of a length
  for (int length = 1; length <= MAX_CODE_LENGTH; length++) {
    offset[length + 1] = (uint16_t)(offset[length] + code->count[length]);
    left = left * 2 - code->count[length];
    if (left < 0) b->is_valid = false;
  }
  if (used == 0 || (used > 1 && left != 0)) b->is_valid = false;
  for (uint32_t i = 0; i < alphabet; i++)
    if (lengths[i]) code->symbols[offset[lengths[i]]++] = (uint16_t)i;
}

static uint32_t read_symbol(bits *b, const code *code) {
  if (code->is_single) return code->symbols[0];
  uint32_t value = 0, first = 0, index = 0;
  for (int length = 1; length <= MAX_CODE_LENGTH && b->is_valid; length++) {
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
static void read_lengths(parser *p, uint32_t alphabet) {
  static const uint8_t order[] = {17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  bits *b = &p->bits;
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

static void read_code(parser *p, code *code, uint32_t alphabet) {
  bits *b = &p->bits;
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

static uint32_t read_cache_bits(bits *b) {
  if (!read_bits(b, 1)) return 0;
  uint32_t count = read_bits(b, 4);
  if (count < 1 || count > MAX_CACHE_BITS) b->is_valid = false;
  return b->is_valid ? count : 0;
}

// Section 5.2.2: a value of a prefix code with extra bits.
static uint32_t read_length(bits *b, uint32_t symbol) {
  if (symbol < 4) return symbol + 1;
  uint32_t extra = (symbol - 2) >> 1;
  return ((2 + (symbol & 1)) << extra) + read_bits(b, extra) + 1;
}

// Parses an image with one group of codes, and adds its values to `values`, a bit per value, unless
// NULL. The values of the entropy image are in red and green.
static void read_image(parser *p, uint32_t width, uint32_t height, uint8_t *values) {
  bits *b = &p->bits;
  uint32_t cache_bits = read_cache_bits(b);
  uint32_t cache = cache_bits ? 1u << cache_bits : 0;
  const uint32_t alphabets[5] = {LITERALS + LENGTH_CODES + cache, LITERALS, LITERALS, LITERALS,
                                 DISTANCE_CODES};
  for (int i = 0; i < 5 && b->is_valid; i++) read_code(p, &p->codes[i], alphabets[i]);
  uint64_t left = (uint64_t)width * height;
  while (left > 0 && b->is_valid) {
    if (++p->pixels % PIXELS_PER_POLL == 0 && imgc_poll(p->request, p->report)) b->is_valid = false;
    uint32_t green = read_symbol(b, &p->codes[0]), count = 1;
    if (green < LITERALS) {
      uint32_t red = read_symbol(b, &p->codes[1]);
      read_symbol(b, &p->codes[2]);
      read_symbol(b, &p->codes[3]);
      uint32_t value = red << 8 | green;
      if (values && b->is_valid) values[value >> 3] |= (uint8_t)(1 << (value & 7));
    } else if (green < LITERALS + LENGTH_CODES) {
      count = read_length(b, green - LITERALS);
      read_length(b, read_symbol(b, &p->codes[4]));
    }
    if (count > left) b->is_valid = false;
    left -= b->is_valid ? count : 0;
  }
}

static uint32_t subsampled(uint32_t size, uint32_t bits) {
  return (size + (1u << bits) - 1) >> bits;
}

// Section 4. Returns the width of the main image: the color-indexing transform packs pixels.
static uint32_t read_transforms(parser *p, uint32_t width, uint32_t height) {
  enum { PREDICTOR, COLOR, SUBTRACT_GREEN, COLOR_INDEXING };
  bits *b = &p->bits;
  unsigned seen = 0;
  while (b->is_valid && read_bits(b, 1)) {
    uint32_t type = read_bits(b, 2);
    if (seen & 1u << type) b->is_valid = false;
    seen |= 1u << type;
    if (!b->is_valid || type == SUBTRACT_GREEN) continue;
    if (type == COLOR_INDEXING) {
      uint32_t colors = read_bits(b, 8) + 1;
      read_image(p, colors, 1, NULL);
      width = subsampled(width, colors > 16 ? 0 : colors > 4 ? 1 : colors > 2 ? 2 : 3);
    } else {
      uint32_t size_bits = read_bits(b, 3) + 2;
      read_image(p, subsampled(width, size_bits), subsampled(height, size_bits), NULL);
    }
  }
  return width;
}

static uint64_t table_bytes(uint64_t groups, uint32_t cache_bits) {
  uint64_t entries = GROUP_ENTRIES + (cache_bits ? (1u << cache_bits) + 2 : 0);
  return groups * (entries * 4 + GROUP_BYTES);
}

static uint64_t parse(parser *p, uint32_t width, uint32_t height) {
  bits *b = &p->bits;
  uint8_t values[MAX_GROUPS / 8] = {0};
  width = read_transforms(p, width, height);
  uint32_t cache_bits = read_cache_bits(b);
  if (read_bits(b, 1)) {
    uint32_t size_bits = read_bits(b, 3) + 2;
    read_image(p, subsampled(width, size_bits), subsampled(height, size_bits), values);
  } else {
    values[0] = 1;
  }
  if (!b->is_valid) return 0;
  uint32_t last = 0, count = 0;
  for (uint32_t i = 0; i < MAX_GROUPS; i++)
    if (values[i >> 3] >> (i & 7) & 1) last = i, count++;
  uint32_t groups = last + 1 > DENSE_GROUPS ? count : last + 1;
  return table_bytes(groups, cache_bits);
}

// ---------------------------------------------------------------- streams

uint64_t imgc_webp_prefix_bytes(const imgc_request *request, const imgc_webp_image *image,
                                imgc_report *report) {
  if (!image->is_lossless && !image->alpha_is_coded) return 0;
  const uint8_t *chunk = request->data + image->offset;
  size_t skipped = image->is_lossless ? VP8L_HEADER : 1, size = image->size - CHUNK_HEADER;
  if (imgc_le32(chunk + 4) < size) size = imgc_le32(chunk + 4);
  if (size < skipped) return 0;
  parser p = {.request = request, .report = report};
  p.bits = (bits){.data = chunk + CHUNK_HEADER + skipped, .size = size - skipped, .is_valid = true};
  return parse(&p, image->width, image->height);
}

uint64_t imgc_webp_max_prefix_bytes(const imgc_webp_image *image) {
  return image->is_lossless || image->alpha_is_coded ? table_bytes(MAX_GROUPS, MAX_CACHE_BITS) : 0;
}
