// Look-up tables of canonical Huffman codes (RFC 1951, 3.2.2). A table is indexed with the next
// bits of the stream. The lowest bit of the index is the first bit of a codeword, so the codewords
// in an index are bit-reversed.

#include "inflate/inflate_tables.h"

#include <string.h>

enum { MAX_BITS = 15, MAX_SYMBOLS = 288 };

// Returns the part of an entry that depends on the symbol only.
static uint32_t literal_entry(unsigned symbol) {
  // RFC 1951, 3.2.5. Symbols 286 and 287 are undefined; libdeflate decodes them as 285.
  static const uint16_t base[31] = {3,  4,   5,   6,   7,   8,   9,   10,  11, 13, 15,
                                    17, 19,  23,  27,  31,  35,  43,  51,  59, 67, 83,
                                    99, 115, 131, 163, 195, 227, 258, 258, 258};
  if (symbol < 256) return IMGC_INFLATE_IS_LITERAL | symbol << 16;
  if (symbol == 256) return IMGC_INFLATE_RARE | IMGC_INFLATE_END_OF_BLOCK;
  unsigned i = symbol - 257;
  uint32_t undefined = symbol > 285 ? IMGC_INFLATE_RARE | IMGC_INFLATE_IS_UNDEFINED : 0;
  uint32_t extra = i < 8 || i >= 28 ? 0 : i / 4 - 1;
  return (uint32_t)base[i] << 16 | undefined | extra;
}

static uint32_t distance_entry(unsigned symbol) {
  // Symbols 30 and 31 are undefined; libdeflate decodes them as 29.
  uint32_t undefined = symbol > 29 ? IMGC_INFLATE_RARE | IMGC_INFLATE_IS_UNDEFINED : 0;
  if (undefined) symbol = 29;
  uint32_t extra = symbol < 4 ? 0 : symbol / 2 - 1;
  uint32_t base = symbol < 4 ? symbol + 1 : ((2 + symbol % 2) << extra) + 1;
  return base << 16 | undefined | extra;
}

static uint32_t length_entry(unsigned symbol) { return symbol << 16; }

static uint32_t with_bits(uint32_t entry, unsigned bits) { return entry + bits + (bits << 8); }

// Returns the next codeword of the same length, bit-reversed; 0 after the last.
static unsigned next_reversed(unsigned code, unsigned bits) {
  unsigned bit = 1u << (bits - 1);
  while (code & bit) bit >>= 1;
  return bit ? (code & (bit - 1)) | bit : 0;
}

// Builds a table and returns the number of its index bits, at most `bits`; 0 when the codeword
// lengths are invalid.
static unsigned make_table(uint32_t *table, size_t size, unsigned bits, const uint8_t *lengths,
                           unsigned count, uint32_t (*entry_of)(unsigned symbol)) {
  unsigned counts[MAX_BITS + 1] = {0}, starts[MAX_BITS + 2];
  uint16_t sorted[MAX_SYMBOLS];
  for (unsigned i = 0; i < count; i++) counts[lengths[i]]++;
  unsigned used = count - counts[0], longest = MAX_BITS;
  counts[0] = 0;
  while (longest > 0 && counts[longest] == 0) longest--;
  int left = 1; // unused codewords of the current length
  starts[0] = starts[1] = 0;
  for (unsigned n = 1; n <= MAX_BITS; n++) {
    left = 2 * left - (int)counts[n];
    if (left < 0) return 0;
    starts[n + 1] = starts[n] + counts[n];
  }
  for (unsigned i = 0; i < count; i++)
    if (lengths[i]) sorted[starts[lengths[i]]++] = (uint16_t)i;

  if (left > 0) { // incomplete
    if (used > 1 || (used == 1 && counts[1] != 1)) return 0;
    // In a code with a single symbol, zlib accepts only the codeword 0. In an empty code, zlib
    // accepts no codeword.
    uint32_t entry = with_bits(entry_of(used ? sorted[0] : 0), 1);
    table[1] = entry | IMGC_INFLATE_RARE | IMGC_INFLATE_IS_UNDEFINED;
    table[0] = used ? entry : table[1];
    return 1;
  }

  if (longest < bits) bits = longest;
  unsigned code = 0, symbol = 0, n = 1;
  for (; n <= bits; n++) {
    // The entries of shorter codewords are repeated; the codewords of n bits replace the others.
    if (n > 1) memcpy(table + (1u << (n - 1)), table, sizeof *table << (n - 1));
    for (unsigned k = counts[n]; k > 0; k--) {
      table[code] = with_bits(entry_of(sorted[symbol++]), n);
      code = next_reversed(code, n);
    }
  }

  // The codewords of more than `bits` bits follow in ascending order, so codewords with equal
  // prefixes are consecutive.
  size_t end = (size_t)1 << bits, start = 0;
  unsigned prefix = ~0u, index_bits = 0, mask = (1u << bits) - 1;
  for (; n <= longest; n++)
    for (; counts[n] > 0; counts[n]--) {
      if ((code & mask) != prefix) {
        prefix = code & mask;
        index_bits = n - bits;
        // The sub-table is sized for the codewords with this prefix.
        int room = (1 << index_bits) - (int)counts[n];
        while (room > 0 && bits + index_bits < longest) {
          index_bits++;
          room = 2 * room - (int)counts[bits + index_bits];
        }
        start = end;
        end += (size_t)1 << index_bits;
        if (end > size) return 0;
        table[prefix] = (uint32_t)start << 16 | IMGC_INFLATE_RARE | IMGC_INFLATE_SUBTABLE |
                        index_bits << 8 | bits;
      }
      uint32_t entry = with_bits(entry_of(sorted[symbol++]), n - bits);
      for (unsigned i = code >> bits; i < 1u << index_bits; i += 1u << (n - bits))
        table[start + i] = entry;
      code = next_reversed(code, n);
    }
  return bits;
}

// Stores two literals in an entry where both codewords fit into the index. The loop starts at the
// highest index, because it reads the second literal from the entry of a lower index (of the same
// index only for 0), and that entry must not be modified yet.
static void pair_literals(uint32_t *table, unsigned bits) {
  for (unsigned i = 1u << bits; i-- > 0;) {
    uint32_t first = table[i];
    if (!(first & IMGC_INFLATE_IS_LITERAL)) continue;
    unsigned length = first & IMGC_INFLATE_BITS;
    uint32_t second = table[i >> length];
    unsigned both = length + (second & IMGC_INFLATE_BITS);
    if (!(second & IMGC_INFLATE_IS_LITERAL) || both > bits) continue;
    table[i] = (first & ~(uint32_t)IMGC_INFLATE_BITS) | both | IMGC_INFLATE_IS_PAIR |
               (second & 0xFF0000) << 8;
  }
}

bool imgc_inflate_literal_table(imgc_inflater *z, const uint8_t *lengths, unsigned count) {
  z->literal_bits = make_table(z->literals, IMGC_INFLATE_LITERALS, IMGC_INFLATE_LITERAL_BITS,
                               lengths, count, literal_entry);
  if (z->literal_bits > 0) pair_literals(z->literals, z->literal_bits);
  return z->literal_bits != 0;
}

bool imgc_inflate_distance_table(imgc_inflater *z, const uint8_t *lengths, unsigned count) {
  unsigned bits = make_table(z->distances, IMGC_INFLATE_DISTANCES, IMGC_INFLATE_DISTANCE_BITS,
                             lengths, count, distance_entry);
  if (bits == 0) return false;
  // The table is enlarged, because look-ups use a constant number of bits.
  for (; bits < IMGC_INFLATE_DISTANCE_BITS; bits++)
    memcpy(z->distances + ((size_t)1 << bits), z->distances, sizeof(uint32_t) << bits);
  return true;
}

bool imgc_inflate_length_table(uint32_t table[128], const uint8_t *lengths) {
  unsigned bits = make_table(table, 128, 7, lengths, 19, length_entry);
  if (bits == 0) return false;
  for (; bits < 7; bits++) memcpy(table + ((size_t)1 << bits), table, sizeof(uint32_t) << bits);
  return true;
}
