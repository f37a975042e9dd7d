// Drawing of one GIF image from its data blocks onto the canvas.

#ifndef IMGC_GIF_DRAW_H
#define IMGC_GIF_DRAW_H

#include "core/dest.h"
#include "gif/gif_blocks.h"

typedef struct imgc_gif_drawing {
  const imgc_dest *canvas;
  uint32_t x, y;           // position of the image on the canvas; may be outside
  bool keep_transparent;   // transparent pixels do not change the canvas; otherwise they clear it
  bool clear_missing_rows; // missing rows are cleared, otherwise they do not change the canvas
  bool keep_rows_before_error; // rows before an invalid code are drawn, otherwise the image is
                               // rejected
} imgc_gif_drawing;

// Draws the image whose data blocks are next in `gif`. On IMGC_OK, report->rows counts rows of the
// canvas, not of the image.
imgc_status imgc_gif_draw(imgc_gif *gif, const imgc_gif_image *image,
                          const imgc_gif_drawing *drawing);

// Returns the bytes of memory for opening the file and drawing an image of this size.
uint64_t imgc_gif_work_bytes(uint32_t width, uint32_t height);

#endif
