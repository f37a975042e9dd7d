// GIF: still images and animations. giflib reads the container (gif_blocks.c), the LZW decoder is
// native (gif_lzw.c).
//
// No state is stored between calls. imgc_frame contains the start offset of the frame, and the
// offset at which the search for the next frame starts. Every call opens the file again and reads
// its header of at most 781 bytes.

#include "core/bytes.h"
#include "core/codec.h"
#include "core/limits.h"
#include "core/report.h"
#include "gif/gif_blocks.h"
#include "gif/gif_draw.h"

#include <stdio.h>

// ---------------------------------------------------------------- the canvas

typedef struct canvas_size {
  uint32_t width, height;
} canvas_size;

// Returns the size of the canvas, enlarged to contain the first image, as browsers and other
// decoders do. Later images do not enlarge the canvas; they are clipped.
static canvas_size size_of_canvas(const imgc_gif *gif, const imgc_gif_image *first) {
  canvas_size size = {(uint32_t)gif->file->SWidth, (uint32_t)gif->file->SHeight};
  uint32_t right = first->x + first->width, bottom = first->y + first->height; // 17 bits at most
  return (canvas_size){right > size.width ? right : size.width,
                       bottom > size.height ? bottom : size.height};
}

static bool covers(const imgc_gif_image *image, canvas_size canvas) {
  return image->x == 0 && image->y == 0 && image->width >= canvas.width &&
         image->height >= canvas.height;
}

static imgc_status check_frame(const imgc_request *request, const imgc_gif_image *image,
                               imgc_report *report) {
  if (image->width == 0 || image->height == 0) return IMGC_OK;
  return imgc_check_size(request, image->width, image->height, report);
}

// Fails because the file contains no image.
static imgc_status fail_without_image(imgc_gif_result result, imgc_report *report) {
  if (result == IMGC_GIF_TRUNCATED || result == IMGC_GIF_END_OF_DATA)
    return imgc_fail(report, IMGC_ERROR_TRUNCATED, NULL, "gif: data ends before the first image");
  if (result != IMGC_GIF_FAILED)
    imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "gif: %s before the first image",
              result == IMGC_GIF_UNKNOWN_BLOCK ? "unknown block" : "trailer");
  return report->status;
}

// ---------------------------------------------------------------- header

// Counts the frames, at most max_counted_frames, and sets has_alpha if a frame after the first
// requires it. Without IMGC_COUNT_FRAMES this function is not called, and only the first frame
// determines has_alpha.
static void count_frames(imgc_gif *gif, imgc_header *header) {
  imgc_gif_image image;
  do {
    header->frame_count++;
    if (header->frame_count == gif->request->max_counted_frames) return;
    if (!imgc_gif_skip_data(gif)) return;
    if (imgc_gif_next_image(gif, &image) != IMGC_GIF_IMAGE) return;
    if (image.transparent_index >= 0 || image.disposal != IMGC_DISPOSE_KEEP)
      header->has_alpha = true;
    uint64_t work = imgc_gif_work_bytes(image.width, image.height);
    if (work > header->work_bytes) header->work_bytes = work;
  } while (gif->report->status == IMGC_OK);
}

static imgc_status fill_header(imgc_gif *gif, imgc_header *header) {
  const imgc_request *request = gif->request;
  imgc_report *report = gif->report;
  imgc_gif_image first;
  imgc_gif_result result = imgc_gif_next_image(gif, &first);
  if (result != IMGC_GIF_IMAGE) return fail_without_image(result, report);

  canvas_size canvas = size_of_canvas(gif, &first);
  header->width = canvas.width;
  header->height = canvas.height;
  header->is_progressive = first.interlaced;
  header->has_alpha = first.transparent_index >= 0 || !covers(&first, canvas);
  header->color_model = IMGC_COLOR_INDEXED;
  header->channels = 1;
  header->bits_per_channel = imgc_gif_palette_bits(gif); // bits of an index
  header->work_bytes = imgc_gif_work_bytes(first.width, first.height);
  if (imgc_check_size(request, canvas.width, canvas.height, report) ||
      check_frame(request, &first, report))
    return report->status;

  if (request->flags & IMGC_COUNT_FRAMES) count_frames(gif, header);
  header->is_animated = header->frame_count > 1;
  if (header->is_animated && first.disposal != IMGC_DISPOSE_KEEP) header->has_alpha = true;
  header->has_loop_count = gif->has_loop_count;
  // The stored number counts the plays after the first one, in browsers and in gif2webp.
  header->loop_count = gif->loop_count ? gif->loop_count + 1 : 0;
  if (report->status) return report->status;
  return imgc_check_memory(request, canvas.width, canvas.height, header->work_bytes, report);
}

static imgc_status gif_read_header(const imgc_request *request, imgc_header *header,
                                   imgc_report *report) {
  imgc_gif gif;
  if (imgc_gif_open(&gif, request, report) == IMGC_OK) fill_header(&gif, header);
  imgc_gif_close(&gif);
  return report->status;
}

static imgc_status gif_read_icc(const imgc_request *request, uint8_t *profile, size_t size,
                                imgc_report *report) {
  (void)request, (void)profile, (void)size;
  return imgc_fail(report, IMGC_ERROR_UNSUPPORTED, "icc",
                   "gif: embedded profiles are not supported");
}

// ---------------------------------------------------------------- the still

// Draws the first image on a transparent canvas. Only the canvas area outside the image is cleared.
static imgc_status draw_still(imgc_gif *gif, const imgc_dest *dest) {
  const imgc_request *request = gif->request;
  imgc_report *report = gif->report;
  imgc_gif_image image;
  imgc_gif_result result = imgc_gif_next_image(gif, &image);
  if (result != IMGC_GIF_IMAGE) return fail_without_image(result, report);

  canvas_size canvas = size_of_canvas(gif, &image);
  if (imgc_check_size(request, canvas.width, canvas.height, report) ||
      check_frame(request, &image, report) ||
      imgc_check_memory(request, canvas.width, canvas.height,
                        imgc_gif_work_bytes(image.width, image.height), report))
    return report->status;
  if (dest->width != canvas.width || dest->height != canvas.height)
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "gif: the destination does not have the canvas size of %u x %u pixels",
                     canvas.width, canvas.height);

  if (imgc_dest_open(dest, canvas.height)) return report->status;
  uint64_t right = (uint64_t)image.x + image.width, bottom = (uint64_t)image.y + image.height;
  if (image.width == 0 || image.height == 0 || image.x >= canvas.width ||
      image.y >= canvas.height) {
    imgc_dest_clear(dest, 0, 0, canvas.width, canvas.height);
  } else {
    imgc_dest_clear(dest, 0, 0, canvas.width, image.y);
    imgc_dest_clear(dest, 0, image.y, image.x, image.height);
    imgc_dest_clear(dest, (uint32_t)right, image.y, canvas.width, image.height);
    imgc_dest_clear(dest, 0, (uint32_t)bottom, canvas.width, canvas.height);
  }
  report->rows = canvas.height;
  imgc_gif_drawing drawing = {.canvas = dest,
                              .x = image.x,
                              .y = image.y,
                              .clear_missing_rows = true,
                              .keep_rows_before_error = true};
  if (imgc_gif_draw(gif, &image, &drawing)) return report->status;
  if (report->truncated || report->corrupt) return IMGC_OK;
  // All rows are decoded; the remaining data cannot change pixels.
  report->rows = canvas.height;
  if (!imgc_gif_skip_data(gif) || imgc_left(&gif->source) == 0)
    imgc_warn(report, IMGC_WARN_MISSING_END);
  return report->status;
}

static imgc_status gif_decode(const imgc_request *request, const imgc_dest *dest,
                              imgc_report *report) {
  imgc_gif gif;
  if (imgc_gif_open(&gif, request, report) == IMGC_OK) draw_still(&gif, dest);
  imgc_gif_close(&gif);
  return report->status;
}

// ---------------------------------------------------------------- the animation

static imgc_status end_of_frames(const imgc_gif *gif, imgc_gif_result result) {
  imgc_report *report = gif->report;
  switch (result) {
  case IMGC_GIF_TRAILER:
    if (imgc_left(&gif->source)) imgc_warn(report, IMGC_WARN_TRAILING_DATA);
    break;
  case IMGC_GIF_END_OF_DATA: imgc_warn(report, IMGC_WARN_MISSING_END); break;
  case IMGC_GIF_TRUNCATED: imgc_truncated(report, 0); break;
  // An unknown block ends the animation, as in browsers; the previous frames remain valid.
  case IMGC_GIF_UNKNOWN_BLOCK: imgc_warn(report, IMGC_WARN_STRUCTURE); break;
  default: return report->status;
  }
  return IMGC_END_OF_FRAMES;
}

static imgc_status find_frame(imgc_gif *gif, imgc_frame *frame) {
  if (frame->number > 0) imgc_gif_seek(gif, frame->next_offset);
  imgc_gif_image image;
  imgc_gif_result result = imgc_gif_next_image(gif, &image);
  if (result != IMGC_GIF_IMAGE)
    return frame->number == 0 ? fail_without_image(result, gif->report)
                              : end_of_frames(gif, result);
  if (check_frame(gif->request, &image, gif->report)) return gif->report->status;

  // Truncated data is reported when the frame is drawn.
  imgc_gif_skip_data(gif);
  if (gif->report->status) return gif->report->status;
  uint32_t number = frame->number + 1;
  uint8_t disposal = image.disposal;
  // Before the first frame the canvas is transparent, so restoring it is the same as clearing it.
  if (number == 1 && disposal == IMGC_DISPOSE_RESTORE) disposal = IMGC_DISPOSE_CLEAR;
  *frame = (imgc_frame){.number = number,
                        .x = image.x,
                        .y = image.y,
                        .width = image.width,
                        .height = image.height,
                        .delay_numerator = image.delay,
                        .delay_denominator = 100,
                        .disposal = disposal,
                        .blend = IMGC_BLEND_OVER,
                        .offset = image.offset,
                        .next_offset = gif->source.offset,
                        .transparent_index = image.transparent_index};
  return IMGC_OK;
}

static imgc_status gif_next_frame(const imgc_request *request, imgc_frame *frame,
                                  imgc_report *report) {
  imgc_gif gif;
  imgc_status status = imgc_gif_open(&gif, request, report);
  if (status == IMGC_OK) status = find_frame(&gif, frame);
  imgc_gif_close(&gif);
  return status;
}

static imgc_status draw_frame_image(imgc_gif *gif, const imgc_frame *frame,
                                    const imgc_target *canvas) {
  const imgc_request *request = gif->request;
  imgc_report *report = gif->report;
  imgc_gif_seek(gif, frame->offset);
  imgc_gif_image image;
  imgc_dest dest;
  if (imgc_gif_next_image(gif, &image) != IMGC_GIF_IMAGE || image.offset != frame->offset ||
      image.width != frame->width || image.height != frame->height ||
      !imgc_dest_init(&dest, canvas, canvas->width, canvas->height))
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "gif: the frame does not belong to this file");
  if (check_frame(request, &image, report) ||
      imgc_check_memory(request, canvas->width, canvas->height,
                        imgc_gif_work_bytes(image.width, image.height), report))
    return report->status;

  // The extension with the transparent index precedes the frame's offset in the file and is not
  // read again.
  image.transparent_index = frame->transparent_index;
  // A damaged first frame is drawn as far as possible, like the still image. Later frames with an
  // invalid code are rejected, because the previous frame looks better than a damaged one.
  imgc_gif_drawing drawing = {.canvas = &dest,
                              .x = frame->x,
                              .y = frame->y,
                              .keep_transparent = frame->blend == IMGC_BLEND_OVER,
                              .keep_rows_before_error = frame->number == 1};
  report->rows = canvas->height;
  return imgc_gif_draw(gif, &image, &drawing);
}

static imgc_status gif_draw_frame(const imgc_request *request, const imgc_frame *frame,
                                  const imgc_target *canvas, imgc_report *report) {
  imgc_gif gif;
  if (imgc_gif_open(&gif, request, report) == IMGC_OK) draw_frame_image(&gif, frame, canvas);
  imgc_gif_close(&gif);
  return report->status;
}

static const char *gif_version(void) {
  return "giflib " IMGC_TEXT(GIFLIB_MAJOR) "." IMGC_TEXT(GIFLIB_MINOR) "." IMGC_TEXT(
      GIFLIB_RELEASE);
}

const imgc_codec imgc_codec_gif = {
    .format = IMGC_FORMAT_GIF,
    .read_header = gif_read_header,
    .read_icc = gif_read_icc,
    .decode = gif_decode,
    .next_frame = gif_next_frame,
    .draw_frame = gif_draw_frame,
    .version = gif_version,
};
