// Compression and decompression of metadata, which is small, in one call of libdeflate.

#include "CImageCodecs/zlib_bytes.h"

#include <libdeflate.h>

size_t imgc_zlib_decompress(const uint8_t *stream, size_t size, uint8_t *to, size_t capacity) {
  struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
  if (!inflater) return 0;
  size_t count = 0;
  if (libdeflate_zlib_decompress(inflater, stream, size, to, capacity, &count) !=
      LIBDEFLATE_SUCCESS)
    count = 0;
  libdeflate_free_decompressor(inflater);
  return count;
}

enum { LEVEL = 9 };

size_t imgc_zlib_bound(size_t size) {
  struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);
  if (!compressor) return 0;
  size_t bound = libdeflate_zlib_compress_bound(compressor, size);
  libdeflate_free_compressor(compressor);
  return bound;
}

size_t imgc_zlib_compress(const uint8_t *bytes, size_t size, uint8_t *to, size_t capacity) {
  struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);
  if (!compressor) return 0;
  size_t count = libdeflate_zlib_compress(compressor, bytes, size, to, capacity);
  libdeflate_free_compressor(compressor);
  return count;
}

uint32_t imgc_crc32(const uint8_t *bytes, size_t size) { return libdeflate_crc32(0, bytes, size); }
