// Blocks that are decoded from DC or from their lowest coefficients, against blocks that are
// decoded completely.

#include "jpeg/baseline/jpeg_flat.h"
#include "jpeg/baseline/jpeg_reduced.h"
#include "tests.h"

enum { BLOCKS = 300, CAPACITY = BLOCKS * 64 * 4 * 2, SYMBOLS = 162 };

// T.81, annex K.3.3.2: the lengths of the codes of luminance AC coefficients. The symbols are
// assigned in random order, so that long codes are as frequent as short ones.
static const uint8_t lengths[17] = {0, 0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125};
static const uint8_t dc_lengths[17] = {0, 0, 1, 5, 1, 1, 1, 1, 1, 1};

typedef struct codes {
  uint8_t symbols[256];
  uint16_t code[256];
  uint8_t length[256];
} codes;

typedef struct writer {
  uint8_t *bytes;
  size_t count;
  uint32_t bits;
  unsigned used;
} writer;

static void put(writer *w, uint32_t value, unsigned count) {
  while (count-- > 0) {
    w->bits = w->bits << 1 | (value >> count & 1);
    if (++w->used < 8) continue;
    w->bytes[w->count++] = (uint8_t)w->bits;
    if ((uint8_t)w->bits == 0xFF) w->bytes[w->count++] = 0;
    w->used = 0;
  }
}

static void assign(codes *c, const uint8_t counts[17]) {
  uint16_t code = 0, index = 0;
  for (uint8_t length = 1; length <= 16; length++, code = (uint16_t)(code << 1))
    for (unsigned i = 0; i < counts[length]; i++, code++, index++) {
      c->code[c->symbols[index]] = code;
      c->length[c->symbols[index]] = length;
    }
}

static void make_codes(codes *dc, codes *ac) {
  unsigned count = 0;
  for (unsigned run = 0; run < 16; run++)
    for (unsigned size = 1; size <= 10; size++) ac->symbols[count++] = (uint8_t)(run << 4 | size);
  ac->symbols[count++] = 0x00; // end of block
  ac->symbols[count++] = 0xF0; // 16 zeros
  for (unsigned i = SYMBOLS - 1; i > 0; i--) {
    unsigned other = random_number() % (i + 1);
    uint8_t symbol = ac->symbols[i];
    ac->symbols[i] = ac->symbols[other];
    ac->symbols[other] = symbol;
  }
  for (uint8_t i = 0; i < 12; i++) dc->symbols[i] = i;
  assign(dc, dc_lengths);
  assign(ac, lengths);
}

static void put_value(writer *w, int value, unsigned size) {
  put(w, (uint32_t)(value < 0 ? value + (1 << size) - 1 : value), size);
}

static unsigned size_of(int value) {
  unsigned size = 0;
  for (unsigned magnitude = (unsigned)abs(value); magnitude > 0; magnitude >>= 1) size++;
  return size;
}

static void put_symbol(writer *w, const codes *c, uint8_t symbol) {
  put(w, c->code[symbol], c->length[symbol]);
}

// Appends a block of random coefficients; `most` is the largest distance between two of them.
static void put_block(writer *w, const codes *dc, const codes *ac, int *last, unsigned most) {
  int value = (int)(random_number() % 401) - 200, difference = value - *last;
  *last = value;
  put_symbol(w, dc, (uint8_t)size_of(difference));
  put_value(w, difference, size_of(difference));
  unsigned k = 1;
  for (;;) {
    unsigned run = random_number() % most;
    if (random_number() % 8 == 0 || k + run >= 64) break;
    for (k += run + 1; run >= 16; run -= 16) put_symbol(w, ac, 0xF0);
    int coefficient = (int)(random_number() % 2047) - 1023;
    coefficient /= 1 << random_number() % 11;
    if (coefficient == 0) coefficient = 1;
    unsigned size = size_of(coefficient);
    put_symbol(w, ac, (uint8_t)(run << 4 | size));
    put_value(w, coefficient, size);
    if (k == 64) return;
  }
  put_symbol(w, ac, 0x00);
}

// Returns the expected samples: those of the complete decoder, without the higher coefficients.
static bool read_expected(imgc_jpeg_bits *bits, const imgc_huffman *dc, const imgc_huffman *ac,
                          const int32_t steps[64], int32_t *last, unsigned size, uint8_t *samples) {
  int16_t block[64] = {0};
  if (imgc_jpeg_block(bits, dc, ac, steps, last, block) == 0) return false;
  for (unsigned k = 1; k < 64; k++)
    if (k != 1 && k != 8 && k != 9) block[k] = 0;
  if (size == 1)
    imgc_jpeg_reduce_flat(samples, 1, block[0], 1);
  else
    imgc_jpeg_reduce(samples, 2, block, 2);
  return true;
}

static void compare(const uint8_t *data, size_t size, const imgc_huffman *dc,
                    const imgc_huffman *ac, unsigned side, unsigned blocks) {
  static imgc_huffman_skips skips;
  int32_t steps[64], last = 0;
  for (int k = 0; k < 64; k++) steps[k] = 1;
  imgc_huffman_skips_init(&skips, ac);
  imgc_flat_plane plane = {dc, ac, &skips, steps, side, 0};
  imgc_jpeg_bits bits = {.next = data, .end = data + size}, expected_bits = bits;
  const uint8_t first = 0;
  for (unsigned i = 0; i < blocks; i++) {
    uint8_t samples[4] = {0}, expected[4] = {0};
    bool done = imgc_jpeg_flat_mcus(&bits, &plane, &first, 1, 1, samples);
    bool is_expected = read_expected(&expected_bits, dc, ac, steps, &last, side, expected);
    if (!expect(done == is_expected, "block %u of %zu bytes, %u x %u", i, size, side, side)) return;
    if (!done) return;
    for (unsigned n = 0; n < side * side; n++)
      expect(abs(samples[n] - expected[n]) <= (side == 1 ? 0 : 1), "sample %u of block %u: %d, %d",
             n, i, samples[n], expected[n]);
  }
}

void test_jpeg_flat_blocks(void) {
  static imgc_huffman dc, ac;
  static uint8_t bytes[CAPACITY];
  for (unsigned round = 0; round < 60; round++) {
    codes dc_codes = {0}, ac_codes = {0};
    make_codes(&dc_codes, &ac_codes);
    if (!expect(imgc_huffman_init(&dc, dc_lengths, dc_codes.symbols, false) &&
                    imgc_huffman_init(&ac, lengths, ac_codes.symbols, true),
                "codes"))
      return;
    writer w = {.bytes = bytes};
    int last = 0;
    for (unsigned i = 0; i < BLOCKS; i++)
      put_block(&w, &dc_codes, &ac_codes, &last, round % 3 == 0 ? 40 : 3);
    put(&w, 127, 7);
    for (unsigned side = 1; side <= 2; side++) {
      compare(bytes, w.count, &dc, &ac, side, BLOCKS);
      // Truncated data, in memory of exactly its size.
      for (int cut = 0; cut < 40; cut++) {
        size_t size = random_number() % w.count;
        uint8_t *copy = malloc(size + 1);
        memcpy(copy, bytes, size);
        compare(copy, size, &dc, &ac, side, BLOCKS);
        free(copy);
      }
    }
  }
}
