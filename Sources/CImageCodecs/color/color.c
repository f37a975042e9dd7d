// Transforms to sRGB. lcms2 interprets the profile; for gray profiles and matrix RGB profiles,
// look-up tables then convert the pixels without lcms2.

#include "color/color.h"
#include "color/color_matrix.h"
#include "color/color_profile.h"
#include "core/cancel.h"
#include "core/dest.h"
#include "core/limits.h"
#include "core/report.h"

#include <stdlib.h>
#include <string.h>

typedef enum kind {
  GRAY,   // a table indexed by the red sample, which equals green and blue
  MATRIX, // imgc_matrix_row
  TABLE,  // lcms2, RGBA8 in place
  CMYK,   // lcms2, CMYK8 to RGBA8
} kind;

struct imgc_transform {
  kind kind;
  cmsContext context; // for the lcms2 transform; NULL when not needed
  cmsHTRANSFORM lcms; // shared by threads: created without lcms2's one-pixel cache
  uint8_t gray[256][4];
  imgc_matrix matrix;
};

// ---------------------------------------------------------------- creation

// Test colours: all 256 grays, and grids of 5 x 5 x 5 and 17 x 17 x 17 RGB colours.
enum { GRAYS = 256, COARSE = 5, FINE = 17 };
enum { FEW = GRAYS + COARSE * COARSE * COARSE, COLORS = FEW + FINE * FINE * FINE };

typedef struct colors {
  uint8_t stored[COLORS][4];
  uint8_t converted[COLORS][4];
  uint8_t checked[FEW][4];
} colors;

static uint8_t (*fill_cube(uint8_t (*c)[4], int side))[4] {
  for (int i = 0; i < side * side * side; i++, c++)
    for (int k = 0, j = i; k < 3; k++, j /= side) (*c)[k] = (uint8_t)(j % side * 255 / (side - 1));
  return c;
}

static void fill(colors *c) {
  memset(c, 255, sizeof *c);
  for (int i = 0; i < GRAYS; i++) memset(c->stored[i], i, 3);
  fill_cube(fill_cube(c->stored + GRAYS, COARSE), FINE);
}

static bool are_close(const void *first, const void *second, size_t count) {
  const uint8_t *a = first, *b = second;
  for (size_t i = 0; i < count * 4; i++)
    if (abs(a[i] - b[i]) > 1) return false;
  return true;
}

// Temporary objects that are used to create a transform.
typedef struct builder {
  imgc_transform *t;
  cmsHPROFILE profile, srgb;
  colors *colors;
} builder;

static bool link(builder *m, cmsUInt32Number format, cmsUInt32Number flags) {
  cmsContext context = m->t->context;
  if (m->t->lcms) cmsDeleteTransform(m->t->lcms);
  m->t->lcms = cmsCreateTransformTHR(context, m->profile, format, m->srgb, TYPE_RGBA_8,
                                     INTENT_PERCEPTUAL, flags | cmsFLAGS_NOCACHE);
  return m->t->lcms != NULL;
}

typedef enum creation { CREATED, IDENTITY, REJECTED } creation;

static creation create_cmyk(builder *m, const imgc_header *header) {
  m->t->kind = CMYK;
  bool is_inverted = header->format == IMGC_FORMAT_JPEG;
  return link(m, is_inverted ? TYPE_CMYK_8_REV : TYPE_CMYK_8, 0) ? CREATED : REJECTED;
}

static creation create_gray(builder *m) {
  m->t->kind = GRAY;
  bool is_single = cmsGetColorSpace(m->profile) == cmsSigGrayData;
  if (!link(m, is_single ? TYPE_GRAY_8 : TYPE_RGBA_8, 0)) return REJECTED;
  uint8_t single[GRAYS];
  for (int i = 0; i < GRAYS; i++) single[i] = (uint8_t)i;
  memset(m->t->gray, 255, sizeof m->t->gray);
  cmsDoTransform(m->t->lcms, is_single ? (void *)single : m->colors->stored, m->t->gray, GRAYS);
  return are_close(m->t->gray, m->colors->stored, GRAYS) ? IDENTITY : CREATED;
}

// Returns true when the tables reproduce lcms2's result for the profile. For this check lcms2
// converts only a few test colours, without optimization tables, which it would build in 4 ms.
static bool matrix_is_accurate(builder *m) {
  colors *c = m->colors;
  if (!imgc_matrix_init(&m->t->matrix, m->profile, m->srgb) ||
      !link(m, TYPE_RGBA_8, cmsFLAGS_NOOPTIMIZE))
    return false;
  memcpy(c->converted, c->stored, sizeof c->converted);
  imgc_matrix_row(&m->t->matrix, c->converted[0], COLORS);
  cmsDoTransform(m->t->lcms, c->stored, c->checked, FEW);
  return are_close(c->checked, c->converted, FEW);
}

static creation create_rgb(builder *m) {
  colors *c = m->colors;
  m->t->kind = MATRIX;
  if (!matrix_is_accurate(m)) {
    m->t->kind = TABLE;
    if (!link(m, TYPE_RGBA_8, 0)) return REJECTED;
    cmsDoTransform(m->t->lcms, c->stored, c->converted, COLORS);
  }
  return are_close(c->converted, c->stored, COLORS) ? IDENTITY : CREATED;
}

// Selects the kind of transform. Returns false when no conversion is needed, when the profile is
// not usable (the report then contains a warning), and when memory is exhausted.
static bool select_kind(imgc_transform *t, cmsHPROFILE profile, const imgc_header *header,
                        imgc_report *report) {
  builder m = {t, profile, cmsCreate_sRGBProfileTHR(t->context), malloc(sizeof(colors))};
  creation result = IDENTITY;
  if (!m.srgb || !m.colors) {
    imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "colour: out of memory");
  } else {
    fill(m.colors);
    if (cmsGetColorSpace(profile) == cmsSigCmykData)
      result = create_cmyk(&m, header);
    else if (header->color_model == IMGC_COLOR_GRAY)
      result = create_gray(&m);
    else
      result = create_rgb(&m);
  }
  if (result == REJECTED) imgc_warn(report, IMGC_WARN_PROFILE_IGNORED);
  free(m.colors);
  if (m.srgb) cmsCloseProfile(m.srgb);
  return result == CREATED;
}

static void release_lcms(imgc_transform *t) {
  if (t->lcms) cmsDeleteTransform(t->lcms);
  if (t->context) cmsDeleteContext(t->context);
  t->lcms = NULL;
  t->context = NULL;
}

imgc_status imgc_transform_create(const imgc_color_source *source, imgc_transform **transform,
                                  imgc_report *report) {
  memset(report, 0, sizeof *report);
  *transform = NULL;
  if (!source->header)
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL, "the argument `header` is NULL");
  imgc_transform *t = calloc(1, sizeof *t);
  if (t) t->context = imgc_color_context();
  if (!t || !t->context) {
    free(t);
    return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "colour: out of memory");
  }
  cmsHPROFILE profile = imgc_source_profile(t->context, source, report);
  bool is_needed = profile && select_kind(t, profile, source->header, report);
  if (profile) cmsCloseProfile(profile);
  if (!is_needed || t->kind == GRAY || t->kind == MATRIX) release_lcms(t);
  if (is_needed)
    *transform = t;
  else
    free(t);
  return report->status;
}

void imgc_transform_destroy(imgc_transform *transform) {
  if (!transform) return;
  release_lcms(transform);
  free(transform);
}

bool imgc_transform_is_cmyk(const imgc_transform *transform) {
  return transform && transform->kind == CMYK;
}

// ---------------------------------------------------------------- application

static void gray_row(const imgc_transform *t, uint8_t *pixels, size_t n) {
  for (; n > 0; n--, pixels += 4) memcpy(pixels, t->gray[pixels[0]], 3);
}

imgc_status imgc_transform_apply(const imgc_transform *transform, const imgc_request *request,
                                 const imgc_target *target, imgc_report *report) {
  memset(report, 0, sizeof *report);
  if (!transform) return IMGC_OK;
  imgc_target upright = *target; // the conversion of a pixel does not depend on its position
  upright.orientation = 1;
  imgc_dest dest;
  if (transform->kind == CMYK || !imgc_dest_init(&dest, &upright, target->width, target->height))
    return imgc_fail(
        report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
        "the destination has an invalid size or stride, or the transform converts CMYK");
  // A pixel takes up to 20 ns in lcms2, and 2 ns as a matrix.
  uint64_t pixels = (uint64_t)dest.width * dest.height;
  if (imgc_charge(request, pixels * (transform->kind == MATRIX ? 2 : 20), report))
    return report->status;
  for (uint32_t y = 0; y < dest.height; y++) {
    if (y % 16 == 0 && imgc_poll(request, report)) return report->status;
    uint8_t *row = imgc_dest_row(&dest, y);
    switch (transform->kind) {
    case GRAY: gray_row(transform, row, dest.width); break;
    case MATRIX: imgc_matrix_row(&transform->matrix, row, dest.width); break;
    default: cmsDoTransform(transform->lcms, row, row, dest.width); break;
    }
  }
  return IMGC_OK;
}

void imgc_transform_cmyk_row(const imgc_transform *transform, uint8_t *dst, const uint8_t *src,
                             size_t n) {
  memset(dst, 255, n * 4); // lcms2 does not write alpha
  cmsDoTransform(transform->lcms, src, dst, (cmsUInt32Number)n);
}
