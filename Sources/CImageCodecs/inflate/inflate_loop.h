// The loop that decodes most symbols, compiled once for any processor and once for BMI2: the file
// that includes this one defines TARGET.

#include "core/bytes.h"
#include "core/copy.h"
#include "inflate/inflate_tables.h"

#include <string.h>

#if defined(__x86_64__)
// The loop for processors with BMI2, chosen by imgc_inflate_run.
void imgc_inflate_loop_bmi2(imgc_inflater *z);
#endif

#define INLINE TARGET static inline __attribute__((always_inline))

enum {
  // Input that a turn of the loop may load: 8 bytes at each of two places, 7 bytes apart.
  FAST_INPUT = 24,
  LIMIT = IMGC_INFLATE_WINDOW + IMGC_INFLATE_CHUNK, // no symbol begins there or behind
};

// The base of a length or distance and its extra bits, which follow the codeword.
INLINE uint32_t value_of(uint32_t entry, uint64_t bits) {
  unsigned all = entry & IMGC_INFLATE_BITS, codeword = entry >> 8 & 15;
  return (entry >> 16) + (uint32_t)((bits & (((uint64_t)1 << all) - 1)) >> codeword);
}

// Writes up to 31 bytes more than `length`.
INLINE void copy_match(uint8_t *to, uint32_t length, uint32_t distance) {
  const uint8_t *from = to - distance;
  const uint8_t *end = to + length;
  if (distance >= 16) {
    do {
      imgc_copy(to, from, 16);
      to += 16;
      from += 16;
    } while (to < end);
  } else if (distance == 1) {
    do {
      memset(to, *from, 32);
      to += 32;
    } while (to < end);
  } else if (distance >= 8) {
    do {
      imgc_copy(to, from, 8);
      to += 8;
      from += 8;
    } while (to < end);
  } else {
    // Behind 8 bytes of the pattern, a whole number of patterns is 8 bytes or more.
    static const uint8_t multiple[8] = {0, 0, 8, 9, 8, 10, 12, 14};
    for (unsigned i = 0; i < 8; i++) to[i] = from[i];
    to += 8;
    from = to - multiple[distance];
    while (to < end) {
      imgc_copy(to, from, 8);
      to += 8;
      from += 8;
    }
  }
}

// One or two literals; writes two bytes.
INLINE uint8_t *put_literals(uint8_t *out, uint32_t entry) {
  out[0] = (uint8_t)(entry >> 16);
  out[1] = (uint8_t)(entry >> 24);
  return out + 1 + (entry >> 6 & 1);
}

// All symbols up to one that is rare, or the end of the piece or of the chunk. There are at least
// FAST_INPUT bytes of input.
INLINE void decode_fast(imgc_inflater *z) {
  const uint32_t *literals = z->literals, *distances = z->distances;
  const uint64_t literal_mask = (1u << z->literal_bits) - 1;
  const uint8_t *in = z->in, *in_last = z->in_end - FAST_INPUT;
  uint8_t *window = z->window, *out = window + z->out, *out_last = window + LIMIT - 8;
  uint64_t bits = z->bits;
  unsigned count = z->bit_count;

// To 56 bits at least. Bits above `count` may be those of the next byte: loaded again, they are
// the same.
#define REFILL (bits |= imgc_load_le64(in) << count, in += (63 - count) >> 3, count |= 56)
#define DROP(entry) (bits >>= (entry)&IMGC_INFLATE_BITS, count -= (entry)&IMGC_INFLATE_BITS)

  REFILL;
  // Looked up before the bits are refilled, which then costs no time: its own are there.
  uint32_t entry = literals[bits & literal_mask];
  while (in <= in_last && out < out_last) {
    REFILL;
    if (entry & IMGC_INFLATE_IS_LITERAL) {
      // Three look-ups in the main table are 33 bits; 11 more are there for the next.
      uint32_t literal = entry;
      DROP(entry);
      entry = literals[bits & literal_mask];
      out = put_literals(out, literal);
      if (entry & IMGC_INFLATE_IS_LITERAL) {
        literal = entry;
        DROP(entry);
        entry = literals[bits & literal_mask];
        out = put_literals(out, literal);
        if (entry & IMGC_INFLATE_IS_LITERAL) {
          literal = entry;
          DROP(entry);
          entry = literals[bits & literal_mask];
          out = put_literals(out, literal);
          continue;
        }
      }
      REFILL;
    }
    uint64_t bits_before = bits;
    unsigned count_before = count;
    if (entry & IMGC_INFLATE_RARE) {
      if (!(entry & IMGC_INFLATE_SUBTABLE)) break;
      DROP(entry);
      entry = literals[(entry >> 16) + (bits & ((1u << (entry >> 8 & 15)) - 1))];
      if (entry & IMGC_INFLATE_IS_LITERAL) {
        DROP(entry);
        out = put_literals(out, entry);
        entry = literals[bits & literal_mask];
        continue;
      }
    }
    uint32_t distance_entry = 0, length = value_of(entry, bits);
    if (!(entry & IMGC_INFLATE_RARE)) {
      // At most 48 bits, of 56, for a length and its distance.
      DROP(entry);
      distance_entry = distances[bits & ((1u << IMGC_INFLATE_DISTANCE_BITS) - 1)];
      if (distance_entry & IMGC_INFLATE_SUBTABLE) {
        DROP(distance_entry);
        distance_entry =
            distances[(distance_entry >> 16) + (bits & ((1u << (distance_entry >> 8 & 15)) - 1))];
      }
    }
    uint32_t distance = value_of(distance_entry, bits);
    if (((entry | distance_entry) & IMGC_INFLATE_RARE) || distance > (size_t)(out - window)) {
      bits = bits_before;
      count = count_before;
      break;
    }
    DROP(distance_entry);
    entry = literals[bits & literal_mask];
    copy_match(out, length, distance);
    out += length;
  }
  z->in = in;
  z->out = (size_t)(out - window);
  z->bits = bits & (((uint64_t)1 << count) - 1);
  z->bit_count = count;
#undef REFILL
#undef DROP
}
