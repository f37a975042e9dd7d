// Runs libjpeg-turbo and stops it.

#ifndef IMGC_JPEG_LIBRARY_H
#define IMGC_JPEG_LIBRARY_H

#include "jpeg/jpeg_state.h"

// Creates the decompressor, runs `step` until it returns or libjpeg gives up, destroys the
// decompressor. Look at report->status and failed.
void imgc_jpeg_run(jpeg_state *s, void (*step)(jpeg_state *));

// In a step: leaves it when the report holds a failure.
void imgc_jpeg_leave_if_failed(jpeg_state *s);

// The status for `code`, with nothing to show.
imgc_status imgc_jpeg_fail(jpeg_state *s);

#endif
