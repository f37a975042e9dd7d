// The dispatcher: checks arguments, selects the codec, enforces strictness.

#include "dispatch/dispatch.h"
#include "CImageCodecs/decode.h"
#include "CImageCodecs/system.h"
#include "core/codec.h"
#include "core/report.h"

#include <string.h>

static const imgc_codec *const codecs[] = {
    &imgc_codec_png,  &imgc_codec_jpeg, &imgc_codec_gif, &imgc_codec_tiff,
#ifdef IMGC_WEBP
    &imgc_codec_webp,
#endif
};

static const imgc_codec *codec_for(imgc_format format) {
  for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
    if (codecs[i]->format == format) return codecs[i];
  return NULL;
}

const imgc_codec *imgc_dispatch_begin(const imgc_request *request, imgc_report *report) {
  memset(report, 0, sizeof *report);
  const imgc_codec *codec = codec_for(request->format);
  if (!codec)
    imgc_fail(report, IMGC_ERROR_UNKNOWN_FORMAT, NULL, "no codec for format %d", request->format);
  else if (!request->data && request->size)
    imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL, "the argument `data` is NULL");
  return report->status ? NULL : codec;
}

// Ends the call. A failure without a message is a bug in the codec; the report then contains a
// placeholder message.
imgc_status imgc_dispatch_end(const imgc_request *request, imgc_status status,
                              imgc_report *report) {
  if (status == IMGC_END_OF_FRAMES)
    return imgc_enforce_strictness(request, report) ? report->status : status;
  if (status) return imgc_fail(report, status, NULL, "the codec failed without a message");
  return imgc_enforce_strictness(request, report);
}

imgc_status imgc_read_header(const imgc_request *request, imgc_header *header,
                             imgc_report *report) {
  memset(header, 0, sizeof *header);
  const imgc_codec *codec = imgc_dispatch_begin(request, report);
  if (!codec) return report->status;
  header->format = request->format;
  header->orientation = 1;
  imgc_status status = codec->read_header(request, header, report);
  if (header->band_rows == 0 || header->band_rows > header->height)
    header->band_rows = header->height;
  return imgc_dispatch_end(request, status, report);
}

imgc_status imgc_read_icc(const imgc_request *request, uint8_t *profile, size_t size,
                          imgc_report *report) {
  const imgc_codec *codec = imgc_dispatch_begin(request, report);
  if (!codec) return report->status;
  imgc_status status = codec->read_icc(request, profile, size, report);
  if (status)
    return imgc_fail(report, status, NULL, "the file contains no ICC profile of %zu bytes", size);
  return IMGC_OK;
}

imgc_status imgc_decode(const imgc_request *request, const imgc_target *target,
                        imgc_report *report) {
  const imgc_codec *codec = imgc_dispatch_begin(request, report);
  if (!codec) return report->status;
  bool swaps_sides = target->orientation >= 5;
  imgc_dest dest;
  if (!imgc_dest_init(&dest, target, swaps_sides ? target->height : target->width,
                      swaps_sides ? target->width : target->height))
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "the destination has an invalid size or stride");
  return imgc_dispatch_end(request, codec->decode(request, &dest, report), report);
}

imgc_status imgc_next_frame(const imgc_request *request, imgc_frame *frame, imgc_report *report) {
  const imgc_codec *codec = imgc_dispatch_begin(request, report);
  if (!codec) return report->status;
  if (!codec->next_frame) return IMGC_END_OF_FRAMES;
  return imgc_dispatch_end(request, codec->next_frame(request, frame, report), report);
}

imgc_status imgc_draw_frame(const imgc_request *request, const imgc_frame *frame,
                            const imgc_target *canvas, imgc_report *report) {
  const imgc_codec *codec = imgc_dispatch_begin(request, report);
  if (!codec) return report->status;
  imgc_dest dest;
  if (!codec->draw_frame || canvas->orientation > 1 ||
      !imgc_dest_init(&dest, canvas, canvas->width, canvas->height))
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "the canvas has an invalid size, stride or orientation, or the format does "
                     "not support animation");
  return imgc_dispatch_end(request, codec->draw_frame(request, frame, canvas, report), report);
}

const char *imgc_codec_version(imgc_format format) {
  const imgc_codec *codec = codec_for(format);
  return codec ? codec->version() : "";
}
