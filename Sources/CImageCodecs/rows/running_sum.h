// Prefix sums along a row, for TIFF's horizontal predictor and PNG's filter Sub.

#ifndef IMGC_RUNNING_SUM_H
#define IMGC_RUNNING_SUM_H

#include <stddef.h>
#include <stdint.h>

// Adds the byte `step` positions before to every byte, modulo 256, from the left. step is at least
// 1.
void imgc_running_sum8(uint8_t *row, size_t n, unsigned step);
// Adds the word `step` positions before to every native-endian 16-bit word, modulo 65,536; the row
// may be unaligned.
void imgc_running_sum16(uint8_t *row, size_t words, unsigned step);

// Internal: the scalar version, and the vector variant, which processes the front part of the row
// and returns its size in bytes. Tests compare both.
void imgc_plain_running_sum8(uint8_t *row, size_t first, size_t n, unsigned step);
#if defined(__x86_64__)
#define IMGC_RUNNING_SUM_VARIANT imgc_avx2_running_sum8
size_t imgc_avx2_running_sum8(uint8_t *row, size_t n, unsigned step);
#elif defined(__aarch64__)
#define IMGC_RUNNING_SUM_VARIANT imgc_neon_running_sum8
size_t imgc_neon_running_sum8(uint8_t *row, size_t n, unsigned step);
#endif

#endif
