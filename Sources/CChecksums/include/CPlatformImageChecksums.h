// CPlatformImageChecksums - checksums of what is on disk: CRC-32C for small records, XXH3 for bodies.
//
// Every function may run on any thread, at once.

#ifndef CCHECKSUMS_H
#define CCHECKSUMS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// CRC-32C (Castagnoli, RFC 3720 appendix B.4) of `size` bytes, going on from `crc`; 0 starts.
uint32_t pi_crc32c(uint32_t crc, const void *data, size_t size);

// The same by tables alone, whatever the processor has; for tests.
uint32_t pi_crc32c_portable(uint32_t crc, const void *data, size_t size);

// XXH3 with 64 bits of `size` bytes (libxxhash, seed 0).
uint64_t pi_xxh3_64(const void *data, size_t size);

#ifdef __cplusplus
}
#endif
#endif
