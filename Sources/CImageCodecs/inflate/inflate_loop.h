// The loop that decodes most symbols, compiled once for the baseline instruction set and once for
// BMI2: the including file defines TARGET.

#include "core/bytes.h"
#include "core/copy.h"
#include "inflate/inflate_tables.h"

#include <string.h>

#if defined(__x86_64__)
// The loop for processors with BMI2, selected by imgc_inflate_run.
void imgc_inflate_loop_bmi2(imgc_inflater *z);
#endif

#define INLINE TARGET static inline __attribute__((always_inline))

enum {
  // Minimum input of one iteration, in bytes, with a margin. An iteration loads 8 bytes at two
  // positions that are at most 7 bytes apart, so it reads at most 15 bytes.
  FAST_INPUT = 24,
  LIMIT = IMGC_INFLATE_WINDOW + IMGC_INFLATE_CHUNK, // no symbol starts at or after it
};

// Returns the base of a length or distance plus its extra bits, which follow the codeword.
INLINE uint32_t value_of(uint32_t entry, uint64_t bits) {
  unsigned all = entry & IMGC_INFLATE_BITS, codeword = entry >> 8 & 15;
  return (entry >> 16) + (uint32_t)((bits & (((uint64_t)1 << all) - 1)) >> codeword);
}

// Copies a match; writes up to 31 bytes more than `length`.
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
    // After the first 8 bytes, copy with a distance that is a multiple of `distance` and at least
    // 8.
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

// Writes one or two literals and returns their end. Always stores two bytes.
INLINE uint8_t *write_literals(uint8_t *out, uint32_t entry) {
  out[0] = (uint8_t)(entry >> 16);
  out[1] = (uint8_t)(entry >> 24);
  return out + 1 + (entry >> 6 & 1);
}

// Decodes symbols until a rare symbol occurs, or until the input piece or the output chunk is
// nearly exhausted. Requires at least FAST_INPUT bytes of input.
INLINE void decode_fast(imgc_inflater *z) {
  const uint32_t *literals = z->literals, *distances = z->distances;
  const uint64_t literal_mask = (1u << z->literal_bits) - 1;
  const uint8_t *in = z->in, *in_last = z->in_end - FAST_INPUT;
  uint8_t *window = z->window, *out = window + z->out, *out_last = window + LIMIT - 8;
  uint64_t bits = z->bits;
  unsigned count = z->bit_count;

// Fills the buffer to at least 56 bits. Bits above `count` may already contain a part of the next
// byte, which is loaded again with the same value.
#define REFILL (bits |= imgc_load_le64(in) << count, in += (63 - count) >> 3, count |= 56)
#define CONSUME(entry) (bits >>= (entry)&IMGC_INFLATE_BITS, count -= (entry)&IMGC_INFLATE_BITS)

  REFILL;
  // The look-up precedes the refill, to hide the latency of the refill: the bits of the entry are
  // already in the buffer.
  uint32_t entry = literals[bits & literal_mask];
  while (in <= in_last && out < out_last) {
    REFILL;
    if (entry & IMGC_INFLATE_IS_LITERAL) {
      // Three look-ups in the main table consume at most 33 of the 56 bits; the next one needs 11.
      uint32_t literal = entry;
      CONSUME(entry);
      entry = literals[bits & literal_mask];
      out = write_literals(out, literal);
      if (entry & IMGC_INFLATE_IS_LITERAL) {
        literal = entry;
        CONSUME(entry);
        entry = literals[bits & literal_mask];
        out = write_literals(out, literal);
        if (entry & IMGC_INFLATE_IS_LITERAL) {
          literal = entry;
          CONSUME(entry);
          entry = literals[bits & literal_mask];
          out = write_literals(out, literal);
          continue;
        }
      }
      REFILL;
    }
    uint64_t bits_before = bits;
    unsigned count_before = count;
    if (entry & IMGC_INFLATE_RARE) {
      if (!(entry & IMGC_INFLATE_SUBTABLE)) break;
      CONSUME(entry);
      entry = literals[(entry >> 16) + (bits & ((1u << (entry >> 8 & 15)) - 1))];
      if (entry & IMGC_INFLATE_IS_LITERAL) {
        CONSUME(entry);
        out = write_literals(out, entry);
        entry = literals[bits & literal_mask];
        continue;
      }
    }
    uint32_t distance_entry = 0, length = value_of(entry, bits);
    if (!(entry & IMGC_INFLATE_RARE)) {
      // A length and its distance use at most 48 of the 56 bits.
      CONSUME(entry);
      distance_entry = distances[bits & ((1u << IMGC_INFLATE_DISTANCE_BITS) - 1)];
      if (distance_entry & IMGC_INFLATE_SUBTABLE) {
        CONSUME(distance_entry);
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
    CONSUME(distance_entry);
    entry = literals[bits & literal_mask];
    copy_match(out, length, distance);
    out += length;
  }
  z->in = in;
  z->out = (size_t)(out - window);
  z->bits = bits & (((uint64_t)1 << count) - 1);
  z->bit_count = count;
#undef REFILL
#undef CONSUME
}
