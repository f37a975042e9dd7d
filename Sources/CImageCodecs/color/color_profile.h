// Internal to the colour code: lcms2 contexts and source profiles.

#ifndef IMGC_COLOR_PROFILE_H
#define IMGC_COLOR_PROFILE_H

#include "CImageCodecs/color.h"

#if !__has_include(<lcms2.h>)
#error "lcms2 is missing: apt-get install liblcms2-dev (brew install little-cms2)"
#endif
#include <lcms2.h>

enum { IMGC_MAX_PROFILE = 4 << 20 }; // bytes

// Creates a context that prints nothing and rejects large allocations. NULL: out of memory.
cmsContext imgc_color_context(void);

// Opens the embedded profile; NULL when lcms2 cannot read the profile, or when the profile does not
// match the colour model.
cmsHPROFILE imgc_profile_from_icc(cmsContext context, const uint8_t *icc, size_t size,
                                  imgc_color_model model);

// Returns the source profile by the precedence of imgc_color_source. Returns NULL when the file has
// no colour information, or describes sRGB in PNG chunks. Also returns NULL, with a warning in the
// report, when the colour information is not usable.
cmsHPROFILE imgc_source_profile(cmsContext context, const imgc_color_source *source,
                                imgc_report *report);

#endif
