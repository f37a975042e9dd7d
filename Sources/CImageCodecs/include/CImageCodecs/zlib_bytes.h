// Compression and decompression of zlib streams (libdeflate), and CRC-32.

#ifndef CIMAGECODECS_ZLIB_BYTES_H
#define CIMAGECODECS_ZLIB_BYTES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Decompresses a complete zlib stream (RFC 1950) into `to`. Returns the decompressed size; 0 when
// the stream is damaged, empty or longer than `capacity`, and when memory is exhausted.
size_t imgc_zlib_decompress(const uint8_t *stream, size_t size, uint8_t *to, size_t capacity);
// Returns the maximum size of the compressed stream of `size` bytes; 0 when memory is exhausted.
size_t imgc_zlib_bound(size_t size);
// Compresses `bytes` into `to`. Returns the size of the stream; 0 when `capacity` is less than
// imgc_zlib_bound(size), and when memory is exhausted.
size_t imgc_zlib_compress(const uint8_t *bytes, size_t size, uint8_t *to, size_t capacity);
// Returns the CRC-32 of PNG and zlib.
uint32_t imgc_crc32(const uint8_t *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
