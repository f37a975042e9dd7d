// Tests of decompressors and JPEG blocks: vector variants are compared with scalar variants. The
// compressed data is created by zlib or by a simple LZW encoder, and its content must be restored.

#include "inflate/inflate.h"
#include "jpeg/baseline/jpeg_reduced.h"
#include "tests.h"
#include "tiff/strips/tiff_lzw.h"

#include <zlib.h>

// The scalar variants; see plain_names.h.
void plain_inflate_begin(imgc_inflater *z, bool (*more)(void *, const uint8_t **, const uint8_t **),
                         void *context);
imgc_inflate_result plain_inflate_run(imgc_inflater *z);
tiff_lzw *plain_tiff_lzw_create(void);
void plain_tiff_lzw_destroy(tiff_lzw *lzw);
bool plain_tiff_lzw_decode(tiff_lzw *lzw, const uint8_t *data, size_t data_size, uint8_t *output,
                           size_t size);
void plain_jpeg_reduce(uint8_t *dst, size_t stride, const int16_t block[64], unsigned size);
void plain_jpeg_row_rgba(uint8_t *dst, const uint8_t *y, const uint8_t *cb, const uint8_t *cr,
                         size_t n);

// Fills `bytes` by kind: 0 random bytes, 1 random bytes below 4, 2 runs of 300 equal bytes, 3
// random bytes with repeated strings. The kinds produce literals, short matches and long matches.
static void fill_kind(uint8_t *bytes, size_t count, uint32_t kind) {
  fill(bytes, count);
  if (kind == 0) return;
  for (size_t i = 0; i < count; i++) {
    if (kind == 1) bytes[i] &= 3;
    if (kind == 2) bytes[i] = (uint8_t)(i / 300);
  }
  for (size_t i = 0; kind == 3 && i + 20 < count; i += 1 + random_number() % 40) {
    size_t from = random_number() % (i + 1), n = 3 + random_number() % 260;
    for (size_t k = 0; k < n && i + k < count; k++) bytes[i + k] = bytes[from + k % (i - from + 1)];
  }
}

// ---------------------------------------------------------------- inflate

typedef struct pieces {
  const uint8_t *next;
  size_t left, step;
} pieces;

static bool next_input(void *context, const uint8_t **in, const uint8_t **in_end) {
  pieces *p = context;
  if (p->left == 0) return false;
  size_t n = p->step < p->left ? p->step : p->left;
  *in = p->next;
  *in_end = p->next += n;
  p->left -= n;
  return true;
}

static imgc_inflate_result inflate_all(bool plain, const uint8_t *data, size_t size, size_t step,
                                       uint8_t *out, size_t room, size_t *count) {
  static imgc_inflater z;
  pieces p = {data, size, step};
  *count = 0;
  (plain ? plain_inflate_begin : imgc_inflate_begin)(&z, next_input, &p);
  for (;;) {
    imgc_inflate_result result = (plain ? plain_inflate_run : imgc_inflate_run)(&z);
    size_t n = z.out - z.out_start;
    if (result == IMGC_INFLATE_INVALID || result == IMGC_INFLATE_ZLIB_REJECTS) return result;
    if (n > room - *count) return IMGC_INFLATE_INVALID;
    memcpy(out + *count, z.window + z.out_start, n);
    *count += n;
    if (result == IMGC_INFLATE_END) return result;
  }
}

static size_t deflate_raw(uint8_t *to, size_t room, const uint8_t *data, size_t size, int level,
                          int strategy) {
  z_stream z = {.next_in = (Bytef *)(uintptr_t)data,
                .avail_in = (uInt)size,
                .next_out = to,
                .avail_out = (uInt)room};
  if (deflateInit2(&z, level, Z_DEFLATED, -15, 8, strategy) != Z_OK) exit(2);
  if (deflate(&z, Z_FINISH) != Z_STREAM_END) exit(2);
  deflateEnd(&z);
  return room - z.avail_out;
}

void test_inflate(void) {
  enum { MAX_SIZE = 300000, CAPACITY = MAX_SIZE + 4096 };
  static uint8_t data[MAX_SIZE], packed[CAPACITY], out[2][CAPACITY];
  static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE};
  for (uint32_t round = 0; round < 400; round++) {
    size_t size = round < 260   ? round
                  : round < 380 ? random_number() % 5000
                                : random_number() % MAX_SIZE;
    fill_kind(data, size, round % 4);
    size_t n =
        deflate_raw(packed, CAPACITY, data, size, (int)(round / 3 % 10), strategies[round / 5 % 4]);
    static const size_t steps[] = {SIZE_MAX, 1, 7, 1000};
    size_t counts[2];
    for (int plain = 0; plain < 2; plain++) {
      size_t step = steps[(round + (uint32_t)plain) % 4];
      imgc_inflate_result result =
          inflate_all(plain, packed, n, step, out[plain], CAPACITY, &counts[plain]);
      expect(result == IMGC_INFLATE_END && counts[plain] == size &&
                 memcmp(out[plain], data, size) == 0,
             "%zu bytes, kind %u, plain %d: result %d", size, round % 4, plain, result);
    }
    // Damaged data: both variants return the same result.
    if (n == 0 || size > 5000) continue;
    for (int flips = 0; flips < 8; flips++) {
      size_t at = random_number() % n;
      uint8_t bit = (uint8_t)(1u << random_number() % 8);
      packed[at] ^= bit;
      imgc_inflate_result results[2];
      for (int plain = 0; plain < 2; plain++)
        results[plain] =
            inflate_all(plain, packed, n, SIZE_MAX, out[plain], CAPACITY, &counts[plain]);
      expect(results[0] == results[1] &&
                 (results[0] != IMGC_INFLATE_END ||
                  (counts[0] == counts[1] && memcmp(out[0], out[1], counts[0]) == 0)),
             "%zu bytes with bit %d of byte %zu flipped: %d and %d", size, bit, at, results[0],
             results[1]);
      packed[at] ^= bit;
    }
  }
}

// ---------------------------------------------------------------- LZW

// Encodes as in TIFF 6.0, section 13, with a linear search of the string table.
static size_t lzw_encode(uint8_t *to, const uint8_t *data, size_t size) {
  enum { CLEAR = 256, END = 257, FIRST = 258, LAST = 4093 };
  static uint16_t prefix[4096];
  static uint8_t last[4096];
  uint64_t bits = 0;
  unsigned held = 0, width = 9, next = FIRST;
  size_t count = 0;
#define PUT(code)                                                                                  \
  do {                                                                                             \
    bits = bits << width | (code);                                                                 \
    for (held += width; held >= 8; held -= 8) to[count++] = (uint8_t)(bits >> (held - 8));         \
  } while (0)
  PUT(CLEAR);
  unsigned current = data[0];
  for (size_t i = 1; i < size; i++) {
    unsigned found = 0;
    for (unsigned k = FIRST; k < next && !found; k++)
      if (prefix[k] == current && last[k] == data[i]) found = k;
    if (found) {
      current = found;
      continue;
    }
    PUT(current);
    prefix[next] = (uint16_t)current, last[next++] = data[i];
    current = data[i];
    if (next > LAST) {
      PUT(CLEAR);
      width = 9, next = FIRST;
    } else if (next + 1 > 1u << width && width < 12) {
      width++;
    }
  }
  PUT(current);
  if (next + 2 > 1u << width && width < 12) width++;
  PUT(END);
  if (held) to[count++] = (uint8_t)(bits << (8 - held));
#undef PUT
  return count;
}

void test_lzw(void) {
  enum { MAX_SIZE = 20000 };
  static uint8_t data[MAX_SIZE], packed[2 * MAX_SIZE + 64], out[2][MAX_SIZE + TIFF_LZW_SLACK];
  tiff_lzw *lzw[2] = {tiff_lzw_create(), plain_tiff_lzw_create()};
  if (!lzw[0] || !lzw[1]) exit(2);
  for (uint32_t round = 0; round < 460; round++) {
    size_t size = round < 400 ? 1 + round : 1 + random_number() % MAX_SIZE;
    fill_kind(data, size, round % 4);
    size_t n = lzw_encode(packed, data, size);
    for (int plain = 0; plain < 2; plain++) {
      bool right = (plain ? plain_tiff_lzw_decode : tiff_lzw_decode)(lzw[plain], packed, n,
                                                                     out[plain], size);
      expect(right && memcmp(out[plain], data, size) == 0, "%zu bytes, kind %u, plain %d", size,
             round % 4, plain);
    }
    for (int flips = 0; flips < 8; flips++) {
      size_t at = random_number() % n;
      uint8_t bit = (uint8_t)(1u << random_number() % 8);
      bool right[2];
      packed[at] ^= bit;
      for (int plain = 0; plain < 2; plain++)
        right[plain] = (plain ? plain_tiff_lzw_decode : tiff_lzw_decode)(lzw[plain], packed, n,
                                                                         out[plain], size);
      expect(right[0] == right[1] && (!right[0] || memcmp(out[0], out[1], size) == 0),
             "%zu bytes with bit %d of byte %zu flipped", size, bit, at);
      packed[at] ^= bit;
    }
  }
  tiff_lzw_destroy(lzw[0]);
  plain_tiff_lzw_destroy(lzw[1]);
}

// ---------------------------------------------------------------- JPEG

void test_jpeg_blocks(void) {
  enum { ROUNDS = 20000, WIDEST = 100 };
  for (uint32_t round = 0; round < ROUNDS; round++) {
    int16_t block[64] = {0};
    unsigned count = round % 65;
    for (unsigned i = 0; i < count; i++)
      block[random_number() % 64] =
          (int16_t)((int)(random_number() % 4096) - 2048) / (int16_t)(1 << random_number() % 11);
    for (unsigned size = 1; size <= 4; size *= 2) {
      uint8_t vector[64], plain[64];
      memset(vector, 0xA5, sizeof vector);
      memset(plain, 0xA5, sizeof plain);
      imgc_jpeg_reduce(vector, 8, block, size);
      plain_jpeg_reduce(plain, 8, block, size);
      expect(memcmp(vector, plain, sizeof plain) == 0, "a block to %u x %u", size, size);
      if (count > 0) continue;
      imgc_jpeg_reduce_flat(vector, 8, 0, size);
      expect(memcmp(vector, plain, sizeof plain) == 0, "a flat block to %u x %u", size, size);
    }
  }
  static uint8_t planes[3][WIDEST], vector[WIDEST * 4 + 64], plain[WIDEST * 4 + 64];
  for (size_t n = 0; n <= WIDEST; n++)
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 3; i++) fill(planes[i], WIDEST);
      memset(vector, 0xA5, sizeof vector);
      memset(plain, 0xA5, sizeof plain);
      imgc_jpeg_row_rgba(vector, planes[0], planes[1], planes[2], n);
      plain_jpeg_row_rgba(plain, planes[0], planes[1], planes[2], n);
      expect(memcmp(vector, plain, sizeof plain) == 0, "colours of %zu pixels", n);
    }
}
