// DEFLATE blocks and their symbols. A fast loop decodes most symbols while enough input and output
// space is available. A slower decoder that checks every access handles rare symbols and the ends
// of input pieces.

#include "inflate/inflate.h"
#include "core/cpu_features.h"

#define TARGET
#include "inflate/inflate_loop.h"

#if !__has_include(<libdeflate.h>)
#error "libdeflate.h is missing: apt-get install libdeflate-dev (brew install libdeflate)"
#endif
#include <libdeflate.h>

#define ALLOWS_LONG_RUNS (LIBDEFLATE_VERSION_MAJOR == 1 && LIBDEFLATE_VERSION_MINOR < 16)

#if defined(__x86_64__)
#define HAS_BMI2 IMGC_CPU_HAS_BMI2
#else
#define HAS_BMI2 0
#define imgc_inflate_loop_bmi2 decode_fast
#endif

enum {
  // Maximum bits of a symbol: codeword and extra bits of a length and of its distance.
  MAX_SYMBOL_BITS = 15 + 5 + 15 + 13,
  // Maximum number of blocks that one call begins. This bounds the time for blocks without output.
  MAX_BLOCKS_WITHOUT_OUTPUT = 64,
};

void imgc_inflate_begin(imgc_inflater *z,
                        bool (*next_input)(void *, const uint8_t **, const uint8_t **),
                        void *context) {
  z->in = z->in_end = NULL;
  z->next_input = next_input;
  z->context = context;
  z->accepts_zlib_rejects = z->input_ended = z->is_last = z->has_fixed = false;
  z->out_start = z->out = 0;
  z->bits = 0;
  z->bit_count = 0;
  z->state = IMGC_INFLATE_HEADER;
  z->stored = 0;
  z->dynamic_blocks = 0;
}

// ---------------------------------------------------------------- input

// Reads bytes until there are `count` bits (at most 57). Returns false at the end of the input;
// missing bits are read as zeros.
static bool fill_bits(imgc_inflater *z, unsigned count) {
  while (z->bit_count < count) {
    while (z->in == z->in_end)
      if (z->input_ended || !z->next_input(z->context, &z->in, &z->in_end)) {
        z->input_ended = true;
        return false;
      }
    z->bits |= (uint64_t)*z->in++ << z->bit_count;
    z->bit_count += 8;
  }
  return true;
}

// Removes `count` bits (at most 57) from the buffer, which must contain them, and returns the
// lowest 32 of them.
INLINE uint32_t consume(imgc_inflater *z, unsigned count) {
  uint32_t value = (uint32_t)(z->bits & (((uint64_t)1 << count) - 1));
  z->bits >>= count;
  z->bit_count -= count;
  return value;
}

static bool read_bits(imgc_inflater *z, unsigned count, uint32_t *value) {
  if (!fill_bits(z, count)) return false;
  *value = consume(z, count);
  return true;
}

bool imgc_inflate_bytes(imgc_inflater *z, uint8_t *to, size_t count) {
  consume(z, z->bit_count % 8);
  for (size_t i = 0; i < count; i++) {
    uint32_t byte;
    if (!read_bits(z, 8, &byte)) return false;
    to[i] = (uint8_t)byte;
  }
  return true;
}

// ---------------------------------------------------------------- block headers

static bool begin_stored(imgc_inflater *z) {
  uint8_t header[4];
  if (!imgc_inflate_bytes(z, header, 4)) return false;
  z->stored = (uint32_t)header[0] | (uint32_t)header[1] << 8;
  if ((z->stored ^ 0xFFFF) != ((uint32_t)header[2] | (uint32_t)header[3] << 8)) return false;
  z->state = IMGC_INFLATE_STORED;
  return true;
}

static bool begin_fixed(imgc_inflater *z) {
  z->state = IMGC_INFLATE_CODED;
  if (z->has_fixed) return true;
  z->has_fixed = true;
  uint8_t lengths[288];
  memset(lengths, 8, 288);
  memset(lengths + 144, 9, 112);
  memset(lengths + 256, 7, 24);
  if (!imgc_inflate_literal_table(z, lengths, 288)) return false;
  memset(lengths, 5, 32);
  return imgc_inflate_distance_table(z, lengths, 32);
}

// Reads the code lengths of a block with dynamic Huffman codes (RFC 1951, 3.2.7).
static imgc_inflate_result begin_dynamic(imgc_inflater *z) {
  static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
  // Has 138 additional elements, because a run of zeros may extend past the last length.
  uint8_t lengths[288 + 32 + 138], of_lengths[19] = {0};
  uint32_t table[128], field;
  z->has_fixed = false;
  z->dynamic_blocks++;
  if (!read_bits(z, 14, &field)) return IMGC_INFLATE_INVALID;
  unsigned literals = (field & 31) + 257, distances = (field >> 5 & 31) + 1;
  for (unsigned i = 0; i < (field >> 10) + 4; i++) {
    uint32_t bits;
    if (!read_bits(z, 3, &bits)) return IMGC_INFLATE_INVALID;
    of_lengths[order[i]] = (uint8_t)bits;
  }
  if (!imgc_inflate_length_table(table, of_lengths)) return IMGC_INFLATE_INVALID;
  bool rejected_by_zlib = literals > 286 || distances > 30;
  unsigned count = 0;
  while (count < literals + distances) {
    fill_bits(z, 7 + 7);
    uint32_t entry = table[z->bits & 127];
    unsigned bits = entry & 0xFF, symbol = entry >> 16;
    unsigned extra = symbol < 16 ? 0 : symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
    // Rejects the unused codeword of an incomplete code, and input that ends within a symbol.
    // libdeflate rejects every block with an incomplete code for the code lengths. This function
    // rejects such a block too: the code has at most one symbol, so all code lengths of the block
    // are equal, and 257 or more equal lengths are not a valid code.
    if ((entry & IMGC_INFLATE_RARE) || bits + extra > z->bit_count) return IMGC_INFLATE_INVALID;
    consume(z, bits);
    if (symbol < 16) {
      lengths[count++] = (uint8_t)symbol;
      continue;
    }
    if (symbol == 16 && count == 0) return IMGC_INFLATE_INVALID;
    unsigned run = consume(z, extra) + (symbol == 18 ? 11 : 3);
    memset(lengths + count, symbol == 16 ? lengths[count - 1] : 0, run);
    count += run;
  }
  // libdeflate before 1.16 accepts a run that extends past the last length; zlib rejects it.
  if (count != literals + distances) {
    if (!ALLOWS_LONG_RUNS) return IMGC_INFLATE_INVALID;
    rejected_by_zlib = true;
  }
  // Without an end-of-block code the stream never ends.
  if (lengths[256] == 0) return IMGC_INFLATE_INVALID;
  if (rejected_by_zlib && !z->accepts_zlib_rejects) return IMGC_INFLATE_ZLIB_REJECTS;
  if (!imgc_inflate_distance_table(z, lengths + literals, distances) ||
      !imgc_inflate_literal_table(z, lengths, literals))
    return IMGC_INFLATE_INVALID;
  z->state = IMGC_INFLATE_CODED;
  return IMGC_INFLATE_MORE;
}

static imgc_inflate_result begin_block(imgc_inflater *z) {
  uint32_t header;
  if (!read_bits(z, 3, &header)) return IMGC_INFLATE_INVALID;
  z->is_last = header & 1;
  switch (header >> 1) {
  case 0: return begin_stored(z) ? IMGC_INFLATE_MORE : IMGC_INFLATE_INVALID;
  case 1: return begin_fixed(z) ? IMGC_INFLATE_MORE : IMGC_INFLATE_INVALID;
  case 2: return begin_dynamic(z);
  default: return IMGC_INFLATE_INVALID;
  }
}

static void end_block(imgc_inflater *z) {
  z->state = z->is_last ? IMGC_INFLATE_DONE : IMGC_INFLATE_HEADER;
}

// ---------------------------------------------------------------- block contents

static imgc_inflate_result copy_stored(imgc_inflater *z) {
  while (z->stored > 0 && z->out < LIMIT) {
    if (z->bit_count > 0) { // the bit buffer contains only complete bytes here
      z->window[z->out++] = (uint8_t)consume(z, 8);
      z->stored--;
      continue;
    }
    size_t n = (size_t)(z->in_end - z->in);
    if (n == 0) {
      if (!fill_bits(z, 8)) return IMGC_INFLATE_INVALID;
      continue;
    }
    if (n > z->stored) n = z->stored;
    if (n > LIMIT - z->out) n = LIMIT - z->out;
    memcpy(z->window + z->out, z->in, n);
    z->in += n;
    z->out += n;
    z->stored -= (uint32_t)n;
  }
  if (z->stored == 0) end_block(z);
  return IMGC_INFLATE_MORE;
}

// Returns the entry of the next codeword; `before` is the length of the prefix that selected a
// sub-table, or 0.
INLINE uint32_t look_up(const uint32_t *table, unsigned index_bits, uint64_t bits,
                        unsigned *before) {
  uint32_t entry = table[bits & ((1u << index_bits) - 1)];
  *before = 0;
  if (entry & IMGC_INFLATE_SUBTABLE) {
    *before = entry & IMGC_INFLATE_BITS;
    entry = table[(entry >> 16) + (bits >> *before & ((1u << (entry >> 8 & 15)) - 1))];
  }
  return entry;
}

// Decodes one symbol with the available input.
static imgc_inflate_result decode_carefully(imgc_inflater *z) {
  fill_bits(z, MAX_SYMBOL_BITS);
  uint64_t bits = z->bits;
  unsigned before;
  uint32_t entry = look_up(z->literals, z->literal_bits, bits, &before);
  bits >>= before;
  unsigned used =
      before + (entry >> 8 & 15); // of an entry with two literals, only the first is used
  if (used > z->bit_count) return IMGC_INFLATE_INVALID;
  if ((entry & IMGC_INFLATE_IS_UNDEFINED) && !z->accepts_zlib_rejects)
    return IMGC_INFLATE_ZLIB_REJECTS;
  if (entry & (IMGC_INFLATE_IS_LITERAL | IMGC_INFLATE_END_OF_BLOCK)) {
    consume(z, used);
    if (entry & IMGC_INFLATE_IS_LITERAL)
      z->window[z->out++] = (uint8_t)(entry >> 16);
    else
      end_block(z);
    return IMGC_INFLATE_MORE;
  }
  uint32_t length = value_of(entry, bits);
  bits >>= entry & IMGC_INFLATE_BITS;
  used = before + (entry & IMGC_INFLATE_BITS);
  entry = look_up(z->distances, IMGC_INFLATE_DISTANCE_BITS, bits, &before);
  bits >>= before;
  used += before + (entry & IMGC_INFLATE_BITS);
  if (used > z->bit_count) return IMGC_INFLATE_INVALID;
  if ((entry & IMGC_INFLATE_IS_UNDEFINED) && !z->accepts_zlib_rejects)
    return IMGC_INFLATE_ZLIB_REJECTS;
  uint32_t distance = value_of(entry, bits);
  // The window contains all output, or at least its last 32 KiB.
  if (distance > z->out) return IMGC_INFLATE_INVALID;
  consume(z, used);
  uint8_t *to = z->window + z->out;
  for (uint32_t i = 0; i < length; i++) to[i] = to[(ptrdiff_t)i - (ptrdiff_t)distance];
  z->out += length;
  return IMGC_INFLATE_MORE;
}

static void decode(imgc_inflater *z) {
  if (HAS_BMI2)
    imgc_inflate_loop_bmi2(z);
  else
    decode_fast(z);
}

imgc_inflate_result imgc_inflate_run(imgc_inflater *z) {
  if (z->out >= LIMIT) {
    memcpy(z->window, z->window + z->out - IMGC_INFLATE_WINDOW, IMGC_INFLATE_WINDOW);
    z->out = IMGC_INFLATE_WINDOW;
  }
  z->out_start = z->out;
  imgc_inflate_result result = IMGC_INFLATE_MORE;
  for (unsigned blocks = 0; result == IMGC_INFLATE_MORE && z->out < LIMIT;) {
    switch (z->state) {
    case IMGC_INFLATE_HEADER:
      if (blocks++ == MAX_BLOCKS_WITHOUT_OUTPUT) return result;
      result = begin_block(z);
      break;
    case IMGC_INFLATE_STORED: result = copy_stored(z); break;
    case IMGC_INFLATE_CODED:
      if (z->in_end - z->in >= FAST_INPUT) decode(z);
      if (z->out < LIMIT) result = decode_carefully(z);
      break;
    case IMGC_INFLATE_DONE: return IMGC_INFLATE_END;
    }
  }
  return result;
}
