// Runs libjpeg-turbo and handles its fatal errors.

#ifndef IMGC_JPEG_LIBRARY_H
#define IMGC_JPEG_LIBRARY_H

#include "jpeg/jpeg_state.h"

// Creates the decompressor, runs `step` until `step` returns or libjpeg fails, then destroys the
// decompressor. The result is in report->status and in `failed`.
void imgc_jpeg_run(jpeg_state *s, void (*step)(jpeg_state *));

// Ends the current step by longjmp when the report contains a failure.
void imgc_jpeg_exit_if_failed(jpeg_state *s);

// Fails with the status for the libjpeg error in s->code. Called only when no row has been decoded.
imgc_status imgc_jpeg_fail(jpeg_state *s);

#endif
