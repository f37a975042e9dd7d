// PNG colour chunks, profile and EXIF block. Pixels do not depend on this metadata, so its errors
// are reported as remarks (see imgc_warning).

#include "png/png_metadata.h"
#include "core/bytes.h"
#include "core/limits.h"
#include "core/metadata_format.h"
#include "core/report.h"

#if !__has_include(<zlib.h>)
#error "zlib.h is missing: apt-get install zlib1g-dev"
#endif
#include <string.h>
#include <zlib.h>

bool imgc_png_inflate(const uint8_t *stream, size_t stream_size, uint8_t *out, size_t size) {
  z_stream z = {.next_in = (z_const Bytef *)stream, .avail_in = (uInt)stream_size};
  if (inflateInit(&z) != Z_OK) return false;
  z.next_out = out;
  z.avail_out = (uInt)size;
  int status = inflate(&z, Z_SYNC_FLUSH);
  inflateEnd(&z);
  return (status == Z_OK || status == Z_STREAM_END) && z.avail_out == 0;
}

// Returns true when the zlib stream inflates to at least `size` bytes. Inflates at most `size`
// bytes.
static bool holds(const uint8_t *stream, size_t stream_size, size_t size) {
  z_stream z = {.next_in = (z_const Bytef *)stream, .avail_in = (uInt)stream_size};
  if (inflateInit(&z) != Z_OK) return false;
  uint8_t window[4096];
  int status = Z_OK;
  while (size > 0 && status == Z_OK) {
    uInt step = size < sizeof window ? (uInt)size : (uInt)sizeof window;
    z.next_out = window;
    z.avail_out = step;
    status = inflate(&z, Z_SYNC_FLUSH);
    size -= step - z.avail_out;
  }
  inflateEnd(&z);
  return size == 0;
}

static void ignore(imgc_png_metadata *m) { imgc_warn(m->report, IMGC_WARN_METADATA_IGNORED); }

// Returns true when the limits allow `size` more bytes of metadata.
static bool allowed(const imgc_png_metadata *m, uint64_t size) {
  const imgc_limits *limits = &m->request->limits;
  uint64_t total = imgc_add(size, imgc_add(m->header->exif_size, m->header->icc_size));
  return (!limits->max_metadata_item || size <= limits->max_metadata_item) &&
         (!limits->max_metadata_total || total <= limits->max_metadata_total);
}

// Reads iCCP: name, NUL, compression method 0, zlib stream. The first four bytes of a profile are
// its size (ICC.1, 7.2.2), so the size is compared with the limit before the profile is inflated.
static void read_iccp(imgc_png_metadata *m, const imgc_png_chunk *chunk) {
  m->has_seen_profile = true;
  size_t name =
      chunk->length < IMGC_PNG_ICCP_NAME_MAX_SIZE ? chunk->length : IMGC_PNG_ICCP_NAME_MAX_SIZE;
  const uint8_t *end = name ? memchr(chunk->data, 0, name) : NULL;
  size_t stream_offset = end ? (size_t)(end - chunk->data) + 2 : 0;
  uint8_t start[IMGC_ICC_MIN_SIZE];
  if (!end || stream_offset == 2 || stream_offset > chunk->length || end[1] != 0 ||
      !imgc_png_inflate(chunk->data + stream_offset, chunk->length - stream_offset, start,
                        sizeof start)) {
    imgc_warn(m->report, IMGC_WARN_PROFILE_IGNORED);
    return;
  }
  uint32_t size = imgc_be32(start);
  if (size < sizeof start || !allowed(m, size) || !allowed(m, chunk->length) ||
      !holds(chunk->data + stream_offset, chunk->length - stream_offset, size)) {
    imgc_warn(m->report, IMGC_WARN_PROFILE_IGNORED);
    return;
  }
  m->profile = chunk->data + stream_offset;
  m->profile_size = chunk->length - stream_offset;
  m->header->icc_size = size;
}

static void read_chrm(imgc_png_metadata *m, const imgc_png_chunk *chunk) {
  bool valid = chunk->length == IMGC_PNG_cHRM_SIZE && !m->header->has_chromaticities;
  for (int i = 0; valid && i < 8; i++) {
    uint32_t value = imgc_be32(chunk->data + 4 * i);
    valid = value <= INT32_MAX;
    m->header->chromaticities[i] = value;
  }
  if (valid)
    m->header->has_chromaticities = true;
  else
    ignore(m);
}

static void read_exif(imgc_png_metadata *m, const imgc_png_chunk *chunk) {
  uint64_t offset = chunk->offset + 8;
  uint64_t size = chunk->length;
  const uint8_t *p = chunk->data;
  // The prefix is defined for JPEG only, but some PNG writers write it too.
  if (size >= IMGC_EXIF_PREFIX_SIZE && memcmp(p, IMGC_EXIF_PREFIX, IMGC_EXIF_PREFIX_SIZE) == 0)
    offset += IMGC_EXIF_PREFIX_SIZE, size -= IMGC_EXIF_PREFIX_SIZE, p += IMGC_EXIF_PREFIX_SIZE;
  bool valid = size >= 8 && (memcmp(p, "II", 2) == 0 || memcmp(p, "MM", 2) == 0);
  if (!valid || m->header->exif_size || !allowed(m, size)) {
    imgc_warn(m->report, valid ? IMGC_WARN_METADATA_IGNORED : IMGC_WARN_EXIF);
    return;
  }
  m->header->exif_offset = offset;
  m->header->exif_size = size;
}

void imgc_png_read_metadata(void *metadata, const imgc_png_chunk *chunk, bool after_palette) {
  imgc_png_metadata *m = metadata;
  imgc_header *header = m->header;
  if (m->request->limits.max_chunks && ++m->chunks > m->request->limits.max_chunks) {
    ignore(m);
    return;
  }
  bool right = true;
  switch (chunk->type) {
  case IMGC_PNG_gAMA: {
    uint32_t gamma = chunk->length == IMGC_PNG_gAMA_SIZE ? imgc_be32(chunk->data) : 0;
    right = !after_palette && gamma > 0 && gamma <= INT32_MAX && !header->has_gamma;
    if (right) header->has_gamma = true, header->gamma = gamma;
    break;
  }
  case IMGC_PNG_sRGB:
    right = !after_palette && chunk->length == IMGC_PNG_sRGB_SIZE &&
            chunk->data[0] < IMGC_PNG_INTENTS && !header->has_srgb;
    if (right) header->has_srgb = true, header->srgb_intent = chunk->data[0];
    break;
  case IMGC_PNG_cICP:
    right = !after_palette && chunk->length == IMGC_PNG_cICP_SIZE && !header->has_cicp;
    if (right) header->has_cicp = true, memcpy(header->cicp, chunk->data, 4);
    break;
  case IMGC_PNG_cHRM:
    if (after_palette)
      right = false;
    else
      read_chrm(m, chunk);
    break;
  case IMGC_PNG_iCCP:
    if (after_palette || m->has_seen_profile)
      right = false;
    else
      read_iccp(m, chunk);
    break;
  case IMGC_PNG_eXIf: read_exif(m, chunk); break;
  default: break;
  }
  if (!right) ignore(m);
}
