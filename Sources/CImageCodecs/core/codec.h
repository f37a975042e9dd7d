// The dispatch table entry that each format defines.

#ifndef IMGC_CODEC_H
#define IMGC_CODEC_H

#include "CImageCodecs/frames.h"
#include "CImageCodecs/header.h"
#include "core/dest.h"

// One codec. The dispatcher checks the arguments before a call and enforces the request's
// strictness after it. A codec returns the status of imgc_fail or imgc_poll, IMGC_OK, or
// (next_frame) IMGC_END_OF_FRAMES.
typedef struct imgc_codec {
  imgc_format format;
  imgc_status (*read_header)(const imgc_request *, imgc_header *, imgc_report *);
  imgc_status (*read_icc)(const imgc_request *, uint8_t *profile, size_t size, imgc_report *);
  // Opens the destination (imgc_dest_open), then must write or clear every pixel of it: the memory
  // is not initialized.
  imgc_status (*decode)(const imgc_request *, const imgc_dest *, imgc_report *);
  // NULL for formats without animation.
  imgc_status (*next_frame)(const imgc_request *, imgc_frame *, imgc_report *);
  imgc_status (*draw_frame)(const imgc_request *, const imgc_frame *, const imgc_target *,
                            imgc_report *);
  const char *(*version)(void);
} imgc_codec;

// Expands to the value of a macro as a string literal, for libraries that define their version only
// as numbers in a header.
#define IMGC_TEXT_OF(token) #token
#define IMGC_TEXT(token) IMGC_TEXT_OF(token)

extern const imgc_codec imgc_codec_png, imgc_codec_jpeg, imgc_codec_gif, imgc_codec_tiff;
#ifdef IMGC_WEBP
extern const imgc_codec imgc_codec_webp;
#endif

#endif
