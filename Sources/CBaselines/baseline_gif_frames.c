// giflib, frame by frame: returns the frames before the first error.

#include "CPlatformImageBaselines.h"

#include <stdlib.h>
#include <string.h>

#if !__has_include(<gif_lib.h>)
#error "giflib not found: apt-get install libgif-dev (brew install giflib)"
#endif
#include <gif_lib.h>

// Maximum pixels of a frame, because the header of an untrusted file can contain any size.
static const uint64_t MAX_PIXELS = 64u << 20;

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

static void color_row(uint8_t *to, const GifPixelType *from, uint32_t width,
                      const ColorMapObject *colors, int transparent) {
  for (uint32_t x = 0; x < width; x++, to += 4) {
    int index = from[x];
    if (index == transparent) continue;
    // An index past the end of the palette is black.
    if (index < colors->ColorCount) memcpy(to, &colors->Colors[index], 3);
    to[3] = 255;
  }
}

// Reads the image data after the image descriptor. Returns false when giflib fails, when the frame
// has no palette, no pixels or more than MAX_PIXELS pixels, and when memory is exhausted.
static bool read_image(GifFileType *gif, int transparent, baseline_image *frame) {
  static const uint32_t start[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
  const GifImageDesc *image = &gif->Image;
  const ColorMapObject *colors = image->ColorMap ? image->ColorMap : gif->SColorMap;
  uint32_t width = (uint32_t)image->Width, height = (uint32_t)image->Height;
  if (!colors || !width || !height || (uint64_t)width * height > MAX_PIXELS) return false;
  uint8_t *pixels = calloc((size_t)width * height, 4);
  GifPixelType *row = malloc(width);
  bool ok = pixels && row;
  for (unsigned pass = 0; pass < (image->Interlace ? 4u : 1u) && ok; pass++) {
    uint32_t y = image->Interlace ? start[pass] : 0;
    for (; y < height && ok; y += image->Interlace ? step[pass] : 1) {
      ok = DGifGetLine(gif, row, (int)width) == GIF_OK;
      if (ok) color_row(pixels + (size_t)y * width * 4, row, width, colors, transparent);
    }
  }
  free(row);
  if (ok)
    *frame = (baseline_image){pixels, width, height, 1};
  else
    free(pixels);
  return ok;
}

// Returns false when the extension is incomplete.
static bool read_extension(GifFileType *gif, int *transparent) {
  int code;
  GifByteType *block;
  if (DGifGetExtension(gif, &code, &block) != GIF_OK) return false;
  while (block) {
    GraphicsControlBlock control;
    if (code == GRAPHICS_EXT_FUNC_CODE && block[0] == 4 &&
        DGifExtensionToGCB(4, block + 1, &control) == GIF_OK)
      *transparent = control.TransparentColor;
    if (DGifGetExtensionNext(gif, &block) != GIF_OK) return false;
  }
  return true;
}

static bool add(baseline_frames *frames, baseline_image frame) {
  baseline_image *more = realloc(frames->frames, (frames->count + 1) * sizeof *more);
  if (!more) {
    free(frame.pixels);
    return false;
  }
  frames->frames = more;
  more[frames->count++] = frame;
  return true;
}

bool baseline_gif_frames(const uint8_t *data, size_t size, baseline_frames *frames) {
  struct memory memory = {data, size};
  int error = 0, transparent = NO_TRANSPARENT_COLOR;
  *frames = (baseline_frames){NULL, 0, false};
  GifFileType *gif = DGifOpen(&memory, read_memory, &error);
  if (!gif) return false;
  GifRecordType record;
  bool ok = true;
  while (ok && DGifGetRecordType(gif, &record) == GIF_OK) {
    baseline_image frame;
    if (record == TERMINATE_RECORD_TYPE) {
      frames->is_complete = true;
      break;
    }
    if (record == EXTENSION_RECORD_TYPE) {
      ok = read_extension(gif, &transparent);
    } else if (record == IMAGE_DESC_RECORD_TYPE) {
      ok = DGifGetImageDesc(gif) == GIF_OK && read_image(gif, transparent, &frame) &&
           add(frames, frame);
      transparent = NO_TRANSPARENT_COLOR;
    }
  }
  DGifCloseFile(gif, &error);
  return true;
}

void baseline_frames_free(baseline_frames *frames) {
  for (size_t i = 0; i < frames->count; i++) baseline_free(&frames->frames[i]);
  free(frames->frames);
  *frames = (baseline_frames){NULL, 0, false};
}
