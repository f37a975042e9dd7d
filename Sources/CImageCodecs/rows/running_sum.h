// Sums along a row: what TIFF's horizontal predictor and PNG's filter Sub ask for.

#ifndef IMGC_RUNNING_SUM_H
#define IMGC_RUNNING_SUM_H

#include <stddef.h>
#include <stdint.h>

// Adds to every byte the one `step` bytes before it, modulo 256, from the left. step is at least 1.
void imgc_running_sum8(uint8_t *row, size_t n, unsigned step);
// The same for words in the machine's order; the row may lie at any address.
void imgc_running_sum16(uint8_t *row, size_t words, unsigned step);

// Inside: the plain version, and the vector twin, which does the front part of the row and returns
// how many bytes that were. Tests call both and compare.
void imgc_plain_running_sum8(uint8_t *row, size_t first, size_t n, unsigned step);
#if defined(__x86_64__)
#define IMGC_RUNNING_SUM_TWIN imgc_avx2_running_sum8
size_t imgc_avx2_running_sum8(uint8_t *row, size_t n, unsigned step);
#elif defined(__aarch64__)
#define IMGC_RUNNING_SUM_TWIN imgc_neon_running_sum8
size_t imgc_neon_running_sum8(uint8_t *row, size_t n, unsigned step);
#endif

#endif
