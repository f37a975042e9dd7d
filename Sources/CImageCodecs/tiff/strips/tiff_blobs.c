// Checks of the image size in WebP and JBIG streams. In libtiff 4.5 the codec allocates memory for
// the size in the stream, and this size is not compared with the size of the strip. So a few bytes
// can cause the allocation of a gigabyte. libjbig terminates the process when its allocation fails.

#include "tiff/strips/tiff_blobs.h"
#include "core/bytes.h"
#include "jpeg/jpeg_marker_codes.h"

#include <string.h>

// RFC 9649. One still image: VP8 or VP8L, optionally after a VP8X chunk; each of these chunks
// contains the size.
static bool webp_size(const uint8_t *data, uint64_t size, bool reversed, uint32_t *width,
                      uint32_t *height) {
  uint8_t header[30], *p = header;
  if (size < sizeof header) return false;
  memcpy(header, data, sizeof header);
  if (reversed) TIFFReverseBits(header, sizeof header);
  if (memcmp(p, "RIFF", 4) != 0 || memcmp(p + 8, "WEBP", 4) != 0) return false;
  p += 12;
  *width = *height = 0;
  if (memcmp(p, "VP8X", 4) == 0) {
    *width = imgc_le24(p + 12) + 1, *height = imgc_le24(p + 15) + 1;
    return true;
  }
  if (memcmp(p, "VP8 ", 4) == 0) { // RFC 6386, 9.1: frame tag, start code, two 14-bit sides
    *width = imgc_le16(p + 14) & 0x3FFF, *height = imgc_le16(p + 16) & 0x3FFF;
    return true;
  }
  if (memcmp(p, "VP8L", 4) == 0) { // signature byte, two 14-bit sides minus one
    uint32_t bits = imgc_le32(p + 9);
    *width = (bits & 0x3FFF) + 1, *height = (bits >> 14 & 0x3FFF) + 1;
    return true;
  }
  return false;
}

// ITU-T T.82, 6.2: the first 20 bytes. libtiff reverses the bits of each byte before decoding,
// except for FillOrder 2.
static bool jbig_fits(const uint8_t *data, uint64_t size, bool reversed, uint32_t width,
                      uint32_t height) {
  uint8_t header[20];
  if (size < sizeof header) return false;
  memcpy(header, data, sizeof header);
  if (!reversed) TIFFReverseBits(header, sizeof header);
  bool one_plane = header[0] == 0 && header[1] == 0 && header[2] == 1;
  return one_plane && imgc_be32(header + 4) == width && imgc_be32(header + 8) == height;
}

bool tiff_blob_fits(const tiff_properties *properties, const uint8_t *data, uint64_t size,
                    uint32_t rows) {
  uint32_t width, height;
  switch (properties->compression) {
  case COMPRESSION_WEBP:
    return webp_size(data, size, properties->reversed, &width, &height) &&
           width == properties->tile_width && height == rows;
  case COMPRESSION_JBIG:
    return jbig_fits(data, size, properties->reversed, properties->tile_width, rows);
  default: return true;
  }
}

uint8_t tiff_jpeg_frame(const uint8_t *data, uint64_t size) {
  imgc_reader r = {data, (size_t)size, 0};
  while (imgc_left(&r) >= 2) {
    const uint8_t *ff = memchr(r.data + r.offset, 0xFF, imgc_left(&r) - 1);
    if (!ff) return 0;
    uint8_t code = ff[1];
    r.offset = (size_t)(ff - r.data) + (code == 0xFF ? 1 : 2);
    if (jpeg_is_frame_marker(code) || code == JPEG_MARKER_SOF55) return code;
    if (code == JPEG_MARKER_SOS || code == JPEG_MARKER_EOI) return 0;
    // Fill bytes, bytes that are no marker, and markers without a segment.
    if (code == 0xFF || code < JPEG_MARKER_SOF0 ||
        (code >= JPEG_MARKER_RST0 && code <= JPEG_MARKER_SOI))
      continue;
    if (imgc_left(&r) < 2 || !imgc_skip(&r, imgc_be16(r.data + r.offset))) return 0;
  }
  return 0;
}

uint64_t tiff_count_scans(const uint8_t *data, uint64_t size) {
  uint64_t scans = 0;
  const uint8_t *p = data, *end = data + size;
  while (end - p >= 2 && (p = memchr(p, 0xFF, (size_t)(end - p - 1)))) {
    scans += p[1] == JPEG_MARKER_SOS;
    p++;
  }
  return scans;
}
