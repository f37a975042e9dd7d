// The start of a decode: checks before the first scan.

#include "jpeg/jpeg_start.h"
#include "core/limits.h"
#include "core/report.h"
#include "jpeg/jpeg_library.h"

// With multiple scans libjpeg reads all of them before the first row and stores every coefficient
// in 2 bytes.
static uint64_t coefficient_bytes(const struct jpeg_decompress_struct *cinfo) {
  uint64_t blocks = 0;
  for (int i = 0; i < cinfo->num_components; i++) {
    const jpeg_component_info *c = &cinfo->comp_info[i];
    uint64_t h = (uint64_t)c->h_samp_factor, v = (uint64_t)c->v_samp_factor;
    blocks += (c->width_in_blocks + h - 1) / h * h * ((c->height_in_blocks + v - 1) / v * v);
  }
  return blocks * sizeof(JBLOCK);
}

uint64_t imgc_jpeg_work_bytes(struct jpeg_decompress_struct *cinfo) {
  // The decompressor with its tables and memory pools; less than 100 KiB were measured.
  uint64_t bytes = 192 << 10;
  for (int i = 0; i < cinfo->num_components; i++) {
    const jpeg_component_info *c = &cinfo->comp_info[i];
    // One iMCU row with one row group above and one below, and the upsampled row group.
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
  uint32_t held = imgc_rows_in_memory(s->request, cinfo->output_height, IMGC_JPEG_BATCH);
  imgc_check_memory(s->request, cinfo->output_width, held, imgc_jpeg_work_bytes(cinfo), s->report);
  imgc_jpeg_exit_if_failed(s);
}

imgc_status imgc_jpeg_open(const imgc_request *request, jpeg_markers *markers,
                           imgc_report *report) {
  uint32_t n = request->scale_denominator;
  if (n > 8 || (n & (n - 1)) != 0)
    return imgc_fail(report, IMGC_ERROR_INVALID_ARGUMENT, NULL, "jpeg: invalid scale 1/%u", n);
  if (imgc_jpeg_parse_markers(request, markers, report)) return report->status;
  // The size is checked before libjpeg reads it, so that the report contains the exceeded limit
  // instead of an error of libjpeg.
  if (markers->frame) imgc_check_size(request, markers->width, markers->height, report);
  return report->status;
}
