// Prefix sums along a row, for TIFF's horizontal predictor and PNG's filter Sub.

#ifndef IMGC_RUNNING_SUM_H
#define IMGC_RUNNING_SUM_H

#include <stddef.h>
#include <stdint.h>

// Adds to every byte, from the left, the byte that is `step` positions before it, modulo 256.
// `step` is at least 1.
void imgc_running_sum8(uint8_t *row, size_t n, unsigned step);
// Adds to every native-endian 16-bit word the word that is `step` positions before it, modulo
// 65,536. The row may be unaligned.
void imgc_running_sum16(uint8_t *row, size_t words, unsigned step);

// Internal: the scalar version, and the vector variant, which processes the first part of the row
// and returns the size of this part in bytes. Tests compare both versions.
void imgc_plain_running_sum8(uint8_t *row, size_t first, size_t n, unsigned step);
#if defined(__x86_64__)
#define IMGC_RUNNING_SUM_VARIANT imgc_avx2_running_sum8
size_t imgc_avx2_running_sum8(uint8_t *row, size_t n, unsigned step);
#elif defined(__aarch64__)
#define IMGC_RUNNING_SUM_VARIANT imgc_neon_running_sum8
size_t imgc_neon_running_sum8(uint8_t *row, size_t n, unsigned step);
#endif

#endif
