// CPlatformImageChecksums: checksums of data on disk, CRC-32C for small records and XXH3 for
// bodies.
//
// All functions may be called on any thread, concurrently.

#ifndef CCHECKSUMS_H
#define CCHECKSUMS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns the CRC-32C (Castagnoli, RFC 3720 appendix B.4) of `size` bytes, continuing from `crc`; 0
// starts a new checksum.
uint32_t pi_crc32c(uint32_t crc, const void *data, size_t size);

// Returns the checksum that pi_crc32c returns, computed with tables only, on any processor; for
// tests.
uint32_t pi_crc32c_portable(uint32_t crc, const void *data, size_t size);

// Returns the 64-bit XXH3 of `size` bytes (libxxhash, seed 0).
uint64_t pi_xxh3_64(const void *data, size_t size);

#ifdef __cplusplus
}
#endif
#endif
