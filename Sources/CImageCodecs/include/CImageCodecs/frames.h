// The frames of an animation (GIF, APNG, WebP).

#ifndef CIMAGECODECS_FRAMES_H
#define CIMAGECODECS_FRAMES_H

#include "report.h"
#include "request.h"
#include "target.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IMGC_DISPOSE_KEEP = 0, IMGC_DISPOSE_CLEAR = 1, IMGC_DISPOSE_RESTORE = 2 };
enum { IMGC_BLEND_SOURCE = 0, IMGC_BLEND_OVER = 1 };

// One frame of an animation, before its pixels are decoded. Initialize the struct to zero before
// the first call of imgc_next_frame.
typedef struct imgc_frame {
  uint32_t number;            // 1 for the first frame; 0 before the first call
  uint32_t x, y;              // position on the canvas in pixels; may be outside (GIF)
  uint32_t width, height;     // pixels, as stored; 0 x 0 draws nothing (GIF)
  uint32_t delay_numerator;   // seconds = numerator / denominator, as stored
  uint32_t delay_denominator; // never 0
  uint8_t disposal;           // IMGC_DISPOSE_...: applied after the frame was shown
  uint8_t blend;              // IMGC_BLEND_...
  // Used by the codec only.
  uint64_t offset;           // start of the frame's data
  uint64_t next_offset;      // start of the search for the next frame
  uint32_t sequence;         // APNG: next expected sequence number
  int16_t transparent_index; // GIF: -1 for none
} imgc_frame;

// Advances `frame` to the next frame. Returns IMGC_END_OF_FRAMES after the last one;
// report->truncated or report->corrupt is true when the animation ended early.
imgc_status imgc_next_frame(const imgc_request *request, imgc_frame *frame, imgc_report *report);

// Draws the frame onto the canvas at (x, y), clipped. Pixels outside the frame do not change. The
// canvas must contain valid pixels. With x = y = 0, a cleared target of the frame's size and
// IMGC_BLEND_SOURCE the result is the raw frame. After a failure the pixels in the frame's area are
// unspecified.
imgc_status imgc_draw_frame(const imgc_request *request, const imgc_frame *frame,
                            const imgc_target *canvas, imgc_report *report);

#ifdef __cplusplus
}
#endif
#endif
