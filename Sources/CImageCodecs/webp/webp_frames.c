// The frames of an animated WebP.
//
// Blending has the same results as WebPAnimDecoder, which blends frames with the canvas except
// where it knows that the canvas is transparent: its formula changes the colours of a translucent
// pixel there. Therefore a frame stores how the previous frame was disposed of, see FRAME_...

#ifdef IMGC_WEBP

#include "webp/webp_frames.h"
#include "core/copy.h"
#include "core/limits.h"
#include "core/report.h"
#include "webp/webp_canvas.h"

#include <limits.h>
#include <string.h>

// Value of imgc_frame.next_offset: the animation has ended.
static const uint64_t NO_NEXT_FRAME = UINT64_MAX;

// Flags in imgc_frame.transparent_index; imgc_frame.sequence is the distance to the ANMF chunk of
// the previous frame in bytes.
enum {
  // The frame does not depend on the canvas: it is the first, it covers the canvas without blending
  // or transparency, or the canvas before it is transparent.
  FRAME_IS_KEY = 1 << 0,
  FRAME_AFTER_CLEAR = 1 << 1, // the area of the previous frame was cleared
};

// ---------------------------------------------------------------- search

// Reads the chunks before a frame. `is_later`: the first frame of an animation was found before;
// then only the canvas is read, because a scan of the file for every frame would take quadratic
// time. Warnings are discarded: they are reported with the header.
static imgc_status read_preamble(const imgc_request *request, bool is_later, imgc_webp *webp,
                                 imgc_report *report) {
  if (is_later && imgc_webp_read_canvas(request, webp)) return IMGC_OK;
  imgc_report preamble = {0};
  if (imgc_webp_scan(request, webp, &preamble)) *report = preamble;
  return report->status;
}

static imgc_status set_still_frame(const imgc_webp *webp, imgc_frame *frame) {
  *frame = (imgc_frame){.number = 1,
                        .width = webp->width,
                        .height = webp->height,
                        .delay_denominator = 1000,
                        .disposal = IMGC_DISPOSE_KEEP,
                        .blend = IMGC_BLEND_SOURCE,
                        .next_offset = NO_NEXT_FRAME,
                        .transparent_index = FRAME_IS_KEY};
  return IMGC_OK;
}

static bool covers(const imgc_webp *webp, uint32_t width, uint32_t height) {
  return width == webp->width && height == webp->height;
}

// `previous` is the frame before, with the number 0 for the first frame.
static int16_t frame_flags(const imgc_webp *webp, const imgc_webp_frame *found,
                           const imgc_frame *previous) {
  if (previous->number == 0) return FRAME_IS_KEY;
  bool is_clear = previous->disposal == IMGC_DISPOSE_CLEAR;
  bool is_key =
      (!found->image.has_alpha || !found->blends) && covers(webp, found->width, found->height);
  is_key |= is_clear && (covers(webp, previous->width, previous->height) ||
                         (previous->transparent_index & FRAME_IS_KEY));
  return (int16_t)((is_key ? FRAME_IS_KEY : 0) | (is_clear ? FRAME_AFTER_CLEAR : 0));
}

static imgc_status end_of_frames(const imgc_request *request, imgc_webp_found found,
                                 imgc_frame *frame, imgc_report *report) {
  if (found == IMGC_WEBP_STOPPED) return report->status;
  bool is_truncated = found == IMGC_WEBP_FRAME_TRUNCATED;
  if (frame->number == 0)
    return imgc_fail(report, is_truncated ? IMGC_ERROR_TRUNCATED : IMGC_ERROR_MALFORMED, NULL,
                     is_truncated ? "webp: data ends before the first frame"
                                  : "webp: invalid first frame");
  uint64_t riff_end = (uint64_t)imgc_le32(request->data + 4) + 8;
  frame->next_offset = NO_NEXT_FRAME;
  if (found == IMGC_WEBP_FRAME_INVALID)
    imgc_warn(report, IMGC_WARN_FRAME_REFUSED);
  else if (is_truncated || (riff_end > request->size && riff_end - request->size > 1))
    imgc_truncated(report, 0);
  return IMGC_END_OF_FRAMES;
}

imgc_status imgc_webp_next_frame(const imgc_request *request, imgc_frame *frame,
                                 imgc_report *report) {
  if (frame->number > 0 && frame->next_offset == NO_NEXT_FRAME) return IMGC_END_OF_FRAMES;
  if (frame->number > 0 && frame->next_offset > request->size)
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "webp: the frame does not belong to this file");
  imgc_webp webp;
  if (read_preamble(request, frame->number > 0, &webp, report) ||
      imgc_check_size(request, webp.width, webp.height, report))
    return report->status;
  if (!webp.is_animated) return set_still_frame(&webp, frame);
  imgc_webp_frame found;
  size_t offset = frame->number > 0 ? (size_t)frame->next_offset : webp.first_frame;
  imgc_webp_found result = imgc_webp_find_frame(request, &webp, offset, &found, report);
  if (result != IMGC_WEBP_FRAME) return end_of_frames(request, result, frame, report);
  uint32_t number = frame->number + 1;
  *frame = (imgc_frame){
      .number = number,
      .x = found.x,
      .y = found.y,
      .width = found.width,
      .height = found.height,
      .delay_numerator = found.duration,
      .delay_denominator = 1000,
      .disposal = found.clears ? IMGC_DISPOSE_CLEAR : IMGC_DISPOSE_KEEP,
      .blend = found.blends ? IMGC_BLEND_OVER : IMGC_BLEND_SOURCE,
      .offset = found.offset,
      .next_offset = found.next_offset,
      .sequence = number > 1 ? (uint32_t)(found.offset - frame->offset) : 0,
      .transparent_index = frame_flags(&webp, &found, frame),
  };
  return IMGC_OK;
}

// ---------------------------------------------------------------- blending

typedef struct drawing {
  const imgc_target *canvas;
  uint32_t x, y;          // position of the frame
  uint32_t width, height; // visible part of the frame
  bool blends;
  uint32_t scales[256]; // 2^24 / n
  imgc_rect cleared; // canvas pixels that are transparent, because the previous frame was cleared
} drawing;

// The formula of WebPAnimDecoder for straight alpha; all divisions round down.
static inline uint32_t blend(uint32_t src, uint32_t dst, const uint32_t scales[256]) {
  uint32_t alpha = src >> 24;
  uint32_t dst_weight = (dst >> 24) * (256 - alpha) >> 8;
  uint32_t sum = alpha + dst_weight; // at least 1, at most 255
  uint32_t scale = scales[sum], result = sum << 24;
  for (int shift = 0; shift < 24; shift += 8) {
    uint32_t channel = (src >> shift & 255) * alpha + (dst >> shift & 255) * dst_weight;
    result |= channel * scale >> 24 << shift;
  }
  return result;
}

static void blend_row(uint8_t *dst, const uint8_t *src, size_t count, const uint32_t scales[256]) {
  for (size_t i = 0; i < count; i++, dst += 4, src += 4) {
    uint32_t source = imgc_le32(src);
    if (source >> 24 == 0) continue;
    if (source >> 24 < 255) source = blend(source, imgc_le32(dst), scales);
    dst[0] = (uint8_t)source, dst[1] = (uint8_t)(source >> 8);
    dst[2] = (uint8_t)(source >> 16), dst[3] = (uint8_t)(source >> 24);
  }
}

static void put(void *context, uint32_t y, const uint8_t *rows, size_t stride, uint32_t count) {
  const drawing *d = context;
  for (uint32_t i = 0; i < count && y + i < d->height; i++) {
    uint32_t canvas_y = d->y + y + i;
    uint8_t *dst = (uint8_t *)d->canvas->pixels + (size_t)canvas_y * d->canvas->stride;
    const uint8_t *src = rows + i * stride;
    dst += (size_t)d->x * 4;
    // The part of the row in `cleared` is copied: from `left` to `right`.
    uint32_t left = 0, right = d->width;
    if (d->blends) {
      const imgc_rect *c = &d->cleared;
      right = 0;
      if (canvas_y >= c->y && canvas_y - c->y < c->height) {
        uint32_t first = c->x > d->x ? c->x - d->x : 0;
        uint32_t end = c->x + c->width > d->x ? c->x + c->width - d->x : 0;
        if (end > d->width) end = d->width;
        if (first < end) left = first, right = end;
      }
      if (right > left) {
        blend_row(dst, src, left, d->scales);
        blend_row(dst + (size_t)right * 4, src + (size_t)right * 4, d->width - right, d->scales);
      } else {
        blend_row(dst, src, d->width, d->scales);
      }
    }
    if (right > left)
      memcpy(dst + (size_t)left * 4, src + (size_t)left * 4, (size_t)(right - left) * 4);
  }
}

// ---------------------------------------------------------------- drawing

// Finds the image of the frame. Fails when the frame is not from this file.
static imgc_status find_image(const imgc_request *request, const imgc_frame *frame,
                              imgc_webp_image *image, imgc_rect *cleared, imgc_report *report) {
  imgc_webp webp;
  imgc_webp_frame found;
  if (read_preamble(request, frame->offset > 0, &webp, report)) return report->status;
  *image = webp.image;
  bool is_valid = webp.is_animated ? frame->offset < request->size : frame->offset == 0;
  if (is_valid && webp.is_animated) {
    imgc_webp_found result =
        imgc_webp_find_frame(request, &webp, (size_t)frame->offset, &found, report);
    if (report->status) return report->status;
    is_valid = result == IMGC_WEBP_FRAME && found.offset == frame->offset;
    *image = found.image;
  }
  // After a cleared frame, the area of that frame is needed.
  bool is_key = frame->transparent_index & FRAME_IS_KEY;
  if (is_valid && webp.is_animated && !is_key && (frame->transparent_index & FRAME_AFTER_CLEAR)) {
    is_valid = frame->sequence <= frame->offset &&
               imgc_webp_find_frame(request, &webp, (size_t)frame->offset - frame->sequence, &found,
                                    report) == IMGC_WEBP_FRAME;
    *cleared = (imgc_rect){found.x, found.y, found.width, found.height};
  }
  if (!is_valid ||
      (image->is_found && (image->width != frame->width || image->height != frame->height)))
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "webp: the frame does not belong to this file");
  if (!image->is_found)
    return imgc_fail(report, IMGC_ERROR_TRUNCATED, NULL, "webp: data ends before the image");
  return report->status;
}

static imgc_status report_frame(const imgc_webp_result *result, const imgc_frame *frame,
                                imgc_report *report) {
  // A damaged first frame is drawn as far as possible, like the still image. Later frames are
  // rejected, because the previous frame looks better than a damaged one.
  if (result->end == IMGC_WEBP_DAMAGED && frame->number > 1) {
    imgc_warn(report, IMGC_WARN_ENTROPY_DATA);
    imgc_warn(report, IMGC_WARN_FRAME_REFUSED);
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "webp: frame %u is damaged",
                     frame->number);
  }
  if (result->end == IMGC_WEBP_TRUNCATED && frame->number > 1) {
    imgc_truncated(report, frame->y + result->rows);
    return IMGC_OK;
  }
  return imgc_webp_report_end(result, frame->y, report);
}

imgc_status imgc_webp_draw_frame(const imgc_request *request, const imgc_frame *frame,
                                 const imgc_target *canvas, imgc_report *report) {
  imgc_webp_image image;
  drawing d = {.canvas = canvas, .x = frame->x, .y = frame->y};
  if (find_image(request, frame, &image, &d.cleared, report) ||
      imgc_check_size(request, image.width, image.height, report) ||
      imgc_webp_check_memory(request, canvas->width, canvas->height, &image, report))
    return report->status;
  if (frame->x >= canvas->width || frame->y >= canvas->height) return IMGC_OK;
  d.width = canvas->width - frame->x < image.width ? canvas->width - frame->x : image.width;
  d.height = canvas->height - frame->y < image.height ? canvas->height - frame->y : image.height;
  d.blends = frame->blend == IMGC_BLEND_OVER && image.has_alpha &&
             !(frame->transparent_index & FRAME_IS_KEY);
  for (uint32_t n = 1; d.blends && n < 256; n++) d.scales[n] = (1u << 24) / n;
  imgc_webp_output output = {.put = put, .context = &d};
  bool is_visible = d.width == image.width && d.height == image.height;
  if (is_visible && !d.blends && canvas->stride <= INT_MAX)
    output = (imgc_webp_output){.pixels = (uint8_t *)canvas->pixels +
                                          (size_t)frame->y * canvas->stride + (size_t)frame->x * 4,
                                .stride = canvas->stride};
  imgc_webp_result result;
  if (imgc_webp_draw(request, &image, &output, &result, report)) return report->status;
  report->rows = canvas->height;
  return report_frame(&result, frame, report);
}

#endif
