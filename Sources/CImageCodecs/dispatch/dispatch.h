// Common start and end of every call to a codec.

#ifndef IMGC_DISPATCH_H
#define IMGC_DISPATCH_H

#include "core/codec.h"

// Clears the report and returns the codec of the request's format; NULL on failure (see the
// report).
const imgc_codec *imgc_dispatch_begin(const imgc_request *request, imgc_report *report);

// Enforces the request's strictness after a codec call. A failure without a message is a bug in the
// codec; the report then contains a placeholder message.
imgc_status imgc_dispatch_end(const imgc_request *request, imgc_status status, imgc_report *report);

#endif
