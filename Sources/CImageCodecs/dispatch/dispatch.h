// The frame of every call that a codec answers.

#ifndef IMGC_DISPATCH_H
#define IMGC_DISPATCH_H

#include "core/codec.h"

// Clears the report and returns the codec for the request; NULL after imgc_fail.
const imgc_codec *imgc_dispatch_begin(const imgc_request *request, imgc_report *report);

// Enforces the request's strictness on a codec's status; a codec that fails without a message has a
// bug, which is reported as such.
imgc_status imgc_dispatch_end(const imgc_request *request, imgc_status status, imgc_report *report);

#endif
