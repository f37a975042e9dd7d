// Container parsing with giflib; its LZW decoder and its list of saved images are not used. giflib
// reads through a callback, without read-ahead. So the read position of the callback is the
// parser's position in the file, and a seek only sets this position.

#include "gif/gif_blocks.h"
#include "core/bytes.h"
#include "core/cancel.h"
#include "core/limits.h"
#include "core/report.h"

#include <string.h>

enum { BLOCKS_PER_POLL = 4096, WORK_SUB_BLOCK = 3 };

enum {
  CONTROL_SIZE = 4,      // GIF89a, 23: bytes of a Graphic Control Extension
  APPLICATION_SIZE = 11, // GIF89a, 26: identifier and authentication code
  LOOP_SIZE = 3,         // the Netscape extension: sub-block type and a count of 16 bits
  LOOP_COUNT = 1,        // the type of the sub-block with the count
  EXTENSION_INTRODUCER = 0x21,
};

static int read_bytes(GifFileType *file, GifByteType *bytes, int count) {
  imgc_gif *gif = file->UserData;
  if (count <= 0) return 0;
  size_t n = (size_t)count;
  if (n > imgc_left(&gif->source)) {
    n = gif->short_read_bytes = imgc_left(&gif->source);
    gif->truncated = true;
  }
  if (n) memcpy(bytes, gif->source.data + gif->source.offset, n);
  gif->source.offset += n;
  return (int)n;
}

imgc_status imgc_gif_open(imgc_gif *gif, const imgc_request *request, imgc_report *report) {
  *gif = (imgc_gif){.request = request,
                    .report = report,
                    .source = {.data = request->data, .size = request->size}};
  if (imgc_poll(request, report)) return report->status;
  int error = 0;
  gif->file = DGifOpen(gif, read_bytes, &error);
  if (gif->file) return IMGC_OK;
  if (gif->truncated)
    return imgc_fail(report, IMGC_ERROR_TRUNCATED, NULL,
                     "gif: data ends at byte %zu, inside the header", request->size);
  if (error == D_GIF_ERR_NOT_GIF_FILE)
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "gif: the signature is missing");
  return imgc_fail(report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "gif: out of memory");
}

void imgc_gif_close(imgc_gif *gif) {
  int error;
  if (gif->file) DGifCloseFile(gif->file, &error);
  gif->file = NULL;
}

void imgc_gif_seek(imgc_gif *gif, uint64_t offset) {
  gif->source.offset = offset < gif->source.size ? (size_t)offset : gif->source.size;
  gif->truncated = false;
}

// ---------------------------------------------------------------- between images

// GIF89a, section 23. The last Graphic Control Extension before an image applies.
static void read_control(const GifByteType *block, imgc_gif_image *image) {
  GraphicsControlBlock control;
  if (block[0] < CONTROL_SIZE || DGifExtensionToGCB(CONTROL_SIZE, block + 1, &control) != GIF_OK)
    return;
  image->delay = (uint16_t)control.DelayTime;
  image->transparent_index = (int16_t)control.TransparentColor;
  image->disposal = control.DisposalMode == DISPOSE_BACKGROUND ? IMGC_DISPOSE_CLEAR
                    : control.DisposalMode == DISPOSE_PREVIOUS ? IMGC_DISPOSE_RESTORE
                                                               : IMGC_DISPOSE_KEEP;
}

static bool is_loop_extension(const GifByteType *block) {
  return block[0] == APPLICATION_SIZE && (memcmp(block + 1, "NETSCAPE2.0", APPLICATION_SIZE) == 0 ||
                                          memcmp(block + 1, "ANIMEXTS1.0", APPLICATION_SIZE) == 0);
}

// Returns true for a comment, a plain text or an unknown extension at the position of the reader.
static bool has_unused_extension(const imgc_reader *source) {
  if (imgc_left(source) < 2 || source->data[source->offset] != EXTENSION_INTRODUCER) return false;
  uint8_t kind = source->data[source->offset + 1];
  return kind != GRAPHICS_EXT_FUNC_CODE && kind != APPLICATION_EXT_FUNC_CODE;
}

// Skips the sub-blocks of an extension to its end without giflib, which copies each of them.
static bool skip_sub_blocks(imgc_gif *gif) {
  imgc_reader *source = &gif->source;
  for (uint32_t n = 1;; n++) {
    size_t left = imgc_left(source), size = left ? source->data[source->offset] : 0;
    if (size >= left) {
      gif->truncated = true;
      source->offset = source->size;
      return false;
    }
    source->offset += 1 + size;
    if (size == 0) return true;
    if (n % BLOCKS_PER_POLL == 0 &&
        (imgc_poll(gif->request, gif->report) ||
         imgc_charge(gif->request, BLOCKS_PER_POLL * WORK_SUB_BLOCK, gif->report)))
      return false;
  }
}

// Returns true when the extension is complete. A block's first byte is its length.
static bool read_extension(imgc_gif *gif, imgc_gif_image *image) {
  int kind = 0;
  GifByteType *block = NULL;
  if (DGifGetExtension(gif->file, &kind, &block) != GIF_OK) return false;
  if (kind == GRAPHICS_EXT_FUNC_CODE && block) read_control(block, image);
  bool loops = kind == APPLICATION_EXT_FUNC_CODE && block && is_loop_extension(block);
  for (uint32_t n = 1; block && loops && !gif->has_loop_count; n++) {
    if (DGifGetExtensionNext(gif->file, &block) != GIF_OK) return false;
    // A sub-block of type 1 contains the loop count; other types (buffering) are ignored.
    if (block && block[0] >= LOOP_SIZE && block[1] == LOOP_COUNT) {
      gif->has_loop_count = true;
      gif->loop_count = imgc_le16(block + 2);
    }
    if (n % BLOCKS_PER_POLL == 0 && imgc_poll(gif->request, gif->report)) return false;
    if (imgc_charge(gif->request, IMGC_WORK_CHUNK, gif->report)) return false;
  }
  return !block || skip_sub_blocks(gif);
}

// Reads the image descriptor. giflib rejects some invalid code sizes and accepts others. In both
// cases the code size is the last byte that giflib has read. It is stored here, and checked when
// the image is drawn.
static imgc_gif_result read_image(imgc_gif *gif, imgc_gif_image *image) {
  GifFileType *file = gif->file;
  file->Error = 0;
  gif->data_ended = false;
  if (DGifGetImageHeader(file) != GIF_OK) {
    if (gif->truncated) return IMGC_GIF_TRUNCATED;
    if (file->Error == D_GIF_ERR_NOT_ENOUGH_MEM) {
      imgc_fail(gif->report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "gif: out of memory");
      return IMGC_GIF_FAILED;
    }
  }
  image->x = (uint32_t)file->Image.Left;
  image->y = (uint32_t)file->Image.Top;
  image->width = (uint32_t)file->Image.Width;
  image->height = (uint32_t)file->Image.Height;
  image->interlaced = file->Image.Interlace;
  image->code_size = gif->source.data[gif->source.offset - 1];
  return IMGC_GIF_IMAGE;
}

imgc_gif_result imgc_gif_next_image(imgc_gif *gif, imgc_gif_image *image) {
  *image = (imgc_gif_image){.transparent_index = -1};
  for (uint32_t n = 0;; n++) {
    if (imgc_left(&gif->source) == 0) return IMGC_GIF_END_OF_DATA;
    if (n % BLOCKS_PER_POLL == 0 && imgc_poll(gif->request, gif->report)) return IMGC_GIF_FAILED;
    if (imgc_charge(gif->request, 2 * IMGC_WORK_CHUNK, gif->report)) return IMGC_GIF_FAILED;
    image->offset = gif->source.offset;
    if (has_unused_extension(&gif->source)) {
      gif->source.offset += 2;
      if (skip_sub_blocks(gif)) continue;
      return gif->truncated ? IMGC_GIF_TRUNCATED : IMGC_GIF_FAILED;
    }
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    if (DGifGetRecordType(gif->file, &type) != GIF_OK) {
      // Some writers add an extra zero byte after an image or an extension.
      if (gif->source.data[image->offset] != 0) return IMGC_GIF_UNKNOWN_BLOCK;
      imgc_warn(gif->report, IMGC_WARN_TRAILING_DATA);
      continue;
    }
    if (type == TERMINATE_RECORD_TYPE) return IMGC_GIF_TRAILER;
    if (type == IMAGE_DESC_RECORD_TYPE) return read_image(gif, image);
    if (!read_extension(gif, image)) return gif->truncated ? IMGC_GIF_TRUNCATED : IMGC_GIF_FAILED;
  }
}

// ---------------------------------------------------------------- inside an image

bool imgc_gif_skip_data(imgc_gif *gif) {
  GifByteType *block = NULL;
  for (uint32_t n = 1; !gif->data_ended; n++) {
    if (DGifGetCodeNext(gif->file, &block) != GIF_OK) return false;
    gif->data_ended = !block;
    if (n % BLOCKS_PER_POLL == 0 && imgc_poll(gif->request, gif->report)) return false;
    if (imgc_charge(gif->request, IMGC_WORK_CHUNK, gif->report)) return false;
  }
  return true;
}

size_t imgc_gif_read_data(imgc_gif *gif, uint8_t *bytes, size_t size) {
  size_t count = 0;
  while (size - count >= 255 && !gif->data_ended && !gif->truncated) {
    GifByteType *block = NULL;
    if (DGifGetCodeNext(gif->file, &block) != GIF_OK) {
      // giflib discards a truncated block, but the available bytes of the block can complete rows.
      memcpy(bytes + count, gif->source.data + gif->source.size - gif->short_read_bytes,
             gif->short_read_bytes);
      count += gif->short_read_bytes;
    } else if (block) {
      memcpy(bytes + count, block + 1, block[0]);
      count += block[0];
    } else {
      gif->data_ended = true;
    }
  }
  return count;
}

// ---------------------------------------------------------------- palettes

static const ColorMapObject *color_map(const imgc_gif *gif) {
  return gif->file->Image.ColorMap ? gif->file->Image.ColorMap : gif->file->SColorMap;
}

uint8_t imgc_gif_palette_bits(const imgc_gif *gif) {
  const ColorMapObject *map = color_map(gif);
  return map ? (uint8_t)map->BitsPerPixel : 8;
}

void imgc_gif_palette(const imgc_gif *gif, int transparent_index, uint32_t palette[256]) {
  const ColorMapObject *map = color_map(gif);
  for (int i = 0; i < 256; i++) {
    uint8_t rgba[4] = {0, 0, 0, 255}; // an index past the end of the palette: opaque black
    if (!map)
      rgba[0] = rgba[1] = rgba[2] = (uint8_t)i; // no palette: gray
    else if (i < map->ColorCount) {
      rgba[0] = map->Colors[i].Red;
      rgba[1] = map->Colors[i].Green;
      rgba[2] = map->Colors[i].Blue;
    }
    if (i == transparent_index) memset(rgba, 0, 4);
    memcpy(&palette[i], rgba, 4);
  }
}
