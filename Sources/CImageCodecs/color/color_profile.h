// Inside the colour code: lcms2 contexts and the profiles to convert from.

#ifndef IMGC_COLOR_PROFILE_H
#define IMGC_COLOR_PROFILE_H

#include "CImageCodecs.h"

#if !__has_include(<lcms2.h>)
#error "lcms2 is missing: apt-get install liblcms2-dev"
#endif
#include <lcms2.h>

enum { IMGC_MAX_PROFILE = 4 << 20 }; // bytes

// A context that prints nothing and refuses large allocations. NULL: out of memory.
cmsContext imgc_color_context(void);

// The embedded profile, when it parses and fits pictures of this colour model; else NULL.
cmsHPROFILE imgc_profile_from_icc(cmsContext context, const uint8_t *icc, size_t size,
                                  imgc_color_model model);

// The profile that the source asks for by its precedence, or NULL: the pixels are sRGB, or
// nothing usable was said (then the report has a warning).
cmsHPROFILE imgc_source_profile(cmsContext context, const imgc_color_source *source,
                                imgc_report *report);

#endif
