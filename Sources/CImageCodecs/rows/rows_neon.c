// NEON variants of the row kernels in rows_plain.c, with identical results. Every 64-bit ARM
// processor has NEON. NEON's structured loads and stores deinterleave and interleave the channels
// of pixels.

#include "rows/rows_simd.h"

#ifdef IMGC_HAVE_NEON

#include <arm_neon.h>

#define TARGET
#define NAMED(kernel) imgc_neon_##kernel
#include "rows/rows_lanes.h"

static inline uint8x16_t opaque(void) { return vdupq_n_u8(255); }
static inline void store(uint8_t *dst, uint8x16_t r, uint8x16_t g, uint8x16_t b, uint8x16_t a) {
  uint8x16x4_t pixels = {{r, g, b, a}};
  vst4q_u8(dst, pixels);
}

size_t imgc_neon_gray8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 16; i += 16) {
    uint8x16_t v = vld1q_u8(src + i);
    store(dst + i * 4, v, v, v, opaque());
  }
  return i;
}

size_t imgc_neon_gray_alpha8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 16; i += 16) {
    uint8x16x2_t v = vld2q_u8(src + i * 2);
    store(dst + i * 4, v.val[0], v.val[0], v.val[0], v.val[1]);
  }
  return i;
}

size_t imgc_neon_rgb8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 16; i += 16) {
    uint8x16x3_t v = vld3q_u8(src + i * 3);
    store(dst + i * 4, v.val[0], v.val[1], v.val[2], opaque());
  }
  return i;
}

size_t imgc_neon_bgr8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 16; i += 16) {
    uint8x16x3_t v = vld3q_u8(src + i * 3);
    store(dst + i * 4, v.val[2], v.val[1], v.val[0], opaque());
  }
  return i;
}

size_t imgc_neon_to_rgb8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 16; i += 16) {
    uint8x16x4_t v = vld4q_u8(src + i * 4);
    uint8x16x3_t rgb = {{v.val[0], v.val[1], v.val[2]}};
    vst3q_u8(dst + i * 3, rgb);
  }
  return i;
}

size_t imgc_neon_to_bgr8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 16; i += 16) {
    uint8x16x4_t v = vld4q_u8(src + i * 4);
    uint8x16x3_t bgr = {{v.val[2], v.val[1], v.val[0]}};
    vst3q_u8(dst + i * 3, bgr);
  }
  return i;
}

size_t imgc_neon_bgrx8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 16; i += 16) {
    uint8x16x4_t v = vld4q_u8(src + i * 4);
    store(dst + i * 4, v.val[2], v.val[1], v.val[0], opaque());
  }
  return i;
}

size_t imgc_neon_bgra8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 16; i += 16) {
    uint8x16x4_t v = vld4q_u8(src + i * 4);
    store(dst + i * 4, v.val[2], v.val[1], v.val[0], v.val[3]);
  }
  return i;
}

// Returns round(x / 255) for products of bytes.
static inline uint8x8_t divided(uint16x8_t product) {
  uint16x8_t t = vaddq_u16(product, vdupq_n_u16(128));
  return vshrn_n_u16(vsraq_n_u16(t, t, 8), 8);
}

static inline uint8x16_t multiply(uint8x16_t a, uint8x16_t b) {
  return vcombine_u8(divided(vmull_u8(vget_low_u8(a), vget_low_u8(b))),
                     divided(vmull_u8(vget_high_u8(a), vget_high_u8(b))));
}

size_t imgc_neon_cmyk8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 16; i += 16) {
    uint8x16x4_t v = vld4q_u8(src + i * 4);
    uint8x16_t k = vmvnq_u8(v.val[3]);
    for (int c = 0; c < 3; c++) v.val[c] = multiply(vmvnq_u8(v.val[c]), k);
    v.val[3] = opaque();
    vst4q_u8(dst + i * 4, v);
  }
  return i;
}

size_t imgc_neon_cmyk8_inverted(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 16; i += 16) {
    uint8x16x4_t v = vld4q_u8(src + i * 4);
    for (int c = 0; c < 3; c++) v.val[c] = multiply(v.val[c], v.val[3]);
    v.val[3] = opaque();
    vst4q_u8(dst + i * 4, v);
  }
  return i;
}

size_t imgc_neon_premultiply(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 16; i += 16) {
    uint8x16x4_t v = vld4q_u8(src + i * 4);
    for (int c = 0; c < 3; c++) v.val[c] = multiply(v.val[c], v.val[3]);
    vst4q_u8(dst + i * 4, v);
  }
  return i;
}

// Returns (v * 255 + 32895) >> 16: 16-bit samples reduced to 8 bits.
static inline uint8x8_t high_byte(uint16x8_t v) {
  const uint32x4_t half = vdupq_n_u32(32895);
  uint32x4_t low = vmlal_n_u16(half, vget_low_u16(v), 255);
  uint32x4_t high = vmlal_n_u16(half, vget_high_u16(v), 255);
  return vmovn_u16(vcombine_u16(vshrn_n_u32(low, 16), vshrn_n_u32(high, 16)));
}

size_t imgc_neon_16_to_8(uint8_t *dst, const uint16_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 8; i += 8) vst1_u8(dst + i, high_byte(vld1q_u16(src + i)));
  return i;
}

size_t imgc_neon_be16_to_8(uint8_t *dst, const uint8_t *src, size_t n) {
  size_t i = 0;
  for (; n - i >= 8; i += 8) {
    uint8x16_t swapped = vrev16q_u8(vld1q_u8(src + i * 2));
    vst1_u8(dst + i, high_byte(vreinterpretq_u16_u8(swapped)));
  }
  return i;
}

#else
typedef int imgc_no_neon; // C requires at least one declaration per file
#endif
