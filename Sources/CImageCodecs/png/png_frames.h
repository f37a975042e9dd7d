// APNG.

#ifndef IMGC_PNG_FRAMES_H
#define IMGC_PNG_FRAMES_H

#include "CImageCodecs.h"

imgc_status imgc_png_next_frame(const imgc_request *request, imgc_frame *frame,
                                imgc_report *report);
imgc_status imgc_png_draw_frame(const imgc_request *request, const imgc_frame *frame,
                                const imgc_target *canvas, imgc_report *report);

#endif
