// Differences between the frames of an animated GIF: which pixels a frame must draw, and which
// disposal makes the next frame possible.

#ifndef IMGC_ENCODE_GIF_FRAMES_H
#define IMGC_ENCODE_GIF_FRAMES_H

#include "CImageCodecs/frames.h"
#include "encode/encode_gif_palette.h"

// The pixels that a viewer shows before a frame is drawn, as pixels of the sources: alpha is 255,
// or the pixel is 0. The quantised colours differ, but pixels whose source is unchanged do not have
// to be drawn again.
typedef struct imgc_gif_canvas {
  uint32_t width, height;
  uint32_t *pixels; // width * height; NULL: all transparent
} imgc_gif_canvas;

// Converts `count` pixels of a source: alpha of 128 or more becomes 255, other pixels become 0.
void imgc_gif_normalize(const uint8_t *rgba, uint32_t *pixels, size_t count);

// The pixels that a frame draws.
typedef struct imgc_gif_part {
  imgc_rect area;       // 1 x 1 if no pixel changes
  bool has_undrawn;     // pixels of the area are transparent or unchanged
  bool has_transparent; // pixels of the area are transparent
  bool has_unchanged;   // pixels of the area are opaque and unchanged
} imgc_gif_part;

// Finds the smallest rectangle that contains all pixels that differ from the canvas.
imgc_status imgc_gif_changed_area(const imgc_gif_canvas *canvas, const imgc_image *image,
                                  imgc_cancel *cancel, imgc_rect *area, imgc_report *report);
// Sets the flags for the area of `part`.
imgc_status imgc_gif_examine(const imgc_gif_canvas *canvas, const imgc_image *image,
                             imgc_cancel *cancel, imgc_gif_part *part, imgc_report *report);

// Selects the disposal of a frame with which the next frame draws the fewest pixels, and enlarges
// `area` if the next frame has transparent pixels that the disposal must clear. The result is an
// IMGC_DISPOSE_... value. A frame can only draw opaque pixels, so keeping or restoring is
// impossible if it leaves an opaque pixel where the next frame is transparent.
imgc_status imgc_gif_choose_disposal(const imgc_gif_canvas *canvas, const imgc_image *image,
                                     const imgc_image *next, bool can_restore, imgc_cancel *cancel,
                                     imgc_rect *area, uint8_t *disposal, imgc_report *report);
// Applies the frame and its disposal to the canvas.
void imgc_gif_canvas_update(imgc_gif_canvas *canvas, const imgc_image *image, imgc_rect area,
                            uint8_t disposal);

#endif
