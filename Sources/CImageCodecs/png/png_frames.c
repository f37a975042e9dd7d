// APNG: the frames of an animation (PNG, third edition, 11.3.6). libpng does not support
// animations, so each frame is decoded as a separate image.

#include "png/png_frames.h"
#include "core/bytes.h"
#include "core/cancel.h"
#include "core/dest.h"
#include "core/limits.h"
#include "core/report.h"
#include "png/png_draw.h"

// Value of imgc_frame.next_offset: the animation has ended.
static const uint64_t NO_NEXT_FRAME = UINT64_MAX;

// Ends the animation; the frames returned so far remain valid.
static imgc_status stop(imgc_frame *frame, bool truncated, imgc_report *report) {
  frame->next_offset = NO_NEXT_FRAME;
  if (truncated)
    imgc_truncated(report, 0);
  else
    imgc_warn(report, IMGC_WARN_SEQUENCE);
  return IMGC_END_OF_FRAMES;
}

// Returns the still image as the only frame.
static imgc_status set_still_frame(const imgc_png *png, imgc_frame *frame) {
  *frame = (imgc_frame){.number = 1,
                        .width = png->width,
                        .height = png->height,
                        .delay_denominator = 100,
                        .disposal = IMGC_DISPOSE_KEEP,
                        .blend = IMGC_BLEND_SOURCE,
                        .offset = png->idat_offset,
                        .next_offset = NO_NEXT_FRAME};
  return IMGC_OK;
}

// Reads fcTL: sequence number, width, height, x, y (32 bits each), delay numerator and denominator
// (16 bits each), disposal and blending (8 bits each).
static bool read_control(const imgc_png_chunk *chunk, const imgc_png *png, imgc_frame *frame,
                         imgc_report *report) {
  if (chunk->length != IMGC_PNG_fcTL_SIZE) return false;
  const uint8_t *p = chunk->data;
  if (!imgc_png_crc_matches(chunk)) imgc_warn(report, IMGC_WARN_CRC);
  if (imgc_be32(p) != frame->sequence) return false;
  frame->sequence++;
  frame->width = imgc_be32(p + 4);
  frame->height = imgc_be32(p + 8);
  frame->x = imgc_be32(p + 12);
  frame->y = imgc_be32(p + 16);
  if (frame->width == 0 || frame->height == 0 || (uint64_t)frame->x + frame->width > png->width ||
      (uint64_t)frame->y + frame->height > png->height)
    return false;
  frame->delay_numerator = imgc_be16(p + 20);
  frame->delay_denominator = imgc_be16(p + 22) ? imgc_be16(p + 22) : 100;
  static const uint8_t disposals[] = {
      [IMGC_PNG_DISPOSE_NONE] = IMGC_DISPOSE_KEEP,
      [IMGC_PNG_DISPOSE_BACKGROUND] = IMGC_DISPOSE_CLEAR,
      [IMGC_PNG_DISPOSE_PREVIOUS] = IMGC_DISPOSE_RESTORE,
  };
  // The disposal or blend operation is undefined, so the frame is invalid.
  if (p[24] > IMGC_PNG_DISPOSE_PREVIOUS || p[25] > IMGC_PNG_BLEND_OVER) return false;
  frame->disposal = disposals[p[24]];
  frame->blend = p[25] == IMGC_PNG_BLEND_OVER ? IMGC_BLEND_OVER : IMGC_BLEND_SOURCE;
  // There is no previous content to restore before the first frame.
  if (frame->number == 0 && frame->disposal == IMGC_DISPOSE_RESTORE)
    frame->disposal = IMGC_DISPOSE_CLEAR;
  return true;
}

// Moves past the frame's data; returns false when the data is invalid, and when the request is
// cancelled or its deadline has passed.
static bool skip_data(const imgc_request *request, imgc_frame *frame, uint32_t type,
                      imgc_report *report) {
  imgc_png_source source =
      imgc_png_source_at(request, (size_t)frame->offset, type, frame->sequence);
  imgc_png_segment segment;
  uint64_t count = 0;
  while (imgc_png_source_next(&source, &segment, false))
    if ((++count % 4096 == 0 && imgc_poll(request, report)) ||
        imgc_charge(request, IMGC_WORK_CHUNK, report))
      return false;
  frame->sequence = source.sequence;
  frame->next_offset = source.reader.offset;
  if (count == 0) return false;
  // If another fdAT chunk follows, its sequence number is wrong or missing, and the frame is
  // invalid.
  imgc_png_chunk chunk = {0};
  if (type == IMGC_PNG_fdAT && !source.truncated) imgc_png_next(&source.reader, &chunk);
  return chunk.type != IMGC_PNG_fdAT;
}

// Finds the next fcTL chunk and the frame data after this chunk.
static imgc_status advance(const imgc_request *request, const imgc_png *png, imgc_frame *frame,
                           imgc_report *report) {
  imgc_reader reader = {request->data, request->size, (size_t)frame->next_offset};
  bool controlled = false;
  for (uint64_t count = 1;; count++) {
    if (count % 4096 == 0 && imgc_poll(request, report)) return report->status;
    if (imgc_charge(request, IMGC_WORK_CHUNK, report)) return report->status;
    imgc_png_chunk chunk;
    imgc_png_chunk_result result = imgc_png_next(&reader, &chunk);
    bool is_data = chunk.type == IMGC_PNG_IDAT || chunk.type == IMGC_PNG_fdAT;
    if (result == IMGC_PNG_INVALID) return stop(frame, false, report);
    if (result == IMGC_PNG_TRUNCATED && (!is_data || chunk.available < IMGC_PNG_FDAT_SEQUENCE_SIZE))
      return stop(frame, true, report);
    if (chunk.type == IMGC_PNG_IEND) return stop(frame, false, report);
    if (chunk.type == IMGC_PNG_fcTL) {
      if (controlled || !read_control(&chunk, png, frame, report))
        return stop(frame, false, report);
      controlled = true;
    } else if (is_data && controlled) {
      bool is_image = chunk.type == IMGC_PNG_IDAT;
      bool fits = !is_image || (frame->number == 0 && chunk.offset == png->idat_offset &&
                                frame->width == png->width && frame->height == png->height);
      frame->offset = chunk.offset;
      if (!fits || !skip_data(request, frame, chunk.type, report))
        return report->status ? report->status : stop(frame, false, report);
      frame->number++;
      return IMGC_OK;
    } else if (is_data && (chunk.type == IMGC_PNG_fdAT || frame->number > 0)) {
      return stop(frame, result == IMGC_PNG_TRUNCATED, report);
    }
    // Other chunks are skipped. An IDAT chunk without a preceding fcTL chunk is the default image,
    // which is then not part of the animation.
  }
}

imgc_status imgc_png_next_frame(const imgc_request *request, imgc_frame *frame,
                                imgc_report *report) {
  if (frame->number > 0 && frame->next_offset == NO_NEXT_FRAME) return IMGC_END_OF_FRAMES;
  if (frame->next_offset != NO_NEXT_FRAME && frame->next_offset > request->size)
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "png: the frame does not belong to this file");
  // Warnings in this report are discarded: damage before the first frame is reported with the
  // header and the still image.
  imgc_report preamble = {0};
  imgc_png png;
  if (imgc_png_scan(request, IMGC_PNG_PIXELS_ONLY, &png, NULL, NULL, &preamble) ||
      imgc_check_size(request, png.width, png.height, &preamble)) {
    *report = preamble;
    return report->status;
  }
  if (!png.animated) return set_still_frame(&png, frame);
  if (frame->number >= png.frame_count) return IMGC_END_OF_FRAMES;

  imgc_frame next = *frame;
  if (next.number == 0) {
    next.next_offset = IMGC_PNG_SIGNATURE_SIZE;
    next.sequence = 0;
  }
  imgc_status status = advance(request, &png, &next, report);
  // For an animation without a valid first frame the default image is returned as the only frame.
  if (status == IMGC_END_OF_FRAMES && next.number == 0) return set_still_frame(&png, frame);
  if (status == IMGC_END_OF_FRAMES)
    frame->next_offset = NO_NEXT_FRAME;
  else if (!status)
    *frame = next;
  return status;
}

imgc_status imgc_png_draw_frame(const imgc_request *request, const imgc_frame *frame,
                                const imgc_target *canvas, imgc_report *report) {
  imgc_report preamble = {0};
  imgc_png png;
  if (imgc_png_scan(request, IMGC_PNG_PIXELS_ONLY, &png, NULL, NULL, &preamble)) {
    *report = preamble;
    return report->status;
  }
  imgc_reader reader = {request->data, request->size, (size_t)frame->offset};
  imgc_png_chunk chunk = {0};
  if (frame->offset < request->size) imgc_png_next(&reader, &chunk);
  if ((chunk.type != IMGC_PNG_IDAT &&
       (chunk.type != IMGC_PNG_fdAT || chunk.available < IMGC_PNG_FDAT_SEQUENCE_SIZE)) ||
      frame->width > png.width || frame->height > png.height)
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "png: the frame does not belong to this file");
  uint32_t sequence = chunk.type == IMGC_PNG_fdAT ? imgc_be32(chunk.data) : 0;
  png.width = frame->width;
  png.height = frame->height;
  if (imgc_check_size(request, png.width, png.height, report)) return report->status;
  if (frame->x >= canvas->width || frame->y >= canvas->height) return IMGC_OK;

  size_t skipped = (size_t)frame->y * canvas->stride + (size_t)frame->x * 4;
  imgc_dest dest = {.origin = (uint8_t *)canvas->pixels + skipped,
                    .step_x = 4,
                    .step_y = (ptrdiff_t)canvas->stride,
                    .width = canvas->width - frame->x,
                    .height = canvas->height - frame->y};
  if (dest.width > png.width) dest.width = png.width;
  if (dest.height > png.height) dest.height = png.height;
  imgc_png_image image = {
      .request = request,
      .report = report,
      .png = &png,
      .source = imgc_png_source_at(request, (size_t)frame->offset, chunk.type, sequence),
      .dest = &dest,
      .blend_over = frame->blend == IMGC_BLEND_OVER};
  if (imgc_png_measure(request, image.source, true, &image.extent, report)) return report->status;
  return imgc_png_draw(&image);
}
