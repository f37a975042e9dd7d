// Kernels of composite.c for groups of eight pixels, compiled once per instruction set: the
// including file defines TARGET, NAMED(kernel) and the vector types. No function has a vector as
// parameter or result, because their passing depends on the instruction set.

#define INLINE TARGET static inline __attribute__((always_inline))

INLINE void NAMED(eight)(uint8_t *dst, const uint8_t *src, const factors f, float opacity) {
  lanes s, d;
  imgc_copy(&s, src, sizeof s);
  imgc_copy(&d, dst, sizeof d);
  const float_lanes as = __builtin_convertvector((signed_lanes)(s >> 24), float_lanes) * opacity;
  const float_lanes ad = __builtin_convertvector((signed_lanes)(d >> 24), float_lanes);
  const float_lanes src_weight = as * (f.source + f.source_alpha * ad);
  const float_lanes dst_weight = ad * (f.dest + f.dest_alpha * as);
  const float_lanes sum = src_weight + dst_weight;
  // Where the sum is 0 the divisor is 1, and the pixel is cleared after the division.
  const lanes one = (lanes)((float_lanes){0} + 1.0f);
  const float_lanes divisor = (float_lanes)((lanes)sum | ((lanes)(sum == 0) & one));
  const lanes alpha = (lanes) __builtin_convertvector(sum * (1.0f / 255.0f) + 0.5f, signed_lanes);
  lanes result = alpha << 24;
  for (int shift = 0; shift < 24; shift += 8) {
    float_lanes cs = __builtin_convertvector((signed_lanes)(s >> shift & 255), float_lanes);
    float_lanes cd = __builtin_convertvector((signed_lanes)(d >> shift & 255), float_lanes);
    float_lanes c = (cs * src_weight + cd * dst_weight) / divisor + 0.5f;
    result |= (lanes) __builtin_convertvector(c, signed_lanes) << shift;
  }
  result &= ~(lanes)(alpha == 0);
  // A transparent source leaves the destination unchanged, including its colour under alpha 0.
  const lanes keeps = (lanes)(as == 0) & (f.dest > 0 ? ~0u : 0u);
  result = (d & keeps) | (result & ~keeps);
  imgc_copy(dst, &result, sizeof result);
}

TARGET static void NAMED(composite)(uint8_t *dst, const uint8_t *src, size_t n, const factors f,
                                    float opacity) {
  for (size_t i = 0; i < n; i += 8) NAMED(eight)(dst + i * 4, src + i * 4, f, opacity);
}

// Source over opaque pixels in 16-bit lanes: round(t / 255) = (t + 128 + (t + 128) / 256) / 256.
INLINE void NAMED(over_opaque)(uint8_t *dst, const uint8_t *src) {
  lanes s, d;
  imgc_copy(&s, src, sizeof s);
  imgc_copy(&d, dst, sizeof d);
  const lanes mask = (lanes){0} + 0x00ff00ffu;
  const half_lanes as = (half_lanes)(s >> 24 | s >> 24 << 16), ad = 255 - as;
  half_lanes even = (half_lanes)(s & mask) * as + (half_lanes)(d & mask) * ad + 128;
  half_lanes odd = (half_lanes)(s >> 8 & mask) * as + (half_lanes)(d >> 8 & mask) * ad + 128;
  even = (even + (even >> 8)) >> 8;
  odd = (odd + (odd >> 8)) >> 8;
  lanes result = (lanes)even | (lanes)odd << 8 | IMGC_OPAQUE;
  imgc_copy(dst, &result, sizeof result);
}

TARGET static void NAMED(over)(uint8_t *dst, const uint8_t *src, size_t n) {
  const factors f = operator_factors[IMGC_OPERATOR_SOURCE_OVER];
  const uint64_t alphas = (uint64_t)IMGC_OPAQUE << 32 | IMGC_OPAQUE;
  for (size_t i = 0; i < n; i += 8, dst += 32, src += 32) {
    uint64_t s[4], d[4];
    imgc_copy(s, src, sizeof s);
    imgc_copy(d, dst, sizeof d);
    if (((s[0] | s[1] | s[2] | s[3]) & alphas) == 0) continue;
    if ((s[0] & s[1] & s[2] & s[3] & alphas) == alphas)
      imgc_copy(dst, s, sizeof s);
    else if ((d[0] & d[1] & d[2] & d[3] & alphas) == alphas)
      NAMED(over_opaque)(dst, src);
    else
      NAMED(eight)(dst, src, f, 1);
  }
}

#undef INLINE
