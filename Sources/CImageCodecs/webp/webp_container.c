// The RIFF container of WebP: chunks, image headers, frames, metadata.

#include "webp/webp_container.h"
#include "core/cancel.h"
#include "core/limits.h"
#include "core/metadata_format.h"
#include "core/report.h"

#include <string.h>

enum {
  RIFF_HEADER = 12, // "RIFF", size of what follows, "WEBP"
  CHUNK_HEADER = 8, // four characters, size of the payload
  VP8X_SIZE = 10,   // flags, reserved (24 bits), width - 1, height - 1 (24 bits each)
  ANIM_SIZE = 6,    // background, loop count
  ANMF_SIZE = 16,   // x / 2, y / 2, width - 1, height - 1, duration (24 bits each), flags
  VP8_HEADER = 10,  // RFC 6386, section 9.1
  VP8L_HEADER = 5,  // RFC 9649, section 3.4
  CHUNKS_PER_POLL = 4096,
};

#define FOURCC(a, b, c, d)                                                                         \
  ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
enum {
  CHUNK_VP8 = FOURCC('V', 'P', '8', ' '),
  CHUNK_VP8L = FOURCC('V', 'P', '8', 'L'),
  CHUNK_VP8X = FOURCC('V', 'P', '8', 'X'),
  CHUNK_ALPH = FOURCC('A', 'L', 'P', 'H'),
  CHUNK_ANIM = FOURCC('A', 'N', 'I', 'M'),
  CHUNK_ANMF = FOURCC('A', 'N', 'M', 'F'),
  CHUNK_ICCP = FOURCC('I', 'C', 'C', 'P'),
  CHUNK_EXIF = FOURCC('E', 'X', 'I', 'F'),
};

// ---------------------------------------------------------------- chunks

typedef struct chunk {
  uint32_t type;
  size_t offset; // of the header
  uint64_t size; // of the payload, as stored
  const uint8_t *data;
  size_t available; // bytes of the payload in the file, at most `size`
} chunk;

// Reads the chunk at the reader's offset and moves after its padding. Returns false when fewer
// bytes than a chunk header remain.
static bool next_chunk(imgc_reader *reader, chunk *chunk) {
  if (imgc_left(reader) < CHUNK_HEADER) return false;
  const uint8_t *p = reader->data + reader->offset;
  chunk->type = imgc_le32(p);
  chunk->offset = reader->offset;
  chunk->size = imgc_le32(p + 4);
  chunk->data = p + CHUNK_HEADER;
  reader->offset += CHUNK_HEADER;
  size_t left = imgc_left(reader);
  chunk->available = chunk->size < left ? (size_t)chunk->size : left;
  uint64_t padded = chunk->size + (chunk->size & 1);
  if (!imgc_skip(reader, padded)) reader->offset = reader->size;
  return true;
}

static bool is_truncated(const chunk *chunk) { return chunk->available < chunk->size; }

// ---------------------------------------------------------------- image headers

typedef enum header_result { HEADER_VALID, HEADER_TRUNCATED, HEADER_INVALID } header_result;

// RFC 6386, section 9.1: frame tag (24 bits: 0 for a key frame, version (3 bits), show_frame,
// size of the first partition (19 bits)), start code, width and height (14 bits each) with scales.
static header_result read_vp8(const chunk *chunk, imgc_webp_image *image) {
  const uint8_t *p = chunk->data;
  if (chunk->available < VP8_HEADER) return is_truncated(chunk) ? HEADER_TRUNCATED : HEADER_INVALID;
  uint32_t tag = imgc_le24(p);
  bool is_valid = !(tag & 1) && (tag >> 1 & 7) <= 3 && (tag >> 4 & 1) && tag >> 5 < chunk->size &&
                  p[3] == 0x9D && p[4] == 0x01 && p[5] == 0x2A;
  image->width = imgc_le16(p + 6) & 0x3FFF;
  image->height = imgc_le16(p + 8) & 0x3FFF;
  return is_valid && image->width && image->height ? HEADER_VALID : HEADER_INVALID;
}

// RFC 9649, section 3.4: signature, width - 1 and height - 1 (14 bits each), alpha_is_used,
// version (3 bits, 0).
static header_result read_vp8l(const chunk *chunk, imgc_webp_image *image) {
  const uint8_t *p = chunk->data;
  if (chunk->available < VP8L_HEADER)
    return is_truncated(chunk) ? HEADER_TRUNCATED : HEADER_INVALID;
  uint32_t bits = imgc_le32(p + 1);
  image->width = (bits & 0x3FFF) + 1;
  image->height = (bits >> 14 & 0x3FFF) + 1;
  image->is_lossless = true;
  image->has_alpha = bits >> 28 & 1;
  return p[0] == 0x2F && bits >> 29 == 0 ? HEADER_VALID : HEADER_INVALID;
}

// Adds a chunk to the image. `allows_alpha`: ALPH chunks are part of the format here.
static header_result add_image_chunk(const chunk *chunk, bool allows_alpha,
                                     imgc_webp_image *image) {
  if (chunk->type == CHUNK_ALPH) {
    if (!allows_alpha || image->has_alpha_chunk) return HEADER_VALID;
    image->offset = chunk->offset;
    image->has_alpha_chunk = true;
    // Compression method (2 bits): 0 none, 1 lossless.
    image->alpha_is_coded = chunk->available > 0 && (chunk->data[0] & 3) == 1;
    return HEADER_VALID;
  }
  if (!image->has_alpha_chunk || chunk->type == CHUNK_VP8L) image->offset = chunk->offset;
  header_result result =
      chunk->type == CHUNK_VP8L ? read_vp8l(chunk, image) : read_vp8(chunk, image);
  if (result != HEADER_VALID) {
    *image = (imgc_webp_image){0};
    return result;
  }
  // An ALPH chunk has no meaning for a lossless image.
  if (image->is_lossless)
    image->has_alpha_chunk = false;
  else
    image->has_alpha = image->has_alpha_chunk;
  image->is_found = true;
  image->is_truncated = is_truncated(chunk);
  image->size = chunk->offset - image->offset + CHUNK_HEADER + chunk->available;
  return HEADER_VALID;
}

static bool is_image_chunk(uint32_t type) {
  return type == CHUNK_VP8 || type == CHUNK_VP8L || type == CHUNK_ALPH;
}

// ---------------------------------------------------------------- metadata

typedef struct scan {
  const imgc_request *request;
  imgc_report *report;
  imgc_webp *webp;
  imgc_reader reader;
  uint64_t count; // chunks so far
} scan;

// Returns true when the limits allow `size` more bytes of metadata.
static bool allowed(const scan *s, uint64_t size) {
  const imgc_limits *limits = &s->request->limits;
  uint64_t total = imgc_add(size, imgc_add(s->webp->icc.size, s->webp->exif.size));
  return (!limits->max_metadata_item || size <= limits->max_metadata_item) &&
         (!limits->max_metadata_total || total <= limits->max_metadata_total) &&
         (!limits->max_chunks || s->count <= limits->max_chunks);
}

static void read_icc_chunk(scan *s, const chunk *chunk) {
  bool is_valid = chunk->size >= IMGC_ICC_MIN_SIZE && !is_truncated(chunk);
  if (!is_valid || s->webp->icc.size || !allowed(s, chunk->size)) {
    imgc_warn(s->report, is_valid && s->webp->icc.size ? IMGC_WARN_METADATA_IGNORED
                                                       : IMGC_WARN_PROFILE_IGNORED);
    return;
  }
  s->webp->icc = (imgc_webp_range){chunk->offset + CHUNK_HEADER, (size_t)chunk->size};
}

static void read_exif_chunk(scan *s, const chunk *chunk) {
  const uint8_t *p = chunk->data;
  size_t size = chunk->available, prefix = 0;
  // The prefix is defined for JPEG only, but some writers add it.
  if (size >= IMGC_EXIF_PREFIX_SIZE && memcmp(p, IMGC_EXIF_PREFIX, IMGC_EXIF_PREFIX_SIZE) == 0)
    prefix = IMGC_EXIF_PREFIX_SIZE;
  p += prefix, size -= prefix;
  bool is_valid =
      size >= 8 && !is_truncated(chunk) && (memcmp(p, "II", 2) == 0 || memcmp(p, "MM", 2) == 0);
  if (!is_valid || s->webp->exif.size || !allowed(s, size)) {
    imgc_warn(s->report, is_valid ? IMGC_WARN_METADATA_IGNORED : IMGC_WARN_EXIF);
    return;
  }
  s->webp->exif = (imgc_webp_range){chunk->offset + CHUNK_HEADER + prefix, size};
}

// ---------------------------------------------------------------- the file

static imgc_status fail_truncated(const scan *s) {
  return imgc_fail(s->report, IMGC_ERROR_TRUNCATED, NULL,
                   "webp: data ends at byte %zu, before the image", s->request->size);
}

static imgc_status read_riff(scan *s) {
  const uint8_t *p = s->request->data;
  size_t size = s->request->size;
  if (size < RIFF_HEADER) return fail_truncated(s);
  if (memcmp(p, "RIFF", 4) != 0 || memcmp(p + 8, "WEBP", 4) != 0)
    return imgc_fail(s->report, IMGC_ERROR_MALFORMED, NULL, "webp: no RIFF header of type WEBP");
  s->reader = (imgc_reader){p, size, RIFF_HEADER};
  return IMGC_OK;
}

static imgc_status read_vp8x(scan *s, const chunk *chunk) {
  if (chunk->available < VP8X_SIZE) {
    if (is_truncated(chunk)) return fail_truncated(s);
    return imgc_fail(s->report, IMGC_ERROR_MALFORMED, NULL,
                     "webp: a VP8X chunk of %llu bytes, expected %d",
                     (unsigned long long)chunk->size, VP8X_SIZE);
  }
  s->webp->is_extended = true;
  s->webp->flags = chunk->data[0];
  s->webp->width = imgc_le24(chunk->data + 4) + 1;
  s->webp->height = imgc_le24(chunk->data + 7) + 1;
  return IMGC_OK;
}

static imgc_status read_still_chunk(scan *s, const chunk *chunk) {
  imgc_webp *webp = s->webp;
  if (webp->image.is_found) return IMGC_OK;
  if (add_image_chunk(chunk, webp->is_extended, &webp->image) == HEADER_INVALID)
    return imgc_fail(s->report, IMGC_ERROR_MALFORMED, NULL,
                     "webp: invalid image header at byte %zu", chunk->offset);
  if (webp->image.is_found && !webp->is_extended) {
    webp->width = webp->image.width;
    webp->height = webp->image.height;
  }
  return IMGC_OK;
}

static imgc_status read_chunk(scan *s, const chunk *chunk) {
  imgc_webp *webp = s->webp;
  uint8_t flags = webp->flags;
  if (is_image_chunk(chunk->type)) return read_still_chunk(s, chunk);
  switch (chunk->type) {
  case CHUNK_VP8X:
    if (s->count == 1) return read_vp8x(s, chunk);
    imgc_warn(s->report, IMGC_WARN_CHUNK);
    break;
  case CHUNK_ANIM:
    if (chunk->available < ANIM_SIZE || webp->has_loop_count) break;
    webp->has_loop_count = true;
    webp->loop_count = imgc_le16(chunk->data + 4);
    break;
  case CHUNK_ANMF:
    if (!(flags & IMGC_WEBP_HAS_ANIMATION) || webp->is_animated) break;
    webp->is_animated = true;
    webp->first_frame = chunk->offset;
    break;
  case CHUNK_ICCP:
    if (flags & IMGC_WEBP_HAS_ICC) read_icc_chunk(s, chunk);
    break;
  case CHUNK_EXIF:
    if (flags & IMGC_WEBP_HAS_EXIF) read_exif_chunk(s, chunk);
    break;
  default: break;
  }
  return IMGC_OK;
}

// Compares the size in the RIFF header with the chunks, which end at `end`, and with the file.
static void check_riff_size(const scan *s, uint64_t end, bool is_cut) {
  uint64_t riff_end = (uint64_t)imgc_le32(s->request->data + 4) + 8, size = s->request->size;
  if (is_cut) return; // reported when the image is decoded
  if (riff_end < end && end - riff_end > 1) {
    imgc_warn(s->report, IMGC_WARN_STRUCTURE);
  } else if (riff_end > size && riff_end - size > 1) {
    imgc_warn(s->report, IMGC_WARN_MISSING_END);
  } else if (end < size) {
    imgc_warn(s->report, IMGC_WARN_TRAILING_DATA);
  }
}

// A chunk after the end of the RIFF data belongs to the file when it is needed: the image is not
// found yet. Otherwise it is trailing data.
static bool is_after_end(const scan *s) {
  uint64_t riff_end = (uint64_t)imgc_le32(s->request->data + 4) + 8;
  bool has_image = s->webp->image.is_found || s->webp->is_animated;
  return has_image && s->reader.offset >= riff_end;
}

imgc_status imgc_webp_scan(const imgc_request *request, imgc_webp *webp, imgc_report *report) {
  *webp = (imgc_webp){0};
  scan s = {.request = request, .report = report, .webp = webp};
  if (read_riff(&s)) return report->status;
  chunk chunk = {0};
  uint64_t end = RIFF_HEADER;
  bool is_cut = false;
  while (!is_after_end(&s) && next_chunk(&s.reader, &chunk)) {
    if (++s.count % CHUNKS_PER_POLL == 0 &&
        (imgc_poll(request, report) ||
         imgc_charge(request, CHUNKS_PER_POLL * IMGC_WORK_CHUNK, report)))
      return report->status;
    if (read_chunk(&s, &chunk)) return report->status;
    end = chunk.offset + CHUNK_HEADER + chunk.size + (chunk.size & 1);
    is_cut = is_truncated(&chunk);
  }
  if (webp->is_animated) {
    webp->image = (imgc_webp_image){0};
  } else if (!webp->image.is_found) {
    bool is_missing = is_cut || imgc_left(&s.reader) < CHUNK_HEADER;
    uint64_t riff_end = (uint64_t)imgc_le32(request->data + 4) + 8;
    if (is_missing && riff_end > request->size) {
      // The canvas size is known without the image.
      if (!webp->is_extended) return fail_truncated(&s);
      is_cut = true;
    } else {
      return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "webp: the file contains no image");
    }
  } else if (webp->image.width != webp->width || webp->image.height != webp->height) {
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL,
                     "webp: an image of %u x %u pixels on a canvas of %u x %u", webp->image.width,
                     webp->image.height, webp->width, webp->height);
  }
  check_riff_size(&s, end, is_cut);
  return report->status;
}

bool imgc_webp_read_canvas(const imgc_request *request, imgc_webp *webp) {
  *webp = (imgc_webp){0};
  imgc_report report = {0};
  scan s = {.request = request, .report = &report, .webp = webp, .count = 1};
  chunk chunk;
  if (read_riff(&s) || !next_chunk(&s.reader, &chunk) || chunk.type != CHUNK_VP8X ||
      read_vp8x(&s, &chunk))
    return false;
  webp->is_animated = webp->flags & IMGC_WEBP_HAS_ANIMATION;
  return webp->is_animated;
}

// ---------------------------------------------------------------- frames

// Reads the chunks in an ANMF chunk. libwebp requires that the frame is on the canvas and that the
// image has the size of the frame.
static imgc_webp_found read_frame(const chunk *anmf, const imgc_webp *webp,
                                  imgc_webp_frame *frame) {
  const uint8_t *p = anmf->data;
  if (anmf->available < ANMF_SIZE)
    return is_truncated(anmf) ? IMGC_WEBP_FRAME_TRUNCATED : IMGC_WEBP_FRAME_INVALID;
  frame->x = imgc_le24(p) * 2;
  frame->y = imgc_le24(p + 3) * 2;
  frame->width = imgc_le24(p + 6) + 1;
  frame->height = imgc_le24(p + 9) + 1;
  frame->duration = imgc_le24(p + 12);
  frame->clears = p[15] & 1;
  frame->blends = !(p[15] & 2);
  frame->image = (imgc_webp_image){0};
  if ((uint64_t)frame->x + frame->width > webp->width ||
      (uint64_t)frame->y + frame->height > webp->height)
    return IMGC_WEBP_FRAME_INVALID;
  // The reader ends with the frame, so that chunks cannot extend into the next frame.
  size_t start = anmf->offset + CHUNK_HEADER;
  imgc_reader reader = {p - start, start + anmf->available, start + ANMF_SIZE};
  chunk chunk;
  while (!frame->image.is_found && next_chunk(&reader, &chunk)) {
    if (!is_image_chunk(chunk.type)) continue;
    header_result result = add_image_chunk(&chunk, true, &frame->image);
    if (result == HEADER_INVALID) return IMGC_WEBP_FRAME_INVALID;
    if (result == HEADER_TRUNCATED) break;
  }
  imgc_webp_image *image = &frame->image;
  if (!image->is_found)
    return is_truncated(anmf) ? IMGC_WEBP_FRAME_TRUNCATED : IMGC_WEBP_FRAME_INVALID;
  // A chunk that is longer than its complete frame is damage, and not an early end of the file.
  image->exceeds_frame = image->is_truncated && !is_truncated(anmf);
  if (image->exceeds_frame) image->is_truncated = false;
  bool has_equal_size = image->width == frame->width && image->height == frame->height;
  return has_equal_size ? IMGC_WEBP_FRAME : IMGC_WEBP_FRAME_INVALID;
}

imgc_webp_found imgc_webp_find_frame(const imgc_request *request, const imgc_webp *webp,
                                     size_t offset, imgc_webp_frame *frame, imgc_report *report) {
  imgc_reader reader = {request->data, request->size, offset};
  chunk chunk;
  for (uint64_t count = 1; next_chunk(&reader, &chunk); count++) {
    if (count % CHUNKS_PER_POLL == 0 &&
        (imgc_poll(request, report) ||
         imgc_charge(request, CHUNKS_PER_POLL * IMGC_WORK_CHUNK, report)))
      return IMGC_WEBP_STOPPED;
    if (chunk.type != CHUNK_ANMF) continue;
    *frame = (imgc_webp_frame){.offset = chunk.offset, .next_offset = reader.offset};
    return read_frame(&chunk, webp, frame);
  }
  return IMGC_WEBP_NO_FRAME;
}
