// The work of decoding a JPEG. The walk over the markers is as lenient as libjpeg: it skips bytes
// between segments.

#include "jpeg/jpeg_work.h"
#include "core/bytes.h"
#include "core/limits.h"
#include "jpeg/jpeg_marker_codes.h"

#include <string.h>

// Units of work, measured with scans that consist of end-of-band runs: of a block in a scan, of a
// block in an AC refinement scan, of a block of the image (inverse DCT, upsampling and colour
// conversion), of a byte.
enum { WORK_BLOCK = 8, WORK_REFINED_BLOCK = 42, WORK_IMAGE_BLOCK = 150, WORK_BYTE = 16 };

uint64_t imgc_jpeg_scan_units(uint64_t blocks, unsigned start, unsigned high) {
  return imgc_mul(blocks, start > 0 && high > 0 ? WORK_REFINED_BLOCK : WORK_BLOCK);
}

// ---------------------------------------------------------------- scan headers

typedef struct walker {
  imgc_reader reader;
  const jpeg_skipped_scans *skipped;
  uint32_t next_skipped;
  unsigned components; // of the frame; 0 before the frame header
  uint8_t ids[MAX_COMPONENTS];
  uint64_t blocks[MAX_COMPONENTS];
} walker;

static void read_frame(walker *w, const uint8_t *body, uint32_t size) {
  if (w->components || size < JPEG_FRAME_HEADER_SIZE) return;
  unsigned count = body[5];
  if (count == 0 || count > MAX_COMPONENTS ||
      size < JPEG_FRAME_HEADER_SIZE + JPEG_FRAME_COMPONENT_SIZE * count)
    return;
  uint64_t height = imgc_be16(body + 1), width = imgc_be16(body + 3);
  const uint8_t *p = body + JPEG_FRAME_HEADER_SIZE;
  unsigned most_h = 1, most_v = 1;
  for (unsigned i = 0; i < count; i++, p += JPEG_FRAME_COMPONENT_SIZE) {
    if (p[1] >> 4 > most_h) most_h = p[1] >> 4;
    if ((p[1] & 15u) > most_v) most_v = p[1] & 15;
  }
  p = body + JPEG_FRAME_HEADER_SIZE;
  for (unsigned i = 0; i < count; i++, p += JPEG_FRAME_COMPONENT_SIZE) {
    uint64_t wide = (width * (p[1] >> 4) / most_h + 7) / 8;
    uint64_t high = (height * (p[1] & 15) / most_v + 7) / 8;
    w->ids[i] = p[0];
    w->blocks[i] = (wide + 1) * (high + 1);
  }
  w->components = count;
}

static uint64_t work_of_scan(const walker *w, const uint8_t *body, uint32_t size) {
  unsigned count = size > 0 ? body[0] : 0;
  if (count == 0 || count > MAX_COMPONENTS || size < 4 + 2 * count) return 0;
  uint64_t blocks = 0;
  for (unsigned i = 0; i < count; i++)
    for (unsigned k = 0; k < w->components; k++)
      if (w->ids[k] == body[1 + 2 * i]) blocks += w->blocks[k];
  return imgc_jpeg_scan_units(blocks, body[1 + 2 * count], body[3 + 2 * count] >> 4);
}

// Moves past the next marker that has a segment, and past scans that are not read. Returns its
// code; EOI at the end of the file.
static uint8_t next_segment(walker *w) {
  imgc_reader *r = &w->reader;
  while (imgc_left(r) >= 2) {
    const uint8_t *ff = memchr(r->data + r->offset, 0xFF, imgc_left(r) - 1);
    if (!ff) break;
    r->offset = (size_t)(ff - r->data);
    if (w->next_skipped < w->skipped->count &&
        r->offset >= w->skipped->ranges[w->next_skipped].start) {
      r->offset = w->skipped->ranges[w->next_skipped++].end;
      continue;
    }
    uint8_t code = ff[1];
    r->offset += code == 0xFF ? 1 : 2;
    if (code == JPEG_MARKER_EOI) return code;
    if (code >= JPEG_MARKER_SOF0 && code != 0xFF &&
        (code < JPEG_MARKER_RST0 || code > JPEG_MARKER_SOI))
      return code;
  }
  return JPEG_MARKER_EOI;
}

uint64_t imgc_jpeg_scans_work(const imgc_request *request, const jpeg_skipped_scans *skipped) {
  walker w = {.reader = {request->data, request->size, 0}, .skipped = skipped};
  uint64_t units = 0;
  for (;;) {
    uint8_t code = next_segment(&w);
    imgc_reader *r = &w.reader;
    if (code == JPEG_MARKER_EOI || imgc_left(r) < 2) return units;
    uint32_t length = imgc_be16(r->data + r->offset);
    const uint8_t *body = r->data + r->offset + 2;
    if (length < 2) length = 2; // as libjpeg does
    if (!imgc_skip(r, length)) return units;
    if (jpeg_is_frame_marker(code)) read_frame(&w, body, length - 2);
    if (code == JPEG_MARKER_SOS) units = imgc_add(units, work_of_scan(&w, body, length - 2));
  }
}

// ---------------------------------------------------------------- charging

imgc_status imgc_jpeg_charge(jpeg_state *s, const jpeg_markers *markers) {
  const imgc_request *request = s->request;
  if (!imgc_work_is_limited(request)) return IMGC_OK;
  if (imgc_charge(request, imgc_mul(request->size, WORK_BYTE), s->report)) return s->report->status;
  // The inverse DCT of a reduced image computes fewer samples of a block.
  uint64_t reduction = request->scale_denominator > 1 ? request->scale_denominator : 1;
  uint64_t blocks = ((uint64_t)markers->width / 8 + 1) * ((uint64_t)markers->height / 8 + 1);
  uint64_t image = imgc_mul(imgc_mul(blocks, markers->components), WORK_IMAGE_BLOCK) / reduction;
  s->counted_work = imgc_jpeg_scans_work(request, &s->skipped_scans);
  return imgc_charge(request, imgc_add(image, s->counted_work), s->report);
}

void imgc_jpeg_charge_scan(jpeg_state *s) {
  const struct jpeg_decompress_struct *cinfo = &s->cinfo;
  uint64_t blocks = 0;
  for (int i = 0; i < cinfo->comps_in_scan; i++) {
    const jpeg_component_info *c = cinfo->cur_comp_info[i];
    blocks += (uint64_t)c->width_in_blocks * c->height_in_blocks;
  }
  uint64_t units = imgc_jpeg_scan_units(blocks, (unsigned)cinfo->Ss, (unsigned)cinfo->Ah);
  uint64_t counted = units < s->counted_work ? units : s->counted_work;
  s->counted_work -= counted;
  imgc_charge(s->request, units - counted, s->report);
}
