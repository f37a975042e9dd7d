// CImageCodecs: decodes PNG, JPEG, GIF, TIFF and WebP files into RGBA8 pixels, resamples them, and
// encodes JPEG, PNG, GIF and WebP.
//
// Call order for a still image:
//   1. imgc_probe: detects the format by its signature.
//   2. imgc_read_header: returns size and kind; fails early when a limit is exceeded.
//   3. The caller allocates height * stride bytes.
//   4. imgc_decode: writes the pixels.
// For an animation (GIF, APNG, WebP), after step 2: call imgc_next_frame and imgc_draw_frame
// alternately, on a canvas that the caller has allocated.
//
// There is no global state except the signal handler of imgc_file_map: every function may be called
// on any thread, concurrently. The caller allocates and releases the memory of all arguments. No
// function stores a pointer to this memory, except in the opaque objects that have a create and a
// destroy function. Functions return a status; they never print, exit, or longjmp into the caller.
//
// Enum values are part of the interface: add new values at the end, and never change existing ones.

#ifndef CIMAGECODECS_H
#define CIMAGECODECS_H

// All calls: results, limits and cancellation.
#include "CImageCodecs/cancel.h"
#include "CImageCodecs/report.h"
#include "CImageCodecs/resource_limits.h"

// Decoding.
#include "CImageCodecs/decode.h"
#include "CImageCodecs/format.h"
#include "CImageCodecs/frames.h"
#include "CImageCodecs/header.h"
#include "CImageCodecs/input_file.h"
#include "CImageCodecs/request.h"

// Pixels.
#include "CImageCodecs/color.h"
#include "CImageCodecs/image.h"
#include "CImageCodecs/resample.h"
#include "CImageCodecs/rows.h"
#include "CImageCodecs/target.h"

// Encoding.
#include "CImageCodecs/encode_gif.h"
#include "CImageCodecs/encode_jpeg.h"
#include "CImageCodecs/encode_png.h"
#include "CImageCodecs/encode_webp.h"
#include "CImageCodecs/output.h"

// zlib streams, linked libraries, processors.
#include "CImageCodecs/system.h"
#include "CImageCodecs/zlib_bytes.h"

#endif
