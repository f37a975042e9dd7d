// The .xz file format 1.2.1 (tukaani.org/xz/xz-file-format.txt) and RFC 8878 for Zstandard.

#include "tiff/strips/tiff_window.h"
#include "core/bytes.h"

#include <zlib.h>

// Reads the bytes of a strip. For FillOrder 2 the bits of each byte are reversed, as libtiff does.
typedef struct reader {
  const uint8_t *data;
  uint64_t size, at;
  bool reversed;
  bool failed; // a read past the end
} reader;

static uint8_t next_byte(reader *r) {
  if (r->at >= r->size) {
    r->failed = true;
    return 0;
  }
  uint8_t byte = r->data[r->at++];
  if (r->reversed) TIFFReverseBits(&byte, 1);
  return byte;
}

static void skip(reader *r, uint64_t bytes) {
  if (bytes > r->size - r->at)
    r->failed = true, r->at = r->size;
  else
    r->at += bytes;
}

// Section 1.2: seven bits per byte, the lowest first, at most nine bytes.
static uint64_t variable(reader *r) {
  uint64_t value = 0;
  for (unsigned i = 0; i < 9 && !r->failed; i++) {
    uint8_t byte = next_byte(r);
    value |= (uint64_t)(byte & 0x7F) << 7 * i;
    if (!(byte & 0x80)) return value;
  }
  r->failed = true;
  return 0;
}

// Section 3.1: returns the dictionary size of the LZMA2 filter in a block header. The decoder
// allocates memory only for a header with a correct CRC32, so the size in a damaged header is not a
// reason to reject the image.
static uint64_t block_dictionary(reader *r) {
  uint8_t header[1024]; // section 3.1.1: one byte with the size in units of 4 bytes, minus one
  uint64_t count = 0;
  header[count++] = next_byte(r);
  uint64_t length = ((uint64_t)header[0] + 1) * 4;
  while (count < length) header[count++] = next_byte(r);
  uint32_t crc = (uint32_t)crc32(0, header, (uInt)(length - 4));
  if (r->failed || crc != imgc_le32(header + length - 4)) {
    r->failed = true;
    return 0;
  }
  reader h = {.data = header, .size = length - 4, .at = 1};
  uint8_t flags = next_byte(&h);
  if (flags & 0x40) variable(&h); // compressed size
  if (flags & 0x80) variable(&h); // uncompressed size
  uint64_t max = 0;
  for (unsigned i = 0; i <= (flags & 3u) && !h.failed; i++) {
    uint64_t filter = variable(&h), properties = variable(&h);
    if (filter != 0x21 || properties != 1) {
      skip(&h, properties);
      continue;
    }
    unsigned bits = next_byte(&h); // section 5.3.1
    if (bits > 40) h.failed = true;
    uint64_t bytes = bits >= 40 ? UINT32_MAX : (2 | (uint64_t)(bits & 1)) << (bits / 2 + 11);
    if (!h.failed && bytes > max) max = bytes;
  }
  r->failed = h.failed;
  return max;
}

// Skips the LZMA2 chunks of a block; their headers contain their sizes.
static void skip_chunks(reader *r) {
  while (!r->failed) {
    uint8_t control = next_byte(r);
    if (control == 0) return;
    bool packed = control >= 0x80;
    if (packed) skip(r, 2); // the low bits of the uncompressed size
    uint64_t high = next_byte(r);
    uint64_t bytes = (high << 8 | next_byte(r)) + 1;
    skip(r, bytes + (control >= 0xC0));
  }
}

static uint64_t xz_dictionary(reader *r) {
  static const uint8_t magic[6] = {0xFD, '7', 'z', 'X', 'Z', 0};
  static const uint8_t check_bytes[16] = {0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64};
  for (unsigned i = 0; i < sizeof magic; i++)
    if (next_byte(r) != magic[i]) return 0;
  next_byte(r);
  uint8_t check = next_byte(r) & 15;
  skip(r, 4); // CRC32
  uint64_t max = 0;
  while (!r->failed && r->at < r->size) {
    uint64_t start = r->at;
    reader peek = *r;
    if (next_byte(&peek) == 0) break; // the index follows the last block
    uint64_t bytes = block_dictionary(r);
    if (bytes > max) max = bytes;
    skip_chunks(r);
    skip(r, (4 - (r->at - start) % 4) % 4 + check_bytes[check]);
  }
  return max;
}

// RFC 8878, 3.1.1.1. libtiff decodes one frame; libzstd rejects windows above 128 MiB.
static uint64_t zstd_window(reader *r) {
  static const uint8_t magic[4] = {0x28, 0xB5, 0x2F, 0xFD};
  for (unsigned i = 0; i < sizeof magic; i++)
    if (next_byte(r) != magic[i]) return 0;
  uint8_t descriptor = next_byte(r);
  bool single_segment = descriptor & 0x20;
  uint64_t max = UINT64_C(1) << 27;
  if (!single_segment) {
    uint8_t window = next_byte(r);
    uint64_t base = UINT64_C(1) << (10 + (window >> 3));
    uint64_t bytes = base + base / 8 * (window & 7);
    return r->failed || bytes > max ? 0 : bytes;
  }
  static const uint8_t dictionary_bytes[4] = {0, 1, 2, 4}, content_bytes[4] = {1, 2, 4, 8};
  skip(r, dictionary_bytes[descriptor & 3]);
  unsigned count = content_bytes[descriptor >> 6];
  uint64_t bytes = 0;
  for (unsigned i = 0; i < count; i++) bytes |= (uint64_t)next_byte(r) << 8 * i;
  if (count == 2) bytes += 256;
  return r->failed || bytes > max ? 0 : bytes;
}

uint64_t tiff_window_bytes(const tiff_properties *properties, const uint8_t *data, uint64_t size) {
  reader r = {.data = data, .size = size, .reversed = properties->reversed};
  if (properties->compression == COMPRESSION_LZMA) return xz_dictionary(&r);
  if (properties->compression == COMPRESSION_ZSTD) return zstd_window(&r);
  return 0;
}
