// Skipping of scans: in a reduced image the refinements in the last scans of a progressive JPEG are
// not visible, but these scans contain most of the bytes. Entropy-coded data is skipped without
// decoding: in this data a byte FF is always followed by 00 or by a restart marker code (ITU-T
// T.81, B.1.1.5), so the parser finds the next marker with memchr.

#include "jpeg/jpeg_scans.h"
#include "core/bytes.h"
#include "jpeg/jpeg_marker_codes.h"

#include <string.h>

enum {
  MAX_COMPONENTS = 4,
  COEFFICIENTS = 64,
  LAST_LOW = 5, // in zigzag order: higher coefficients are not visible at 1/4
};

// Parsing a file of this size takes at most a third of a second.
static const size_t MAX_BYTES = 64u << 20;

// Value for a coefficient that no scan has contained yet. Other values are the bit position (Al) of
// the last scan with this coefficient.
enum { NO_SCAN = 14 };
typedef struct progress {
  uint8_t bits[MAX_COMPONENTS][COEFFICIENTS];
} progress;

typedef struct scan {
  unsigned components[MAX_COMPONENTS]; // indices of the frame's components
  unsigned count;
  unsigned start, end, high, low; // Ss, Se, Ah, Al
} scan;

typedef struct scan_parser {
  imgc_reader reader;
  uint32_t flags;
  unsigned components; // number in the frame; 0 before the frame header
  uint8_t ids[MAX_COMPONENTS];
  progress all_scans, retained; // after all scans; after the scans that libjpeg reads
} scan_parser;

static bool read_frame(scan_parser *parser, const uint8_t *body, uint32_t size) {
  if (parser->components || size < JPEG_FRAME_HEADER_SIZE) return false;
  unsigned count = body[5];
  if (count == 0 || count > MAX_COMPONENTS ||
      size != JPEG_FRAME_HEADER_SIZE + JPEG_FRAME_COMPONENT_SIZE * count)
    return false;
  for (unsigned i = 0; i < count; i++) {
    parser->ids[i] = body[JPEG_FRAME_HEADER_SIZE + JPEG_FRAME_COMPONENT_SIZE * i];
    for (unsigned k = 0; k < i; k++)
      if (parser->ids[k] == parser->ids[i]) return false;
  }
  parser->components = count;
  return true;
}

static bool read_scan(const scan_parser *parser, const uint8_t *body, uint32_t size, scan *s) {
  if (size < 1) return false;
  s->count = body[0];
  if (s->count == 0 || s->count > parser->components || size != 4 + 2 * s->count) return false;
  for (unsigned i = 0; i < s->count; i++) {
    unsigned k = 0;
    while (k < parser->components && parser->ids[k] != body[1 + 2 * i]) k++;
    if (k == parser->components || (i > 0 && k <= s->components[i - 1])) return false;
    s->components[i] = k;
  }
  const uint8_t *p = body + 1 + 2 * s->count;
  s->start = p[0], s->end = p[1], s->high = p[2] >> 4, s->low = p[2] & 15;
  // ITU-T T.81, G.1.1.1: DC is in separate scans; AC scans have one component.
  if (s->start == 0) return s->end == 0 && s->low < NO_SCAN;
  return s->count == 1 && s->start <= s->end && s->end < COEFFICIENTS && s->low < NO_SCAN;
}

// Records the scan; returns false when it does not continue the previous ones.
static bool record_scan(progress *p, const scan *s) {
  for (unsigned i = 0; i < s->count; i++) {
    uint8_t *bits = p->bits[s->components[i]];
    for (unsigned k = s->start; k <= s->end; k++) {
      bool is_first = bits[k] == NO_SCAN;
      // An AC scan requires a previous DC scan. A refinement scan adds one bit.
      if (s->start > 0 && bits[0] == NO_SCAN) return false;
      if (is_first ? s->high != 0 : s->high != bits[k] || s->low + 1 != s->high) return false;
      bits[k] = (uint8_t)s->low;
    }
  }
  return true;
}

// Returns true when the scan may be skipped. With IMGC_NO_LAST_REFINEMENT this is the last
// refinement of the AC coefficients of luma. With IMGC_LOW_SCANS_ONLY these scans are read: DC
// scans and their refinements, the first AC scans of chroma, and first AC scans of luma that start
// at a low frequency. The frame's first component is assumed to be luma.
static bool can_skip(const scan_parser *parser, const scan *s) {
  if (s->start == 0) return false;
  bool is_luma = s->components[0] == 0;
  if (parser->flags & IMGC_LOW_SCANS_ONLY) return s->high > 0 || (is_luma && s->start > LAST_LOW);
  return is_luma && s->start == 1 && s->end == COEFFICIENTS - 1 && s->high == 1 && s->low == 0;
}

// Moves past the entropy-coded data, to the next marker.
static bool skip_entropy_data(imgc_reader *r) {
  while (imgc_left(r) >= 2) {
    const uint8_t *ff = memchr(r->data + r->offset, 0xFF, imgc_left(r) - 1);
    if (!ff) return false;
    r->offset = (size_t)(ff - r->data);
    uint8_t code = ff[1];
    if (code != 0 && code != 0xFF && (code < JPEG_MARKER_RST0 || code > JPEG_MARKER_RST7))
      return true;
    r->offset += code == 0xFF ? 1 : 2;
  }
  return false;
}

// Reads one marker segment and the data after it. Returns false at EOI, after setting `*ended`, and
// when the file is irregular, so that no scan may be skipped.
static bool read_segment(scan_parser *parser, jpeg_skipped_scans *out, bool *ended) {
  imgc_reader *r = &parser->reader;
  // Any number of fill bytes may precede a marker (T.81 B.1.1.2).
  while (imgc_left(r) >= 2 && r->data[r->offset] == 0xFF && r->data[r->offset + 1] == 0xFF)
    r->offset++;
  size_t start = r->offset;
  if (imgc_left(r) < 2 || r->data[r->offset] != 0xFF) return false;
  uint8_t code = r->data[r->offset + 1];
  r->offset += 2;
  *ended = code == JPEG_MARKER_EOI;
  if (code == JPEG_MARKER_EOI) return false;
  if (imgc_left(r) < 2 || code < JPEG_MARKER_SOF0 ||
      (code >= JPEG_MARKER_RST0 && code < JPEG_MARKER_SOS))
    return false;
  uint32_t length = imgc_be16(r->data + r->offset);
  const uint8_t *body = r->data + r->offset + 2;
  if (length < 2 || !imgc_skip(r, length)) return false;
  if (jpeg_is_frame_marker(code))
    return code == JPEG_MARKER_SOF2 && read_frame(parser, body, length - 2);
  if (code != JPEG_MARKER_SOS) return true;

  scan s;
  if (!read_scan(parser, body, length - 2, &s) || !record_scan(&parser->all_scans, &s) ||
      !skip_entropy_data(r))
    return false;
  if (!can_skip(parser, &s)) return record_scan(&parser->retained, &s);
  if (out->count == IMGC_JPEG_MAX_SKIPPED_SCANS) return false;
  out->ranges[out->count].start = start;
  out->ranges[out->count++].end = r->offset;
  return true;
}

void imgc_jpeg_select_skipped_scans(const imgc_request *request, jpeg_skipped_scans *out) {
  out->count = 0;
  scan_parser parser = {.flags = request->flags & (IMGC_NO_LAST_REFINEMENT | IMGC_LOW_SCANS_ONLY)};
  // Damage in skipped scans is not detected, so a strict request reads all scans. The parser does
  // not poll for cancellation, so the size of the file is limited.
  if (!parser.flags || request->size < 2 || request->size > MAX_BYTES ||
      request->strictness >= IMGC_STRICT_ON_CORRUPT)
    return;
  parser.reader = (imgc_reader){request->data, request->size, 2};
  memset(&parser.all_scans, NO_SCAN, sizeof parser.all_scans);
  memset(&parser.retained, NO_SCAN, sizeof parser.retained);
  bool ended = false;
  while (read_segment(&parser, out, &ended)) {
  }
  if (!ended) out->count = 0;
}
