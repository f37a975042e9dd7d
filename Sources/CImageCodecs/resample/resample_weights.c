// Filter weights of the resampler.

#include "resample/resample_kernels.h"

#include <math.h>

// Filter radius in source samples when enlarging; nearest and box have none.
static const double supports[] = {0, 0, 1, 2, 3};

static double triangle(double x) { return 1 - fabs(x); }

// B = C = 1/3 (Mitchell and Netravali, 1988).
static double mitchell(double x) {
  x = fabs(x);
  if (x < 1) return (7 * x * x * x - 12 * x * x + 16.0 / 3) / 6;
  return (-7.0 / 3 * x * x * x + 12 * x * x - 20 * x + 32.0 / 3) / 6;
}

static double step_of(const imgc_side *side) { return side->length / side->count; }

// Returns the maximum number of samples of a window.
static uint32_t widest(const imgc_side *side) {
  if (side->filter == IMGC_FILTER_NEAREST) return 1;
  double step = step_of(side);
  // A box may cover samples partly at both ends; the other filters are 0 at their ends.
  double most = side->filter == IMGC_FILTER_BOX
                    ? ceil(step) + 1
                    : ceil(2 * supports[side->filter] * (step > 1 ? step : 1));
  return most < side->source ? (uint32_t)most : side->source;
}

uint32_t imgc_windows_taps(const imgc_side *side) {
  uint32_t taps = widest(side) + side->alignment - 1 + side->multiple - 1;
  return taps - taps % side->multiple;
}

typedef struct window {
  uint32_t begin, end; // source samples
} window;

static window clipped(const imgc_side *side, double begin, double end) {
  window w = {begin > 0 ? (uint32_t)begin : 0, side->source};
  if (w.begin >= side->source) w.begin = side->source - 1;
  if (end < w.end) w.end = end > w.begin ? (uint32_t)end : w.begin + 1;
  // Samples added by rounding errors have weight 0.
  uint32_t most = widest(side);
  if (w.end - w.begin > most) w.end = w.begin + most;
  return w;
}

// sin(pi x) sin(pi x / 3) / (pi x)^2 * 3, for equidistant samples: the sine is advanced by the
// angle addition theorem, and sin 3a is 3 sin a - 4 sin^3 a.
static void weigh_lanczos3(double *real, uint32_t count, double x, double step) {
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
static window compute_weights(double *real, const imgc_side *side, double center) {
  const double step = step_of(side), stretch = step > 1 ? step : 1;
  if (side->filter == IMGC_FILTER_NEAREST) {
    real[0] = 1;
    return clipped(side, floor(center), floor(center) + 1);
  }
  if (side->filter == IMGC_FILTER_BOX) {
    const double low = center - step / 2, high = center + step / 2;
    window w = clipped(side, floor(low), ceil(high));
    for (uint32_t i = w.begin; i < w.end; i++) {
      double covered = fmin(i + 1.0, high) - fmax(i, low);
      real[i - w.begin] = covered > 0 ? covered : 0;
    }
    return w;
  }
  const double reach = supports[side->filter] * stretch;
  // Sample centres are at index + 1/2; samples at distance `reach` have weight 0.
  window w = clipped(side, floor(center - reach - 0.5) + 1, ceil(center + reach - 0.5));
  const double first = (w.begin + 0.5 - center) / stretch;
  if (side->filter == IMGC_FILTER_LANCZOS3) {
    weigh_lanczos3(real, w.end - w.begin, first, 1 / stretch);
    return w;
  }
  for (uint32_t i = w.begin; i < w.end; i++) {
    double x = (i + 0.5 - center) / stretch;
    real[i - w.begin] = side->filter == IMGC_FILTER_BILINEAR ? triangle(x) : mitchell(x);
  }
  return w;
}

// Normalizes to integers by rounding cumulative sums instead of single weights: the total is exact
// and rounding errors do not accumulate, so that slow gradients keep their values for any number of
// weights.
static void round_weights(int16_t *rounded_weights, const double *real, uint32_t count) {
  const double one = 1 << IMGC_WEIGHT_BITS;
  double sum = 0, partial_sum = 0;
  for (uint32_t i = 0; i < count; i++) sum += real[i];
  if (!(sum > 0)) { // the box is too narrow to contain a part of a sample
    rounded_weights[0] = 1 << IMGC_WEIGHT_BITS;
    return;
  }
  long given = 0;
  for (uint32_t i = 0; i < count; i++) {
    partial_sum += real[i];
    long part = lrint(partial_sum / sum * one);
    rounded_weights[i] = (int16_t)(part - given);
    given = part;
  }
}

static bool is_one(const int16_t *weights, uint32_t taps) {
  uint32_t some = 0;
  for (uint32_t t = 0; t < taps; t++) some += weights[t] != 0;
  return some == 1;
}

void imgc_windows_fill(imgc_windows *windows, const imgc_side *side, double *real) {
  windows->count = side->count;
  windows->taps = imgc_windows_taps(side);
  windows->end = 0;
  windows->copies = true;
  for (uint32_t i = 0; i < side->count; i++) {
    int16_t *weights = windows->weights + (size_t)i * windows->taps;
    window w = compute_weights(real, side, side->start + (i + 0.5) * step_of(side));
    uint32_t lead = w.begin % side->alignment;
    round_weights(weights + lead, real, w.end - w.begin);
    windows->first[i] = w.begin - lead;
    windows->end = w.end;
    windows->copies = windows->copies && is_one(weights, windows->taps);
  }
}
