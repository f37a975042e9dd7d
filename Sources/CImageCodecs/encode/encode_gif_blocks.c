#include "encode/encode_gif_blocks.h"
#include "core/report.h"

#if !__has_include(<gif_lib.h>)
#error "giflib is missing: apt-get install libgif-dev (brew install giflib)"
#endif
#include <gif_lib.h>

static imgc_status no_memory(imgc_report *report) {
  return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "gif: out of memory");
}

static int write_bytes(GifFileType *file, const GifByteType *bytes, int count) {
  const imgc_gif_blocks *blocks = file->UserData;
  if (!blocks->output || count < 0) return 0;
  return imgc_output_append(blocks->output, bytes, (size_t)count) ? count : 0;
}

// Returns the colours with the transparent index, filled up to a power of two.
static ColorMapObject *color_map(const imgc_gif_palette *palette, int16_t transparent) {
  int count = (int)palette->set.count + (transparent != IMGC_GIF_NO_INDEX), size = 2;
  while (size < count) size *= 2;
  ColorMapObject *map = GifMakeMapObject(size, NULL);
  for (uint32_t i = 0; map && i < palette->set.count; i++) {
    uint32_t color = palette->set.colors[i];
    map->Colors[i] =
        (GifColorType){(GifByteType)color, (GifByteType)(color >> 8), (GifByteType)(color >> 16)};
  }
  return map;
}

static bool put_loop(GifFileType *file, uint16_t count) {
  uint8_t block[] = {1, (uint8_t)count, (uint8_t)(count >> 8)};
  return EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE) &&
         EGifPutExtensionBlock(file, 11, "NETSCAPE2.0") &&
         EGifPutExtensionBlock(file, sizeof block, block) && EGifPutExtensionTrailer(file);
}

imgc_status imgc_gif_put_header(imgc_gif_blocks *blocks, const imgc_gif_header *header,
                                imgc_report *report) {
  blocks->file = EGifOpen(blocks, write_bytes, NULL);
  ColorMapObject *map = color_map(header->palette, header->transparent);
  if (!blocks->file || !map) {
    GifFreeMapObject(map);
    return no_memory(report);
  }
  EGifSetGifVersion(blocks->file, header->needs_gif89a);
  bool done = EGifPutScreenDesc(blocks->file, (int)header->width, (int)header->height, 8, 0, map) ==
                  GIF_OK &&
              (!header->repeats || put_loop(blocks->file, header->repeat_count));
  GifFreeMapObject(map); // giflib has copied it
  return done ? IMGC_OK : no_memory(report);
}

// Every frame with a transparent index declares it, even if no pixel has it: some viewers otherwise
// clear its area to the background colour, or cannot show transparent pixels of later frames.
static bool put_control(GifFileType *file, const imgc_gif_block *block) {
  static const int modes[] = {[IMGC_DISPOSE_KEEP] = DISPOSE_DO_NOT,
                              [IMGC_DISPOSE_CLEAR] = DISPOSE_BACKGROUND,
                              [IMGC_DISPOSE_RESTORE] = DISPOSE_PREVIOUS};
  if (block->is_still && block->transparent == IMGC_GIF_NO_INDEX) return true;
  GraphicsControlBlock control = {.DisposalMode = block->is_still ? DISPOSAL_UNSPECIFIED
                                                                  : modes[block->disposal],
                                  .DelayTime = block->delay,
                                  .TransparentColor = block->transparent};
  GifByteType extension[4];
  size_t size = EGifGCBToExtension(&control, extension);
  return EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, (int)size, extension) == GIF_OK;
}

imgc_status imgc_gif_put_image(const imgc_gif_blocks *blocks, const imgc_gif_block *block,
                               imgc_report *report) {
  const imgc_rect *area = &block->area;
  GifFileType *file = blocks->file;
  ColorMapObject *map = block->palette ? color_map(block->palette, block->transparent) : NULL;
  bool done = (map || !block->palette) && put_control(file, block) &&
              EGifPutImageDesc(file, (int)area->x, (int)area->y, (int)area->width,
                               (int)area->height, false, map) == GIF_OK;
  GifFreeMapObject(map);
  for (uint32_t y = 0; done && y < area->height; y++) {
    if (y % IMGC_ENCODE_BAND == 0 && (imgc_encode_poll(blocks->cancel, report) ||
                                      imgc_output_check(blocks->output, "gif", report)))
      return report->status;
    done = EGifPutLine(file, block->indices + (size_t)y * area->width, (int)area->width) == GIF_OK;
  }
  return done ? imgc_output_check(blocks->output, "gif", report) : no_memory(report);
}

bool imgc_gif_blocks_close(imgc_gif_blocks *blocks) {
  GifFileType *file = blocks->file;
  blocks->file = NULL;
  return !file || EGifCloseFile(file, NULL) == GIF_OK;
}
