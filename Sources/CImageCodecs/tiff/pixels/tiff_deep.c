// TIFF samples at 16 bits, for arithmetic that needs more than 8 bits.

#include <string.h>

#include "tiff/pixels/tiff_deep.h"
#include "tiff/pixels/tiff_samples.h"

static uint16_t from_double(double v) {
  if (!(v > 0)) return 0;
  return v >= 1 ? 65535 : (uint16_t)(v * 65535 + 0.5);
}

void tiff_widen_to_16(uint16_t *dst, const uint8_t *src, size_t count, unsigned bits,
                      unsigned format) {
  if (format == SAMPLEFORMAT_IEEEFP) {
    for (size_t i = 0; i < count; i++) dst[i] = from_double(tiff_float(src, i, bits));
    return;
  }
  if (bits == 16) {
    memcpy(dst, src, count * 2);
    return;
  }
  if (bits % 8 == 0 && bits > 8) {
    size_t step = bits / 8;
    const uint8_t *top = tiff_top_word(src, step);
    bool is_signed = format == SAMPLEFORMAT_INT && bits >= 32;
    for (size_t i = 0; i < count; i++) {
      uint16_t v = tiff_load16(top + step * i);
      dst[i] = !is_signed ? v : v & 0x8000 ? 0 : (uint16_t)(v << 1 | v >> 14);
    }
    return;
  }
  uint64_t max = (UINT64_C(1) << bits) - 1;
  tiff_bits r = {.next = src};
  for (size_t i = 0; i < count; i++)
    dst[i] = (uint16_t)((tiff_read_bits(&r, bits) * UINT64_C(65535) + max / 2) / max);
}

static uint8_t multiply(uint32_t ink, uint32_t black) {
  uint64_t product = (uint64_t)(65535 - ink) * (65535 - black);
  return (uint8_t)((product + 32767) / 65535 / 257);
}

static uint8_t to8(uint32_t v) { return (uint8_t)((v * 255 + 32895) >> 16); }

// Reduces both samples to 8 bits and multiplies them; the result equals that of imgc_row_cmyk8.
static uint8_t multiply8(uint32_t ink, uint32_t black) {
  uint32_t t = (255 - (ink >> 8)) * (255 - (black >> 8)) + 128;
  return (uint8_t)((t + (t >> 8)) >> 8);
}

void tiff_deep_cmyk(uint8_t *dst, const uint16_t *src, size_t n, size_t step, bool is_deep) {
  for (size_t i = 0; i < n; i++, src += step, dst += 4) {
    for (int k = 0; k < 3; k++)
      dst[k] = is_deep ? multiply(src[k], src[3]) : multiply8(src[k], src[3]);
    dst[3] = step > 4 ? to8(src[4]) : 255;
  }
}

static uint8_t divide(uint32_t c, uint32_t a) {
  if (a == 0) return 0;
  uint32_t v = (c * 255 + a / 2) / a;
  return v > 255 ? 255 : (uint8_t)v;
}

void tiff_deep_unpremultiply(uint8_t *dst, const uint16_t *src, size_t n, size_t step,
                             bool inverted) {
  for (size_t i = 0; i < n; i++, src += step, dst += 4) {
    uint32_t a = src[step - 1];
    for (size_t k = 0; k < 3; k++) {
      uint32_t c = src[step > 3 ? k : 0];
      dst[k] = divide(inverted ? 65535 - c : c, a);
    }
    dst[3] = to8(a);
  }
}
