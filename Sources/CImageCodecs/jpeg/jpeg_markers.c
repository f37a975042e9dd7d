// The marker parser. It locates metadata without copying the bytes. It also identifies the coding
// processes of ITU-T T.81 that libjpeg-turbo 2.1 does not support, to report each of them with a
// separate token.

#include "jpeg/jpeg_markers.h"
#include "core/bytes.h"
#include "core/limits.h"
#include "core/metadata_format.h"
#include "core/report.h"
#include "jpeg/jpeg_marker_codes.h"

#include <string.h>

// Moves past the next marker and returns its code, or EOI at the end of the bytes. Bytes between
// segments are skipped, as libjpeg does.
static uint8_t next_marker(imgc_reader *r) {
  while (imgc_left(r)) {
    const uint8_t *ff = memchr(r->data + r->offset, 0xFF, imgc_left(r));
    if (!ff) break;
    r->offset = (size_t)(ff - r->data);
    while (imgc_left(r) && r->data[r->offset] == 0xFF) r->offset++;
    if (!imgc_left(r)) break;
    uint8_t code = r->data[r->offset++];
    if (code) return code;
  }
  r->offset = r->size;
  return JPEG_MARKER_EOI;
}

// ICC.1, annex B.4: "ICC_PROFILE", sequence number from 1, number of chunks.
static void record_icc(jpeg_markers *m, size_t offset, const uint8_t *body, uint32_t size) {
  if (size < IMGC_ICC_JPEG_HEADER_SIZE ||
      memcmp(body, IMGC_ICC_JPEG_SIGNATURE, IMGC_ICC_JPEG_SIGNATURE_SIZE) != 0)
    return;
  unsigned number = body[12], count = body[13];
  if (!m->has_icc) m->icc_count = count;
  m->has_icc = true;
  if (number == 0 || number > count || count != m->icc_count || m->icc[number].offset)
    m->icc_is_broken = true;
  else
    m->icc[number] =
        (jpeg_chunk){offset + IMGC_ICC_JPEG_HEADER_SIZE, size - IMGC_ICC_JPEG_HEADER_SIZE};
}

static void record_exif(jpeg_markers *m, size_t offset, const uint8_t *body, uint32_t size) {
  if (m->has_exif || size <= IMGC_EXIF_PREFIX_SIZE ||
      memcmp(body, IMGC_EXIF_PREFIX, IMGC_EXIF_PREFIX_SIZE) != 0)
    return;
  m->has_exif = true;
  m->exif = (jpeg_chunk){offset + IMGC_EXIF_PREFIX_SIZE, size - IMGC_EXIF_PREFIX_SIZE};
}

static void record_frame(jpeg_markers *m, uint8_t code, const uint8_t *body, uint32_t size) {
  if (m->frame) return;
  m->frame = code;
  if (size < JPEG_FRAME_HEADER_SIZE) return;
  m->bits = body[0];
  m->height = imgc_be16(body + 1);
  m->width = imgc_be16(body + 3);
  m->components = body[5];
}

static void sum_icc(jpeg_markers *m) {
  for (unsigned i = 1; i <= m->icc_count && m->has_icc; i++) {
    if (!m->icc[i].offset) m->icc_is_broken = true;
    m->icc_size += m->icc[i].size;
  }
  if (m->has_icc && m->icc_size == 0) m->icc_is_broken = true;
  if (m->icc_is_broken) m->icc_size = 0;
}

static imgc_status fail_unsupported(imgc_report *report, const char *token, const char *feature) {
  return imgc_fail(report, IMGC_ERROR_UNSUPPORTED, token, "jpeg: %s is not supported", feature);
}

static imgc_status check_frame(const jpeg_markers *m, imgc_report *report) {
  if (m->is_hierarchical)
    return fail_unsupported(report, "hierarchical", "the hierarchical process");
  switch (m->frame) {
  case 0: return IMGC_OK;
  case JPEG_MARKER_SOF3:
  case JPEG_MARKER_SOF11: return fail_unsupported(report, "lossless", "the lossless process");
  case JPEG_MARKER_SOF5:
  case JPEG_MARKER_SOF6:
  case JPEG_MARKER_SOF7:
  case JPEG_MARKER_SOF13:
  case JPEG_MARKER_SOF14:
  case JPEG_MARKER_SOF15:
    return fail_unsupported(report, "hierarchical", "the hierarchical process");
  case JPEG_MARKER_SOF55: return fail_unsupported(report, "jpegls", "JPEG-LS");
  default: break;
  }
  if (m->bits == 12) return fail_unsupported(report, "12bit", "a sample size of 12 bits");
  if (m->bits != 8)
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "jpeg: invalid sample size of %u bits",
                     m->bits);
  if (m->width == 0) return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "jpeg: the width is 0");
  if (m->height == 0)
    return fail_unsupported(report, "dnl",
                            "an image height that is defined after the first scan (DNL)");
  if (m->components != 1 && m->components != 3 && m->components != 4)
    return fail_unsupported(report, "components", "a number of components other than 1, 3 and 4");
  return IMGC_OK;
}

imgc_status imgc_jpeg_parse_markers(const imgc_request *request, jpeg_markers *m,
                                    imgc_report *report) {
  memset(m, 0, sizeof *m);
  imgc_reader r = {request->data, request->size, 0};
  if (request->size < 2)
    return imgc_fail(report, IMGC_ERROR_TRUNCATED, NULL, "jpeg: data ends at byte %zu",
                     request->size);
  if (r.data[0] != 0xFF || r.data[1] != JPEG_MARKER_SOI)
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "jpeg: the SOI marker is missing");
  r.offset = 2;
  for (;;) {
    uint8_t code = next_marker(&r);
    if (imgc_charge(request, IMGC_WORK_CHUNK, report)) return report->status;
    if (code == JPEG_MARKER_EOI || code == JPEG_MARKER_SOS) break;
    if (code == JPEG_MARKER_TEM || (code >= JPEG_MARKER_RST0 && code <= JPEG_MARKER_SOI))
      continue; // these markers have no segment
    if (imgc_left(&r) < 2) break;
    // A length below 2 is treated as 2, as libjpeg does.
    uint32_t length = imgc_be16(r.data + r.offset);
    uint32_t size = length < 2 ? 0 : length - 2;
    r.offset += 2;
    size_t offset = r.offset;
    const uint8_t *body = r.data + offset;
    if (!imgc_skip(&r, size)) break;

    if (code == JPEG_MARKER_DHP || code == JPEG_MARKER_EXP) m->is_hierarchical = true;
    if (code == JPEG_MARKER_APP1) record_exif(m, offset, body, size);
    if (code == JPEG_MARKER_APP2) record_icc(m, offset, body, size);

    if (jpeg_is_frame_marker(code) || code == JPEG_MARKER_SOF55) record_frame(m, code, body, size);
  }
  sum_icc(m);
  return check_frame(m, report);
}
