// JPEG through libjpeg-turbo: the header and the profile. Decoding is in jpeg_rows.c.

#include "jpeg/jpeg.h"

#include <string.h>

// ---------------------------------------------------------------- header

// All scans are read before the first row: libjpeg then keeps every coefficient, 2 bytes each.
static uint64_t coefficient_bytes(const struct jpeg_decompress_struct *cinfo) {
  uint64_t blocks = 0;
  for (int i = 0; i < cinfo->num_components; i++) {
    const jpeg_component_info *c = &cinfo->comp_info[i];
    uint64_t h = (uint64_t)c->h_samp_factor, v = (uint64_t)c->v_samp_factor;
    blocks += (c->width_in_blocks + h - 1) / h * h * ((c->height_in_blocks + v - 1) / v * v);
  }
  return blocks * sizeof(JBLOCK);
}

static uint64_t work_bytes(struct jpeg_decompress_struct *cinfo) {
  // The decompressor with its tables and pools; measured below 100 KiB.
  uint64_t bytes = 192 << 10;
  for (int i = 0; i < cinfo->num_components; i++) {
    const jpeg_component_info *c = &cinfo->comp_info[i];
    // One iMCU row with a row group above and below, and the upsampled row group.
    bytes += (uint64_t)c->width_in_blocks * DCTSIZE * (uint64_t)c->v_samp_factor * (DCTSIZE + 2);
    bytes += (uint64_t)(cinfo->output_width + 64) * (uint64_t)cinfo->max_v_samp_factor;
  }
  if (jpeg_has_multiple_scans(cinfo)) bytes += coefficient_bytes(cinfo);
  uint64_t bands = cinfo->out_color_space == JCS_CMYK ? 2 : 1;
  return bytes + bands * IMGC_JPEG_BAND * 4 * cinfo->output_width;
}

void imgc_jpeg_start(jpeg_state *s) {
  struct jpeg_decompress_struct *cinfo = &s->cinfo;
  jpeg_read_header(cinfo, TRUE);
  bool is_cmyk = cinfo->jpeg_color_space == JCS_CMYK || cinfo->jpeg_color_space == JCS_YCCK;
  cinfo->out_color_space = is_cmyk ? JCS_CMYK : JCS_EXT_RGBA;
  cinfo->scale_num = 1;
  cinfo->scale_denom = s->request->scale_denominator ? s->request->scale_denominator : 1;
  jpeg_calc_output_dimensions(cinfo);
  imgc_check_size(s->request, cinfo->image_width, cinfo->image_height, s->report);
  uint32_t held = imgc_rows_held(s->request, cinfo->output_height, IMGC_JPEG_BATCH);
  imgc_check_memory(s->request, cinfo->output_width, held, work_bytes(cinfo), s->report);
  imgc_jpeg_leave_if_failed(s);
}

imgc_status imgc_jpeg_open(const imgc_request *request, jpeg_markers *markers,
                           imgc_report *report) {
  uint32_t n = request->scale_denominator;
  if (n > 8 || (n & (n - 1)) != 0)
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL, "scale is 1/%u", n);
  if (imgc_jpeg_walk(request, markers, report)) return report->status;
  // With this much in hand, a limit is named before libjpeg complains about its own.
  if (markers->frame) imgc_check_size(request, markers->width, markers->height, report);
  return report->status;
}

// Profiles and EXIF blocks that cannot be used are left out, and said.
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
  header->work_bytes = work_bytes(cinfo);
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
  if (imgc_jpeg_walk(request, &m, report)) return report->status;
  if (m.icc_size == 0 || m.icc_size != size)
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL, "the profile has %llu bytes",
                     (unsigned long long)m.icc_size);
  for (unsigned i = 1; i <= m.icc_count; i++) {
    memcpy(profile, request->data + m.icc[i].offset, m.icc[i].size);
    profile += m.icc[i].size;
  }
  return IMGC_OK;
}

// ---------------------------------------------------------------- the row of the table

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
static const char *version(void) { return "libjpeg-turbo " TEXT(LIBJPEG_TURBO_VERSION); }

const imgc_codec imgc_codec_jpeg = {
    .format = IMGC_FORMAT_JPEG,
    .read_header = read_header,
    .read_icc = read_icc,
    .decode = imgc_jpeg_decode,
    .version = version,
};
