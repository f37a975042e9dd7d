// Source profile from the colour information of a file, by the precedence cICP > ICC > sRGB > gAMA
// + cHRM (PNG, third edition, 4.3).

#include "color/color_profile.h"
#include "core/report.h"

// ---------------------------------------------------------------- building

static cmsHPROFILE build(cmsContext context, const double xy[8], cmsToneCurve *curve) {
  if (!curve) return NULL;
  cmsCIExyY white = {xy[0], xy[1], 1};
  cmsCIExyYTRIPLE primaries = {{xy[2], xy[3], 1}, {xy[4], xy[5], 1}, {xy[6], xy[7], 1}};
  cmsToneCurve *curves[3] = {curve, curve, curve};
  cmsHPROFILE profile = cmsCreateRGBProfileTHR(context, &white, &primaries, curves);
  cmsFreeToneCurve(curve);
  return profile;
}

// Creates the curve Y = ((X + a) / (1 + a)) ^ gamma for X >= `knee`, and Y = X / slope for X <
// `knee`.
static cmsToneCurve *segmented(cmsContext context, double gamma, double a, double slope,
                               double knee) {
  double parameters[5] = {gamma, 1 / (1 + a), a / (1 + a), 1 / slope, knee};
  return cmsBuildParametricToneCurve(context, 4, parameters);
}

static cmsToneCurve *srgb_curve(cmsContext context) {
  return segmented(context, 2.4, 0.055, 12.92, 0.04045);
}

// The x and y chromaticities of white, red, green and blue.
static const double srgb_xy[8] = {0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06};

// ---------------------------------------------------------------- cICP

// ITU-T H.273, table 2.
enum {
  PRIMARIES_BT709 = 1,
  PRIMARIES_BT470M = 4,
  PRIMARIES_BT470BG = 5,
  PRIMARIES_BT601 = 6,
  PRIMARIES_SMPTE240 = 7,
  PRIMARIES_FILM = 8,
  PRIMARIES_BT2020 = 9,
  PRIMARIES_DCI_P3 = 11,
  PRIMARIES_DISPLAY_P3 = 12,
  PRIMARIES_EBU3213 = 22,
};

static const struct {
  uint8_t code;
  double xy[8];
} primaries_of[] = {
    {PRIMARIES_BT709, {0.3127, 0.3290, 0.640, 0.330, 0.300, 0.600, 0.150, 0.060}},
    {PRIMARIES_BT470M, {0.310, 0.316, 0.67, 0.33, 0.21, 0.71, 0.14, 0.08}},
    {PRIMARIES_BT470BG, {0.3127, 0.3290, 0.64, 0.33, 0.29, 0.60, 0.15, 0.06}},
    {PRIMARIES_BT601, {0.3127, 0.3290, 0.630, 0.340, 0.310, 0.595, 0.155, 0.070}},
    {PRIMARIES_SMPTE240, {0.3127, 0.3290, 0.630, 0.340, 0.310, 0.595, 0.155, 0.070}},
    {PRIMARIES_FILM, {0.310, 0.316, 0.681, 0.319, 0.243, 0.692, 0.145, 0.049}},
    {PRIMARIES_BT2020, {0.3127, 0.3290, 0.708, 0.292, 0.170, 0.797, 0.131, 0.046}},
    {PRIMARIES_DCI_P3, {0.314, 0.351, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060}},
    {PRIMARIES_DISPLAY_P3, {0.3127, 0.3290, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060}},
    {PRIMARIES_EBU3213, {0.3127, 0.3290, 0.630, 0.340, 0.295, 0.605, 0.155, 0.077}},
};

// ITU-T H.273, table 3.
enum {
  TRANSFER_BT709 = 1,
  TRANSFER_BT470M = 4,  // gamma 2.2
  TRANSFER_BT470BG = 5, // gamma 2.8
  TRANSFER_BT601 = 6,
  TRANSFER_SMPTE240 = 7,
  TRANSFER_LINEAR = 8,
  TRANSFER_IEC61966_2_4 = 11,
  TRANSFER_BT2020_10 = 14,
  TRANSFER_BT2020_12 = 15,
  TRANSFER_SRGB = 13,
  TRANSFER_PQ = 16,
  TRANSFER_HLG = 18,
};
enum { MATRIX_RGB = 0, FULL_RANGE = 1 };

// Returns NULL for unsupported codes.
static cmsToneCurve *transfer_curve(cmsContext context, uint8_t code) {
  switch (code) {
  // The inverse of the camera's opto-electronic transfer function.
  case TRANSFER_BT709:
  case TRANSFER_BT601:
  case TRANSFER_IEC61966_2_4:
  case TRANSFER_BT2020_10:
  case TRANSFER_BT2020_12: return segmented(context, 1 / 0.45, 0.099, 4.5, 0.081);
  case TRANSFER_BT470M: return cmsBuildGamma(context, 2.2);
  case TRANSFER_BT470BG: return cmsBuildGamma(context, 2.8);
  case TRANSFER_SMPTE240: return segmented(context, 1 / 0.45, 0.1115, 4, 0.0913);
  case TRANSFER_LINEAR: return cmsBuildGamma(context, 1);
  case TRANSFER_SRGB: return srgb_curve(context);
  default: return NULL;
  }
}

// Sets `*profile`; NULL for sRGB, and, with a warning, for PQ and HLG. Returns false when the code
// points are not supported.
static bool profile_from_cicp(cmsContext context, const uint8_t cicp[4], cmsHPROFILE *profile,
                              imgc_report *report) {
  *profile = NULL;
  // In PNG the samples are RGB (matrix 0). Narrow-range samples are not supported.
  if (cicp[2] != MATRIX_RGB || cicp[3] != FULL_RANGE) return false;
  if (cicp[1] == TRANSFER_PQ || cicp[1] == TRANSFER_HLG) {
    imgc_warn(report, IMGC_WARN_HDR_TRANSFER);
    return true;
  }
  if (cicp[0] == PRIMARIES_BT709 && cicp[1] == TRANSFER_SRGB) return true;
  for (size_t i = 0; i < sizeof primaries_of / sizeof *primaries_of; i++)
    if (primaries_of[i].code == cicp[0])
      *profile = build(context, primaries_of[i].xy, transfer_curve(context, cicp[1]));
  return *profile != NULL;
}

// ---------------------------------------------------------------- gAMA and cHRM

static bool is_near(double value, double expected, double tolerance) {
  return value >= expected - tolerance && value <= expected + tolerance;
}

static bool are_srgb_chromaticities(const double xy[8]) {
  for (int i = 0; i < 8; i++)
    if (!is_near(xy[i], srgb_xy[i], 0.001)) return false;
  return true;
}

static cmsHPROFILE profile_from_gamma(cmsContext context, const imgc_header *header,
                                      imgc_report *report) {
  bool has_gamma = header->has_gamma, has_xy = header->has_chromaticities, is_invalid = false;
  double xy[8];
  for (int i = 0; i < 8; i++) {
    xy[i] = has_xy ? header->chromaticities[i] / 100000.0 : srgb_xy[i];
    if (xy[i] > 1 || (i % 2 == 1 && xy[i] == 0)) is_invalid = true;
  }
  // Exponents outside 1/10 to 10 are not plausible for a display.
  if (has_gamma && (header->gamma < 10000 || header->gamma > 1000000)) is_invalid = true;
  if (is_invalid) {
    imgc_warn(report, IMGC_WARN_PROFILE_IGNORED);
    return NULL;
  }
  // Some encoders write no sRGB chunk, and describe sRGB by a gamma of about 1/2.2 and the sRGB
  // chromaticities.
  bool is_22 = !has_gamma || is_near(header->gamma, 45455, 45455 * 0.05);
  if (is_22 && are_srgb_chromaticities(xy)) return NULL;
  cmsHPROFILE profile =
      build(context, xy,
            has_gamma ? cmsBuildGamma(context, 100000.0 / header->gamma) : srgb_curve(context));
  if (!profile)
    imgc_warn(report, IMGC_WARN_PROFILE_IGNORED); // for example because the primaries are collinear
  return profile;
}

// ---------------------------------------------------------------- precedence

cmsHPROFILE imgc_source_profile(cmsContext context, const imgc_color_source *source,
                                imgc_report *report) {
  const imgc_header *header = source->header;
  cmsHPROFILE profile;
  if (header->has_cicp) {
    if (profile_from_cicp(context, header->cicp, &profile, report)) return profile;
    imgc_warn(report, IMGC_WARN_PROFILE_IGNORED);
  }
  if (source->icc) {
    profile = imgc_profile_from_icc(context, source->icc, source->icc_size, header->color_model);
    if (profile) return profile;
    imgc_warn(report, IMGC_WARN_PROFILE_IGNORED);
  }
  bool has_gamma_chunks = header->has_gamma || header->has_chromaticities;
  if (header->has_srgb || !has_gamma_chunks || header->color_model == IMGC_COLOR_CMYK) return NULL;
  return profile_from_gamma(context, header, report);
}
