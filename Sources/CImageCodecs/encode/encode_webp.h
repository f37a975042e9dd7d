// Shared by the encoders of still and animated WebP: libwebp's configuration and picture.

#ifndef IMGC_ENCODE_WEBP_H
#define IMGC_ENCODE_WEBP_H

#include "CImageCodecs/encode_webp.h"
#include "encode/encode.h"

#ifdef IMGC_WEBP

#if !__has_include(<webp/encode.h>)
#error "libwebp is missing: apt-get install libwebp-dev (brew install webp)"
#endif
#include <webp/encode.h>

// The objects that libwebp's callbacks use; WebPPicture.user_data and .custom_ptr point to it.
typedef struct imgc_webp_call {
  imgc_cancel *cancel;
  imgc_output *output; // NULL: the caller collects the bytes in another way
  imgc_report *report;
} imgc_webp_call;

// Returns false when an option is out of its range.
bool imgc_webp_options_are_valid(const imgc_webp_options *options);

// Fails when the library's version does not match its header, or refuses the options.
imgc_status imgc_webp_config(const imgc_webp_options *options, WebPConfig *config,
                             imgc_report *report);

// Initializes a picture without pixels. The caller releases it with WebPPictureFree, after failures
// too.
imgc_status imgc_webp_picture(WebPPicture *picture, uint32_t width, uint32_t height,
                              imgc_webp_call *call);

// Copies the pixels into the ARGB buffer of the picture, which is allocated if it is NULL.
imgc_status imgc_webp_import_argb(WebPPicture *picture, const imgc_image *image);

// Reports a failure of libwebp, unless a callback has reported its cause.
imgc_status imgc_webp_fail(WebPEncodingError error, imgc_report *report);

#endif

// Fails: compiled without IMGC_WEBP.
imgc_status imgc_webp_unavailable(imgc_report *report);

#endif
