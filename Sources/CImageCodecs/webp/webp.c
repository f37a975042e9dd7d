// WebP: still images and animations. The container is parsed here (webp_container.c); libwebp
// decodes the images.

#include "core/codec.h"
#include "core/limits.h"
#include "core/report.h"

#ifdef IMGC_WEBP

#if !__has_include(<webp/decode.h>)
#error "libwebp is missing: apt-get install libwebp-dev (brew install webp)"
#endif
#include "webp/webp_canvas.h"
#include "webp/webp_container.h"
#include "webp/webp_frames.h"

#include <string.h>

// ---------------------------------------------------------------- scale

// A resampled still image that is lossy and opaque can be drawn at half the size; frames and other
// images ignore the scale.
static bool can_be_halved(const imgc_request *request, const imgc_webp *webp) {
  const imgc_webp_image *image = &webp->image;
  return (request->flags & IMGC_RESAMPLES) && !webp->is_animated && image->is_found &&
         !image->is_lossless && !image->has_alpha_chunk;
}

static void halve(imgc_webp *webp) {
  webp->image.is_halved = true;
  webp->width = imgc_webp_drawn(&webp->image, webp->width);
  webp->height = imgc_webp_drawn(&webp->image, webp->height);
}

static void select_scale(const imgc_request *request, imgc_webp *webp) {
  if (request->scale_denominator == 2 && can_be_halved(request, webp)) halve(webp);
}

// ---------------------------------------------------------------- header

static bool covers(const imgc_webp *webp, const imgc_webp_frame *frame) {
  return frame->width == webp->width && frame->height == webp->height;
}

// Returns the first frame of an animation; its image is the still image.
static imgc_status find_first(const imgc_request *request, const imgc_webp *webp,
                              imgc_webp_frame *first, imgc_report *report) {
  imgc_webp_found found = imgc_webp_find_frame(request, webp, webp->first_frame, first, report);
  if (found == IMGC_WEBP_FRAME || report->status) return report->status;
  if (found == IMGC_WEBP_FRAME_TRUNCATED)
    return imgc_fail(report, IMGC_ERROR_TRUNCATED, NULL, "webp: data ends before the first frame");
  return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "webp: invalid first frame");
}

// Counts the frames, at most max_counted_frames; damaged frames with a complete header count too.
// Only the headers of chunks and frames are read, and not the streams in them: the memory for the
// prefix codes of the frames after the first is not known, and is checked when a frame is drawn.
static imgc_status count_frames(const imgc_request *request, const imgc_webp *webp,
                                const imgc_webp_frame *first, imgc_header *header,
                                imgc_report *report) {
  imgc_webp_frame frame = *first;
  imgc_webp_found found = IMGC_WEBP_FRAME;
  while (found != IMGC_WEBP_NO_FRAME && found != IMGC_WEBP_STOPPED) {
    if (frame.width > 0) header->frame_count++;
    // With one frame, the disposal has no visible effect.
    bool clears = header->frame_count > 1 && (frame.clears || first->clears);
    header->has_alpha |= clears || frame.image.has_alpha;
    uint64_t work = frame.image.is_found ? imgc_webp_fixed_bytes(request, &frame.image) : 0;
    if (work > header->work_bytes) header->work_bytes = work;
    if (header->frame_count == request->max_counted_frames) return IMGC_OK;
    if (imgc_charge(request, 2 * IMGC_WORK_CHUNK, report)) return report->status;
    found = imgc_webp_find_frame(request, webp, frame.next_offset, &frame, report);
  }
  return report->status;
}

// Checks the memory of the scale with the least memory, because a header at full size is read first
// for a decode at half the size. The decode checks the memory of its scale.
static imgc_status check_header_memory(const imgc_request *request, const imgc_webp *webp,
                                       const imgc_header *header, imgc_report *report) {
  imgc_report full = *report;
  uint32_t rows = imgc_rows_in_memory(request, webp->height, header->band_rows);
  imgc_check_memory(request, webp->width, rows, header->work_bytes, &full);
  if (full.status && !webp->image.is_halved && can_be_halved(request, webp)) {
    imgc_webp half = *webp;
    halve(&half);
    rows = imgc_rows_in_memory(request, half.height, imgc_webp_band_rows(&half.image));
    return imgc_webp_check_memory(request, half.width, rows, &half.image, report);
  }
  *report = full;
  return report->status;
}

static imgc_status read_header(const imgc_request *request, imgc_header *header,
                               imgc_report *report) {
  imgc_webp webp;
  imgc_webp_frame first = {0};
  if (imgc_webp_scan(request, &webp, report) ||
      imgc_check_size(request, webp.width, webp.height, report))
    return report->status;
  if (webp.is_animated && find_first(request, &webp, &first, report)) return report->status;
  select_scale(request, &webp);
  const imgc_webp_image *image = webp.is_animated ? &first.image : &webp.image;
  header->width = webp.width;
  header->height = webp.height;
  header->is_animated = webp.is_animated;
  header->has_loop_count = webp.is_animated && webp.has_loop_count;
  header->loop_count = webp.loop_count;
  header->has_alpha = image->has_alpha || (webp.is_animated && !covers(&webp, &first));
  header->bits_per_channel = 8;
  header->color_model = image->is_found && !image->is_lossless ? IMGC_COLOR_YCBCR : IMGC_COLOR_RGB;
  header->exif_offset = webp.exif.offset;
  header->exif_size = webp.exif.size;
  header->icc_size = webp.icc.size;
  if (image->is_found) {
    header->work_bytes = imgc_webp_work_bytes(request, image, report);
    header->band_rows = imgc_webp_band_rows(image);
  } else if (webp.flags & IMGC_WEBP_HAS_ALPHA) {
    header->has_alpha = true;
  }
  if (!webp.is_animated)
    header->frame_count = 1;
  else if ((request->flags & IMGC_COUNT_FRAMES) &&
           count_frames(request, &webp, &first, header, report))
    return report->status;
  header->channels = header->has_alpha ? 4 : 3;
  if (report->status) return report->status;
  return check_header_memory(request, &webp, header, report);
}

static imgc_status read_icc(const imgc_request *request, uint8_t *profile, size_t size,
                            imgc_report *report) {
  imgc_webp webp;
  if (imgc_webp_scan(request, &webp, report)) return report->status;
  if (webp.icc.size == 0 || size != webp.icc.size)
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "webp: the size argument is %zu, but the ICC profile has %zu bytes", size,
                     webp.icc.size);
  memcpy(profile, request->data + webp.icc.offset, size);
  return IMGC_OK;
}

// ---------------------------------------------------------------- the still image

static imgc_status decode(const imgc_request *request, const imgc_dest *dest, imgc_report *report) {
  imgc_webp webp;
  imgc_webp_frame first = {0};
  if (imgc_webp_scan(request, &webp, report) ||
      imgc_check_size(request, webp.width, webp.height, report))
    return report->status;
  if (webp.is_animated && find_first(request, &webp, &first, report)) return report->status;
  select_scale(request, &webp);
  const imgc_webp_image *image = webp.is_animated ? &first.image : &webp.image;
  if (!image->is_found)
    return imgc_fail(report, IMGC_ERROR_TRUNCATED, NULL, "webp: data ends before the image");
  if (dest->width != webp.width || dest->height != webp.height)
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "webp: the destination does not have the canvas size of %u x %u pixels",
                     webp.width, webp.height);
  uint32_t rows = imgc_rows_in_memory(request, webp.height, imgc_webp_band_rows(image));
  if (imgc_webp_check_memory(request, webp.width, rows, image, report)) return report->status;
  return imgc_webp_draw_still(request, image, first.x, first.y, dest, report);
}

static const char *version(void) { return "libwebp"; }

const imgc_codec imgc_codec_webp = {
    .format = IMGC_FORMAT_WEBP,
    .read_header = read_header,
    .read_icc = read_icc,
    .decode = decode,
    .next_frame = imgc_webp_next_frame,
    .draw_frame = imgc_webp_draw_frame,
    .version = version,
};

#endif
