// JPEG with libjpeg-turbo: the header and the profile. Decoding is in jpeg_rows.c.

#include "core/codec.h"
#include "core/report.h"
#include "jpeg/jpeg_library.h"
#include "jpeg/jpeg_rows.h"
#include "jpeg/jpeg_start.h"

#include <string.h>

// ---------------------------------------------------------------- header

// Unusable profiles and EXIF blocks are ignored with a warning.
static void fill_metadata(const imgc_request *request, const jpeg_markers *m, imgc_header *header,
                          imgc_report *report) {
  uint64_t limit = request->limits.max_metadata_item, total = request->limits.max_metadata_total;
  uint64_t most = limit && (!total || limit < total) ? limit : total;
  if (m->has_icc && (m->icc_is_broken || (most && m->icc_size > most)))
    imgc_warn(report, IMGC_WARN_PROFILE_IGNORED);
  else
    header->icc_size = m->icc_size;
  if (total && total - header->icc_size < most) most = total - header->icc_size;
  if (!m->has_exif) return;
  if ((limit || total) && m->exif.size > most) {
    imgc_warn(report, IMGC_WARN_METADATA_IGNORED);
    return;
  }
  header->exif_offset = m->exif.offset;
  header->exif_size = m->exif.size;
}

static imgc_color_model model_of(J_COLOR_SPACE space) {
  switch (space) {
  case JCS_GRAYSCALE: return IMGC_COLOR_GRAY;
  case JCS_RGB: return IMGC_COLOR_RGB;
  case JCS_CMYK:
  case JCS_YCCK: return IMGC_COLOR_CMYK;
  default: return IMGC_COLOR_YCBCR;
  }
}

static void header_step(jpeg_state *s) {
  imgc_jpeg_start(s);
  struct jpeg_decompress_struct *cinfo = &s->cinfo;
  imgc_header *header = s->header;
  header->width = cinfo->output_width;
  header->height = cinfo->output_height;
  header->frame_count = 1;
  header->is_progressive = cinfo->progressive_mode;
  header->bits_per_channel = (uint8_t)cinfo->data_precision;
  header->channels = (uint8_t)cinfo->num_components;
  header->color_model = model_of(cinfo->jpeg_color_space);
  header->work_bytes = imgc_jpeg_work_bytes(cinfo);
  header->band_rows = IMGC_JPEG_BATCH;
}

static imgc_status read_header(const imgc_request *request, imgc_header *header,
                               imgc_report *report) {
  jpeg_markers markers;
  if (imgc_jpeg_open(request, &markers, report)) return report->status;
  jpeg_state s = {.request = request, .report = report, .size = request->size, .header = header};
  imgc_jpeg_run(&s, header_step);
  if (report->status) return report->status;
  if (s.failed) return imgc_jpeg_fail(&s);
  fill_metadata(request, &markers, header, report);
  return IMGC_OK;
}

// ---------------------------------------------------------------- profile

static imgc_status read_icc(const imgc_request *request, uint8_t *profile, size_t size,
                            imgc_report *report) {
  jpeg_markers m;
  if (imgc_jpeg_parse_markers(request, &m, report)) return report->status;
  if (m.icc_size == 0 || m.icc_size != size)
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL,
                     "jpeg: the size argument is %zu, but the ICC profile has %llu bytes", size,
                     (unsigned long long)m.icc_size);
  for (unsigned i = 1; i <= m.icc_count; i++) {
    memcpy(profile, request->data + m.icc[i].offset, m.icc[i].size);
    profile += m.icc[i].size;
  }
  return IMGC_OK;
}

// ---------------------------------------------------------------- dispatch table entry

static const char *version(void) { return "libjpeg-turbo " IMGC_TEXT(LIBJPEG_TURBO_VERSION); }

const imgc_codec imgc_codec_jpeg = {
    .format = IMGC_FORMAT_JPEG,
    .read_header = read_header,
    .read_icc = read_icc,
    .decode = imgc_jpeg_decode,
    .version = version,
};
