// PNG: header, colour profile, still image.

#include "core/bytes.h"
#include "core/cancel.h"
#include "core/codec.h"
#include "core/limits.h"
#include "core/report.h"
#include "png/png_draw.h"
#include "png/png_frames.h"
#include "png/png_library.h"
#include "png/png_metadata.h"

// Reads the chunks from the first IDAT on, because an eXIf chunk may follow the image data, and the
// size of the image data determines the memory of the decoder.
static imgc_status read_tail(const imgc_request *request, const imgc_png *png,
                             imgc_png_metadata *metadata, imgc_png_extent *extent,
                             imgc_report *report) {
  imgc_png_source source = imgc_png_source_at(request, png->idat_offset, IMGC_PNG_IDAT, 0);
  if (imgc_png_measure(request, source, false, extent, report)) return report->status;
  imgc_png_segment segment;
  while (imgc_png_source_next(&source, &segment, false)) {
  }
  imgc_png_chunk chunk;
  for (uint64_t count = 1; imgc_png_next(&source.reader, &chunk) == IMGC_PNG_COMPLETE; count++) {
    if (chunk.type == IMGC_PNG_IEND) {
      if (imgc_left(&source.reader) > 0) imgc_warn(report, IMGC_WARN_TRAILING_DATA);
      return IMGC_OK;
    }
    if (chunk.type == IMGC_PNG_eXIf) {
      if (imgc_png_crc_matches(&chunk))
        imgc_png_read_metadata(metadata, &chunk, true);
      else
        imgc_warn(report, IMGC_WARN_CRC);
    }
    if (count % 4096 == 0 && imgc_poll(request, report)) return report->status;
    if (imgc_charge(request, IMGC_WORK_CHUNK, report)) return report->status;
  }
  if (!extent->truncated)
    imgc_warn(report, IMGC_WARN_MISSING_END); // missing image data is reported by the decode
  return IMGC_OK;
}

static imgc_status read_header(const imgc_request *request, imgc_header *header,
                               imgc_report *report) {
  imgc_png_metadata metadata = {.request = request, .header = header, .report = report};
  imgc_png png;
  imgc_png_extent extent;
  if (imgc_png_scan(request, IMGC_PNG_ALL_CHECKSUMS, &png, imgc_png_read_metadata, &metadata,
                    report) ||
      read_tail(request, &png, &metadata, &extent, report))
    return report->status;

  static const imgc_color_model models[IMGC_PNG_COLOR_TYPES] = {
      [IMGC_PNG_COLOR_GRAY] = IMGC_COLOR_GRAY,       [IMGC_PNG_COLOR_RGB] = IMGC_COLOR_RGB,
      [IMGC_PNG_COLOR_INDEXED] = IMGC_COLOR_INDEXED, [IMGC_PNG_COLOR_GRAY_ALPHA] = IMGC_COLOR_GRAY,
      [IMGC_PNG_COLOR_RGBA] = IMGC_COLOR_RGB,
  };
  header->width = png.width;
  header->height = png.height;
  header->frame_count = png.animated ? png.frame_count : 1;
  header->is_animated = header->has_loop_count = png.animated;
  header->loop_count = png.loop_count;
  header->is_progressive = png.interlaced;
  header->has_alpha = (png.color_type & IMGC_PNG_COLOR_USES_ALPHA) || png.transparency;
  header->bits_per_channel = png.bit_depth;
  header->channels = (uint8_t)imgc_png_channels(&png);
  header->color_model = models[png.color_type];
  if (imgc_check_size(request, png.width, png.height, report)) return report->status;
  header->work_bytes = imgc_png_work_bytes(request, &png, &extent);
  header->band_rows = imgc_png_band_rows(&png);
  return imgc_check_memory(request, png.width,
                           imgc_rows_in_memory(request, png.height, header->band_rows),
                           header->work_bytes, report);
}

static imgc_status read_icc(const imgc_request *request, uint8_t *profile, size_t size,
                            imgc_report *report) {
  imgc_header header = {0};
  imgc_png_metadata metadata = {.request = request, .header = &header, .report = report};
  imgc_png png;
  if (imgc_png_scan(request, IMGC_PNG_PIXELS_ONLY, &png, imgc_png_read_metadata, &metadata, report))
    return report->status;
  if (!metadata.profile || size != header.icc_size)
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "png: the size argument is %zu, but the ICC profile has %llu bytes", size,
                     (unsigned long long)header.icc_size);
  if (!imgc_png_inflate(metadata.profile, metadata.profile_size, profile, size))
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL,
                     "png: the compressed ICC profile (iCCP) is damaged");
  return IMGC_OK;
}

static imgc_status decode(const imgc_request *request, const imgc_dest *dest, imgc_report *report) {
  imgc_png png;
  if (imgc_png_scan(request, IMGC_PNG_ALL_CHECKSUMS, &png, NULL, NULL, report) ||
      imgc_check_size(request, png.width, png.height, report))
    return report->status;
  if (dest->width != png.width || dest->height != png.height)
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "png: the destination does not have the image size of %u x %u pixels",
                     png.width, png.height);
  imgc_png_image image = {.request = request,
                          .report = report,
                          .png = &png,
                          .source = imgc_png_source_at(request, png.idat_offset, IMGC_PNG_IDAT, 0),
                          .dest = dest};
  if (imgc_png_measure(request, image.source, true, &image.extent, report)) return report->status;
  return imgc_png_draw(&image);
}

const imgc_codec imgc_codec_png = {IMGC_FORMAT_PNG,
                                   read_header,
                                   read_icc,
                                   decode,
                                   imgc_png_next_frame,
                                   imgc_png_draw_frame,
                                   imgc_png_library_version};
