// Conversion of colours to sRGB (lcms2).

#ifndef CIMAGECODECS_COLOR_H
#define CIMAGECODECS_COLOR_H

#include "header.h"
#include "report.h"
#include "request.h"
#include "target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Colour information of a file. Precedence: cICP > ICC > sRGB > gAMA + cHRM.
typedef struct imgc_color_source {
  const uint8_t *icc; // NULL: use the chunks in the header
  size_t icc_size;
  const imgc_header *header;
} imgc_color_source;

// Creates the transform to sRGB for images with this header. `*transform` is NULL with IMGC_OK when
// no conversion is needed: no profile, a profile equivalent to sRGB, or an ignored profile (the
// report then contains a warning). The input of a CMYK transform is CMYK8 rows as the codec decodes
// them (JPEG: inverted).
imgc_status imgc_transform_create(const imgc_color_source *source, imgc_transform **transform,
                                  imgc_report *report);
void imgc_transform_destroy(imgc_transform *transform);
// Returns true when the transform converts CMYK samples. Set such a transform in
// imgc_request.cmyk_transform.
bool imgc_transform_is_cmyk(const imgc_transform *transform);
// Converts RGBA8 rows in place; alpha is unchanged. Threads may share a transform. Polls
// `request->cancel` every 16 rows.
imgc_status imgc_transform_apply(const imgc_transform *transform, const imgc_request *request,
                                 const imgc_target *target, imgc_report *report);
// Writes the profile's English description as UTF-8, truncated to fit; empty when there is none.
void imgc_icc_description(const uint8_t *icc, size_t icc_size, char *text, size_t text_size);

#ifdef __cplusplus
}
#endif
#endif
