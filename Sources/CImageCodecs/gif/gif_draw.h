// One image of a GIF, from its data blocks onto the canvas.

#ifndef IMGC_GIF_DRAW_H
#define IMGC_GIF_DRAW_H

#include "core/dest.h"
#include "gif/gif_blocks.h"

typedef struct imgc_gif_drawing {
  const imgc_place *canvas;
  uint32_t x, y; // place of the image on the canvas; may lie outside
  bool over;     // the transparent index leaves the canvas as it is, else it clears
  bool fill;     // rows that could not be read are cleared, else left as they are
  bool salvage;  // rows before a bad code are kept, else the image is refused
} imgc_gif_drawing;

// The image's data blocks come next in `gif`, which the report belongs to. On IMGC_OK the
// report's `rows` counts rows of the canvas.
imgc_status imgc_gif_draw(imgc_gif *gif, const imgc_gif_image *image,
                          const imgc_gif_drawing *drawing);

// Memory that opening the file and drawing an image of this size take.
uint64_t imgc_gif_work_bytes(uint32_t width, uint32_t height);

#endif
