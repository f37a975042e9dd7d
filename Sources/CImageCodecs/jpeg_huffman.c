#include "jpeg_huffman.h"

#include <string.h>

const uint8_t imgc_jpeg_order[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// ---------------------------------------------------------------- tables

// The value that `size` bits say (T.81, table F.1): those that begin with 0 are negative.
static int32_t extend(uint32_t bits, unsigned size) {
  if (size == 0) return 0;
  return bits >> (size - 1) ? (int32_t)bits : (int32_t)bits - (1 << size) + 1;
}

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
      int32_t value = extend(i >> (rest - size), size);
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

static uint64_t load_be64(const uint8_t *p) {
  uint64_t value;
  memcpy(&value, p, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

static bool has_ff(uint64_t bytes) {
  return ((~bytes - 0x0101010101010101) & bytes & 0x8080808080808080) != 0;
}

// After FF comes 00, which is not data, or a marker.
static void refill_bytes(imgc_jpeg_bits *b) {
  while (b->count <= 56 && b->next < b->end) {
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

// At least 56 bits, unless there are no more. Bits above `count` may be there already: the same.
static inline __attribute__((always_inline)) void refill(imgc_jpeg_bits *b) {
  if (b->end - b->next >= 8) {
    uint64_t bytes = load_be64(b->next);
    if (!has_ff(bytes)) {
      b->ahead |= bytes >> b->count;
      b->next += (63 - b->count) >> 3;
      b->count |= 56;
      return;
    }
  }
  // What lies above is less than a byte, and comes again.
  if (b->count >= 0) {
    b->ahead &= ~(UINT64_MAX >> b->count);
    refill_bytes(b);
  }
}

static inline __attribute__((always_inline)) void drop(imgc_jpeg_bits *b, unsigned count) {
  b->ahead <<= count;
  b->count -= (int32_t)count;
}

// An entry for a code of more than 10 bits; 0 when there is no such code.
static __attribute__((noinline)) uint32_t long_code(const imgc_huffman *h, uint64_t ahead) {
  const uint32_t code = (uint32_t)(ahead >> 48);
  for (unsigned length = IMGC_HUFFMAN_LOOK + 1; length <= 16; length++) {
    if (code >= h->end[length]) continue;
    int32_t place = h->offset[length] + (int32_t)(code >> (16 - length));
    return entry_of(h, h->symbols[place & 255]) | length;
  }
  return 0;
}

// The next code as an entry with its value; 0 when there is no such code. A code and its value are
// 31 bits at most: so many are there, or the data ends.
static inline __attribute__((always_inline)) uint32_t take(imgc_jpeg_bits *b,
                                                           const imgc_huffman *h) {
  uint32_t entry = h->look[b->ahead >> (64 - IMGC_HUFFMAN_LOOK)];
  if (__builtin_expect((entry & 63) == 0, 0)) entry = long_code(h, b->ahead);
  drop(b, entry & 63);
  const unsigned size = entry >> 6 & 15;
  if (__builtin_expect(size > 0, 0)) {
    entry |= (uint32_t)extend((uint32_t)(b->ahead >> (64 - size)), size) << 16;
    drop(b, size);
  }
  return entry;
}

static inline int32_t value_of(uint32_t entry) { return (int16_t)(entry >> 16); }

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
  const uint32_t entry = take(b, ac);
  const unsigned run = entry >> 10 & 63;
  w->k += run;
  if (w->k >= 64 || entry == 0) {
    // A run that leads out of the block is not what ends it.
    if (run != IMGC_BLOCK_ENDS) w->range = UINT32_MAX;
    return false;
  }
  const int32_t coefficient = value_of(entry) * steps[w->k];
  block[imgc_jpeg_order[w->k]] = (int16_t)coefficient;
  w->range |= (uint32_t)coefficient + 2048;
  w->count = ++w->k;
  return w->k < 64;
}

unsigned imgc_jpeg_block(imgc_jpeg_bits *bits, const imgc_huffman *dc, const imgc_huffman *ac,
                         const int32_t steps[64], int32_t *last_dc, int16_t block[64]) {
  enum { LEAST = 31 };
  imgc_jpeg_bits b = *bits;
  refill(&b);
  const uint32_t entry = take(&b, dc);
  if (entry == 0) return 0;
  *last_dc += value_of(entry);
  const int32_t coefficient = *last_dc * steps[0];
  block[0] = (int16_t)coefficient;
  walk w = {.k = 1, .count = 1, .range = (uint32_t)coefficient + 2048};
  // A branch that asks for bits after every code would be guessed wrong every few codes. Where bits
  // were just asked for, three codes mostly find enough of them.
  while (b.count >= LEAST ? step(&b, ac, steps, block, &w) : true) {
    refill(&b);
    if (!step(&b, ac, steps, block, &w)) break;
    if (b.count < LEAST) continue;
    if (!step(&b, ac, steps, block, &w)) break;
    if (b.count < LEAST) continue;
    if (!step(&b, ac, steps, block, &w)) break;
  }
  *bits = b;
  return w.range < 4096 && b.count >= 0 ? w.count : 0;
}

// ---------------------------------------------------------------- DC alone

enum { SKIP_ENDS = 1 << 15, SKIP_NOTHING = 63 << 4 };

// What the first `IMGC_SKIP_LOOK` of 64 bits hold of codes that are complete.
static uint16_t skips_of(const imgc_huffman *ac, uint64_t ahead) {
  unsigned used = 0, coefficients = 0;
  for (;;) {
    const uint32_t entry = ac->look[ahead >> (64 - IMGC_HUFFMAN_LOOK)];
    const unsigned length = (entry & 63) + (entry >> 6 & 15), run = entry >> 10 & 63;
    if ((entry & 63) == 0 || used + length > IMGC_SKIP_LOOK) break;
    if (run == IMGC_BLOCK_ENDS) return (uint16_t)(SKIP_ENDS | coefficients << 4 | (used + length));
    if (coefficients + run + 1 >= IMGC_BLOCK_ENDS) break;
    used += length;
    coefficients += run + 1;
    ahead <<= length;
  }
  return used ? (uint16_t)(coefficients << 4 | used) : SKIP_NOTHING;
}

void imgc_huffman_skips_make(imgc_huffman_skips *s, const imgc_huffman *ac) {
  for (uint64_t i = 0; i < 1 << IMGC_SKIP_LOOK; i++)
    s->look[i] = skips_of(ac, i << (64 - IMGC_SKIP_LOOK));
}

// Codes up to the 64th coefficient; false when there is a code that does not exist, or a run that
// leads out of the block.
static bool pass_over(imgc_jpeg_bits *b, const imgc_huffman *ac, const imgc_huffman_skips *skips) {
  // Four looks take 48 bits at most, a code with its value 31.
  enum { LOOKS = 4, LEAST = 31 };
  for (unsigned k = 1;;) {
    refill(b);
    for (unsigned i = 0; i < LOOKS; i++) {
      const uint32_t skip = skips->look[b->ahead >> (64 - IMGC_SKIP_LOOK)];
      const unsigned next = k + (skip >> 4 & 63);
      if (__builtin_expect(next >= 64, 0)) break;
      drop(b, skip & 15);
      k = next;
      if (skip & SKIP_ENDS) return true;
    }
    const uint32_t skip = skips->look[b->ahead >> (64 - IMGC_SKIP_LOOK)];
    if (k + (skip >> 4 & 63) < 64) continue;
    if (b->count < LEAST) refill(b);
    const uint32_t entry = take(b, ac);
    const unsigned run = entry >> 10 & 63;
    k += run;
    if (k >= 64 || entry == 0) return run == IMGC_BLOCK_ENDS;
    if (++k >= 64) return true;
  }
}

bool imgc_jpeg_block_dc(imgc_jpeg_bits *bits, const imgc_huffman *dc, const imgc_huffman *ac,
                        const imgc_huffman_skips *skips, int32_t step, int32_t *last_dc,
                        int16_t *coefficient) {
  imgc_jpeg_bits b = *bits;
  refill(&b);
  const uint32_t entry = take(&b, dc);
  if (entry == 0) return false;
  *last_dc += value_of(entry);
  const int32_t product = *last_dc * step;
  *coefficient = (int16_t)product;
  const bool is_whole = pass_over(&b, ac, skips);
  *bits = b;
  return is_whole && (uint32_t)product + 2048 < 4096 && b.count >= 0;
}
