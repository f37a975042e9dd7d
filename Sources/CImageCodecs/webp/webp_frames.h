// The frames of an animated WebP.

#ifndef IMGC_WEBP_FRAMES_H
#define IMGC_WEBP_FRAMES_H

#include "webp/webp_container.h"

imgc_status imgc_webp_next_frame(const imgc_request *request, imgc_frame *frame,
                                 imgc_report *report);
imgc_status imgc_webp_draw_frame(const imgc_request *request, const imgc_frame *frame,
                                 const imgc_target *canvas, imgc_report *report);

#endif
