#include "jpeg/baseline/jpeg_huffman.h"

#include "jpeg/baseline/jpeg_bits.h"

#include <string.h>

const uint8_t imgc_jpeg_order[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// ---------------------------------------------------------------- tables

// Without the bits that say the value.
static uint32_t entry_of(const imgc_huffman *h, unsigned symbol) {
  if (!h->is_ac) return symbol << 6;
  unsigned run = symbol >> 4, size = symbol & 15;
  if (size == 0 && run != 15) run = IMGC_BLOCK_ENDS;
  return run << 10 | size << 6;
}

static void fill(imgc_huffman *h, unsigned code, unsigned length, unsigned symbol) {
  const uint32_t entry = entry_of(h, symbol);
  const unsigned rest = IMGC_HUFFMAN_LOOK - length, size = entry >> 6 & 15;
  for (uint32_t i = 0; i < 1u << rest; i++) {
    uint32_t *at = &h->look[(code << rest) + i];
    if (size <= rest) {
      int32_t value = imgc_extend(i >> (rest - size), size);
      *at = (uint32_t)value << 16 | (entry & ~(15u << 6)) | (length + size);
    } else {
      *at = entry | length;
    }
  }
}

bool imgc_huffman_make(imgc_huffman *h, const uint8_t bits[17], const uint8_t symbols[256],
                       bool is_ac) {
  memset(h, 0, sizeof *h);
  memcpy(h->symbols, symbols, sizeof h->symbols);
  h->is_ac = is_ac;
  unsigned code = 0, place = 0;
  for (unsigned length = 1; length <= 16; length++, code <<= 1) {
    h->offset[length] = (int32_t)place - (int32_t)code;
    for (unsigned i = 0; i < bits[length]; i++, code++, place++) {
      // No code has ones alone (T.81, C.2), and no DC difference of 8 bits has more than 11.
      if (place == 256 || code + 1 >= 1u << length) return false;
      if (!is_ac && symbols[place] > 11) return false;
      if (length <= IMGC_HUFFMAN_LOOK) fill(h, code, length, symbols[place]);
    }
    h->end[length] = code << (16 - length);
  }
  return true;
}

// ---------------------------------------------------------------- bits

// After FF comes 00, which is not data, or a marker.
void imgc_jpeg_refill_bytes(imgc_jpeg_bits *b) {
  if (b->count < 0) return;
  // What lies above is less than a byte, and comes again.
  b->ahead &= ~(UINT64_MAX >> b->count);
  while (b->count < 56 && b->next < b->end) {
    unsigned byte = *b->next;
    unsigned length = 1;
    if (byte == 0xFF) {
      if (b->end - b->next < 2 || b->next[1] != 0) return;
      length = 2;
    }
    b->next += length;
    b->ahead |= (uint64_t)byte << (56 - b->count);
    b->count += 8;
  }
}

uint32_t imgc_huffman_long_code(const imgc_huffman *h, uint64_t ahead) {
  const uint32_t code = (uint32_t)(ahead >> 48);
  for (unsigned length = IMGC_HUFFMAN_LOOK + 1; length <= 16; length++) {
    if (code >= h->end[length]) continue;
    int32_t place = h->offset[length] + (int32_t)(code >> (16 - length));
    return entry_of(h, h->symbols[place & 255]) | length;
  }
  return 0;
}

// ---------------------------------------------------------------- blocks

// Of a block under way.
typedef struct walk {
  unsigned k, count;
  // Bits from 12 on are set once a coefficient is out of range.
  uint32_t range;
} walk;

// One code; false at the end of the block, or of what is understood.
static inline __attribute__((always_inline)) bool step(imgc_jpeg_bits *b, const imgc_huffman *ac,
                                                       const int32_t steps[64], int16_t block[64],
                                                       walk *w) {
  const uint32_t entry = imgc_take(b, ac);
  const unsigned run = entry >> 10 & 63;
  w->k += run;
  if (w->k >= 64 || entry == 0) {
    // A run that leads out of the block is not what ends it.
    if (run != IMGC_BLOCK_ENDS) w->range = UINT32_MAX;
    return false;
  }
  const int32_t coefficient = imgc_value_of(entry) * steps[w->k];
  block[imgc_jpeg_order[w->k]] = (int16_t)coefficient;
  w->range |= (uint32_t)coefficient + 2048;
  w->count = ++w->k;
  return w->k < 64;
}

unsigned imgc_jpeg_block(imgc_jpeg_bits *bits, const imgc_huffman *dc, const imgc_huffman *ac,
                         const int32_t steps[64], int32_t *last_dc, int16_t block[64]) {
  enum { LEAST = 31 };
  imgc_jpeg_bits b = *bits;
  imgc_refill(&b);
  const uint32_t entry = imgc_take(&b, dc);
  if (entry == 0) return 0;
  *last_dc += imgc_value_of(entry);
  const int32_t coefficient = *last_dc * steps[0];
  block[0] = (int16_t)coefficient;
  walk w = {.k = 1, .count = 1, .range = (uint32_t)coefficient + 2048};
  // A branch that asks for bits after every code would be guessed wrong every few codes. Where bits
  // were just asked for, three codes mostly find enough of them.
  while (b.count >= LEAST ? step(&b, ac, steps, block, &w) : true) {
    imgc_refill(&b);
    if (!step(&b, ac, steps, block, &w)) break;
    if (b.count < LEAST) continue;
    if (!step(&b, ac, steps, block, &w)) break;
    if (b.count < LEAST) continue;
    if (!step(&b, ac, steps, block, &w)) break;
  }
  *bits = b;
  return w.range < 4096 && b.count >= 0 ? w.count : 0;
}
