// Lossless images whose codes have no other alpha than 255.

#ifndef IMGC_WEBP_OPAQUE_H
#define IMGC_WEBP_OPAQUE_H

#include "webp/webp_container.h"

// Returns true when it follows from the codes of a lossless image that all its pixels are opaque.
// Returns false when that is not known, in particular when reading the codes would take longer than
// a test of the decoded pixels; and when imgc_poll fails.
bool imgc_webp_is_opaque(const imgc_request *request, const imgc_webp_image *image,
                         imgc_report *report);

#endif
