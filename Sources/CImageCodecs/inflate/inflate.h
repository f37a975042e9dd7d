// DEFLATE (RFC 1951) decompressed in pieces of bounded size, as fast as libdeflate does it in one.
//
// It accepts exactly what libdeflate accepts. Where zlib is stricter it says so: see
// IMGC_INFLATE_ODD.

#ifndef IMGC_INFLATE_H
#define IMGC_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  IMGC_INFLATE_WINDOW = 32 << 10, // the longest distance of a match
  IMGC_INFLATE_CHUNK = 96 << 10,  // bytes of output between two moves of the window
  // A symbol may begin at the last byte of the chunk, and copies are made in blocks.
  IMGC_INFLATE_SLACK = 258 + 62,
  IMGC_INFLATE_LITERAL_BITS = 11,
  IMGC_INFLATE_DISTANCE_BITS = 9,
  // Entries of the tables with all sub-tables; the program `enough` of zlib computes them:
  // `enough 288 11 15` and `enough 32 9 15`.
  IMGC_INFLATE_LITERALS = 2342,
  IMGC_INFLATE_DISTANCES = 594,
};

typedef enum imgc_inflate_result {
  IMGC_INFLATE_MORE, // there may be output; run again
  IMGC_INFLATE_END,  // the last block has ended; there may be output
  IMGC_INFLATE_BAD,  // the data breaks the rules, or ends early
  // libdeflate takes what follows and zlib refuses it: a symbol that RFC 1951 does not define, or
  // the unused codeword of a code with a single symbol. Only when `accepts_odd` is false.
  IMGC_INFLATE_ODD,
} imgc_inflate_result;

typedef struct imgc_inflater {
  // Input: the rest of a piece. `more` sets the next piece, which may be empty; false: there is
  // none.
  const uint8_t *in, *in_end;
  bool (*more)(void *context, const uint8_t **in, const uint8_t **in_end);
  void *context;
  bool accepts_odd;

  // Output: [out_start, out) of `window` is what the last run gave.
  size_t out_start, out;

  uint64_t bits; // read and not used; the lowest is the next
  unsigned bit_count;
  bool input_ended;
  enum { IMGC_INFLATE_HEADER, IMGC_INFLATE_STORED, IMGC_INFLATE_CODED, IMGC_INFLATE_DONE } state;
  bool is_last;          // the block is
  bool has_fixed;        // the tables are those of the fixed codes
  uint32_t stored;       // bytes left of a stored block
  unsigned literal_bits; // that index the table
  uint32_t literals[IMGC_INFLATE_LITERALS];
  uint32_t distances[IMGC_INFLATE_DISTANCES];
  uint8_t window[IMGC_INFLATE_WINDOW + IMGC_INFLATE_CHUNK + IMGC_INFLATE_SLACK];
} imgc_inflater;

// Starts before the first block. Set `accepts_odd` afterwards. Does not touch the window.
void imgc_inflate_begin(imgc_inflater *z, bool (*more)(void *, const uint8_t **, const uint8_t **),
                        void *context);

// The next piece of output: at most IMGC_INFLATE_CHUNK + 257 bytes. After each but the first result
// the stream is at its end. Returns after a bounded amount of work, at times without output.
imgc_inflate_result imgc_inflate_run(imgc_inflater *z);

// `count` whole bytes before the first block, or behind the last: those of the container. False
// when there are none left.
bool imgc_inflate_bytes(imgc_inflater *z, uint8_t *to, size_t count);

// Tables (inflate_tables.c). An entry, from the lowest bit: 6 bits with the count of bits to
// remove, extra bits of a length or distance included; 2 flags; 4 bits with the length of the first
// codeword alone, or the index bits of a sub-table; 4 flags; from bit 16 one or two literals, the
// base of a length or distance, or the start of a sub-table.
enum {
  IMGC_INFLATE_BITS = 63,
  IMGC_INFLATE_IS_PAIR = 1 << 6, // a second literal in bits 24 to 31
  IMGC_INFLATE_IS_LITERAL = 1 << 7,
  IMGC_INFLATE_RARE = 1 << 12, // one of the next three
  IMGC_INFLATE_SUBTABLE = 1 << 13,
  IMGC_INFLATE_END_OF_BLOCK = 1 << 14,
  IMGC_INFLATE_IS_ODD = 1 << 15,
};

// Of `count` symbols (at most 288), their codeword lengths in bits, at most 15; 0: not used. False
// when the code is over-subscribed, or incomplete and not a single codeword of one bit or none.
bool imgc_inflate_literal_table(imgc_inflater *z, const uint8_t *lengths, unsigned count);
// The same of at most 32 symbols.
bool imgc_inflate_distance_table(imgc_inflater *z, const uint8_t *lengths, unsigned count);
// 19 lengths of at most 7 bits; 128 entries of symbol << 16 | bits.
bool imgc_inflate_length_table(uint32_t table[128], const uint8_t *lengths);

#if defined(__x86_64__)
// The loop for processors with BMI2, chosen by imgc_inflate_run.
void imgc_inflate_loop_bmi2(imgc_inflater *z);
#endif

#endif
