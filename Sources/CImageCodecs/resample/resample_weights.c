// Filter weights of the resampler.

#include "resample/resample_kernels.h"

#include <math.h>

// Filter radius in source samples for enlargement, by imgc_filter; unused for nearest and box.
static const double supports[] = {0, 0, 1, 2, 3};

static double bilinear(double x) { return 1 - fabs(x); }

// B = C = 1/3 (Mitchell and Netravali, 1988).
static double mitchell(double x) {
  x = fabs(x);
  if (x < 1) return (7 * x * x * x - 12 * x * x + 16.0 / 3) / 6;
  return (-7.0 / 3 * x * x * x + 12 * x * x - 20 * x + 32.0 / 3) / 6;
}

static double step_of(const imgc_axis *axis) { return axis->length / axis->count; }

// Returns the maximum number of samples of a window.
static uint32_t widest(const imgc_axis *axis) {
  if (axis->filter == IMGC_FILTER_NEAREST) return 1;
  double step = step_of(axis);
  // A box may cover a part of the samples at both ends. The other filters are 0 at their ends.
  double max = axis->filter == IMGC_FILTER_BOX
                   ? ceil(step) + 1
                   : ceil(2 * supports[axis->filter] * (step > 1 ? step : 1));
  return max < axis->source ? (uint32_t)max : axis->source;
}

uint32_t imgc_windows_taps(const imgc_axis *axis) {
  uint32_t taps = widest(axis) + axis->alignment - 1 + axis->multiple - 1;
  return taps - taps % axis->multiple;
}

typedef struct window {
  uint32_t begin, end; // source samples
} window;

static window clipped(const imgc_axis *axis, double begin, double end) {
  window w = {begin > 0 ? (uint32_t)begin : 0, axis->source};
  if (w.begin >= axis->source) w.begin = axis->source - 1;
  if (end < w.end) w.end = end > w.begin ? (uint32_t)end : w.begin + 1;
  // Removes samples at the end that rounding errors added; their weight is 0.
  uint32_t max = widest(axis);
  if (w.end - w.begin > max) w.end = w.begin + max;
  return w;
}

// sin(pi x) sin(pi x / 3) / (pi x)^2 * 3, for equidistant samples: the sine is advanced by the
// angle addition theorem, and sin 3a is 3 sin a - 4 sin^3 a.
static void lanczos3_weights(double *real, uint32_t count, double x, double step) {
  const double third = M_PI / 3;
  double sine = sin(x * third), cosine = cos(x * third);
  const double step_sine = sin(step * third), step_cosine = cos(step * third);
  for (uint32_t i = 0; i < count; i++) {
    double square = sine * sine, at = (x + i * step) * third;
    real[i] = fabs(at) < 1e-9 ? 1 : square * (3 - 4 * square) / (3 * at * at);
    double next = sine * step_cosine + cosine * step_sine;
    cosine = cosine * step_cosine - sine * step_sine;
    sine = next;
  }
}

// Computes the unnormalized weights of the output sample around `center`.
static window compute_weights(double *real, const imgc_axis *axis, double center) {
  const double step = step_of(axis), scale = step > 1 ? step : 1;
  if (axis->filter == IMGC_FILTER_NEAREST) {
    real[0] = 1;
    return clipped(axis, floor(center), floor(center) + 1);
  }
  if (axis->filter == IMGC_FILTER_BOX) {
    const double low = center - step / 2, high = center + step / 2;
    window w = clipped(axis, floor(low), ceil(high));
    for (uint32_t i = w.begin; i < w.end; i++) {
      double overlap = fmin(i + 1.0, high) - fmax(i, low);
      real[i - w.begin] = overlap > 0 ? overlap : 0;
    }
    return w;
  }
  const double radius = supports[axis->filter] * scale;
  // Sample centres are at index + 1/2; samples at distance `radius` have weight 0.
  window w = clipped(axis, floor(center - radius - 0.5) + 1, ceil(center + radius - 0.5));
  const double first = (w.begin + 0.5 - center) / scale;
  if (axis->filter == IMGC_FILTER_LANCZOS3) {
    lanczos3_weights(real, w.end - w.begin, first, 1 / scale);
    return w;
  }
  for (uint32_t i = w.begin; i < w.end; i++) {
    double x = (i + 0.5 - center) / scale;
    real[i - w.begin] = axis->filter == IMGC_FILTER_BILINEAR ? bilinear(x) : mitchell(x);
  }
  return w;
}

// Normalizes to integers by rounding cumulative sums instead of single weights: the total is exact
// and rounding errors do not accumulate, so that slow gradients are preserved for any number of
// weights.
static void round_weights(int16_t *rounded_weights, const double *real, uint32_t count) {
  const double one = 1 << IMGC_WEIGHT_BITS;
  double sum = 0, partial_sum = 0;
  for (uint32_t i = 0; i < count; i++) sum += real[i];
  if (!(sum > 0)) { // the box is too narrow to contain a part of a sample
    rounded_weights[0] = 1 << IMGC_WEIGHT_BITS;
    return;
  }
  long previous_total = 0;
  for (uint32_t i = 0; i < count; i++) {
    partial_sum += real[i];
    long reserve = lrint(partial_sum / sum * one);
    rounded_weights[i] = (int16_t)(reserve - previous_total);
    previous_total = reserve;
  }
}

static bool has_single_weight(const int16_t *weights, uint32_t taps) {
  uint32_t nonzero = 0;
  for (uint32_t t = 0; t < taps; t++) nonzero += weights[t] != 0;
  return nonzero == 1;
}

void imgc_windows_fill(imgc_windows *windows, const imgc_axis *axis, double *real) {
  windows->count = axis->count;
  windows->taps = imgc_windows_taps(axis);
  windows->end = 0;
  windows->copies = true;
  for (uint32_t i = 0; i < axis->count; i++) {
    int16_t *weights = windows->weights + (size_t)i * windows->taps;
    window w = compute_weights(real, axis, axis->start + (i + 0.5) * step_of(axis));
    uint32_t lead = w.begin % axis->alignment;
    round_weights(weights + lead, real, w.end - w.begin);
    windows->first[i] = w.begin - lead;
    windows->end = w.end;
    windows->copies = windows->copies && has_single_weight(weights, windows->taps);
  }
}
