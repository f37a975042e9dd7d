// giflib: DGifSlurp, then every saved frame is composited onto an RGBA canvas.

#include "CPlatformImageBaselines.h"

#include <stdlib.h>
#include <string.h>

#if !__has_include(<gif_lib.h>)
#error "giflib not found: apt-get install libgif-dev (brew install giflib)"
#endif
#include <gif_lib.h>

struct memory {
  const uint8_t *next;
  size_t left;
};

static int read_memory(GifFileType *gif, GifByteType *bytes, int count) {
  struct memory *memory = gif->UserData;
  size_t read_size = (size_t)count < memory->left ? (size_t)count : memory->left;
  memcpy(bytes, memory->next, read_size);
  memory->next += read_size;
  memory->left -= read_size;
  return (int)read_size;
}

// The part of a frame inside the canvas.
struct area {
  uint32_t x, y, width, height;
};

static struct area clipped(const GifImageDesc *frame, const baseline_image *canvas) {
  struct area area = {(uint32_t)frame->Left, (uint32_t)frame->Top, 0, 0};
  if (area.x >= canvas->width || area.y >= canvas->height) return area;
  uint32_t right = canvas->width - area.x, bottom = canvas->height - area.y;
  area.width = (uint32_t)frame->Width < right ? (uint32_t)frame->Width : right;
  area.height = (uint32_t)frame->Height < bottom ? (uint32_t)frame->Height : bottom;
  return area;
}

static void draw(const SavedImage *frame, struct area area, const ColorMapObject *colors,
                 int transparent, baseline_image *canvas) {
  for (uint32_t y = 0; y < area.height; y++) {
    const GifByteType *from = frame->RasterBits + (size_t)y * (size_t)frame->ImageDesc.Width;
    uint8_t *to = canvas->pixels + ((size_t)(area.y + y) * canvas->width + area.x) * 4;
    for (uint32_t x = 0; x < area.width; x++, to += 4) {
      int index = from[x];
      if (index == transparent || index >= colors->ColorCount) continue;
      const GifColorType *color = &colors->Colors[index];
      to[0] = color->Red;
      to[1] = color->Green;
      to[2] = color->Blue;
      to[3] = 255;
    }
  }
}

static void clear(struct area area, baseline_image *canvas) {
  for (uint32_t y = 0; y < area.height; y++)
    memset(canvas->pixels + ((size_t)(area.y + y) * canvas->width + area.x) * 4, 0,
           (size_t)area.width * 4);
}

static bool compose(GifFileType *gif, baseline_image *canvas) {
  size_t bytes = (size_t)canvas->width * canvas->height * 4;
  uint8_t *saved = NULL;
  bool ok = true;
  for (int n = 0; n < gif->ImageCount && ok; n++) {
    const SavedImage *frame = &gif->SavedImages[n];
    const ColorMapObject *colors =
        frame->ImageDesc.ColorMap ? frame->ImageDesc.ColorMap : gif->SColorMap;
    GraphicsControlBlock control = {.TransparentColor = NO_TRANSPARENT_COLOR};
    DGifSavedExtensionToGCB(gif, n, &control);
    struct area area = clipped(&frame->ImageDesc, canvas);
    bool restores = control.DisposalMode == DISPOSE_PREVIOUS;
    if (restores && !saved) saved = malloc(bytes);
    ok = colors && (saved || !restores);
    if (!ok) break;
    if (restores) memcpy(saved, canvas->pixels, bytes);
    draw(frame, area, colors, control.TransparentColor, canvas);
    if (n == gif->ImageCount - 1) break; // the disposal of the last frame is not applied
    if (restores) memcpy(canvas->pixels, saved, bytes);
    if (control.DisposalMode == DISPOSE_BACKGROUND) clear(area, canvas);
  }
  free(saved);
  return ok;
}

bool baseline_gif(const uint8_t *data, size_t size, baseline_image *image) {
  struct memory memory = {data, size};
  int error = 0;
  GifFileType *gif = DGifOpen(&memory, read_memory, &error);
  if (!gif) return false;
  baseline_image canvas = {NULL, 0, 0, 0};
  if (DGifSlurp(gif) == GIF_OK && gif->ImageCount > 0 && gif->SWidth > 0 && gif->SHeight > 0) {
    canvas.width = (uint32_t)gif->SWidth;
    canvas.height = (uint32_t)gif->SHeight;
    canvas.frames = (uint32_t)gif->ImageCount;
    canvas.pixels = calloc((size_t)canvas.width * canvas.height, 4);
    if (canvas.pixels && !compose(gif, &canvas)) baseline_free(&canvas);
  }
  DGifCloseFile(gif, &error);
  *image = canvas;
  return canvas.pixels != NULL;
}
