// Format detection by signature; the HTTP content type and the file name are not used.

#include "CImageCodecs/format.h"
#include "core/bytes.h"

#include <string.h>

static bool starts(const uint8_t *data, size_t size, size_t at, const char *text, size_t length) {
  return size >= at + length && memcmp(data + at, text, length) == 0;
}
#define STARTS(at, text) starts(data, size, at, text, sizeof(text) - 1)

// The signature "BM" has only two bytes, so this function also requires a known DIB header size,
// and a pixel offset that is 0 or after the file header.
static bool is_bmp(const uint8_t *data, size_t size) {
  if (size < 18 || !STARTS(0, "BM")) return false;
  uint32_t header = imgc_le32(data + 14), pixels = imgc_le32(data + 10);
  bool known = header == 12 || (header >= 16 && header <= 64) || header == 108 || header == 124;
  return known && (pixels == 0 || pixels >= 14);
}

// ISO base media file format (ISO/IEC 14496-12): returns the format by the brands in the ftyp box.
static imgc_format isobmff(const uint8_t *data, size_t size) {
  if (size < 12 || !STARTS(4, "ftyp")) return IMGC_FORMAT_UNKNOWN;
  uint32_t box = imgc_be32(data);
  if (box < 12 || box > size) box = (uint32_t)(size < 1024 ? size : 1024);
  static const char avif[][5] = {"avif", "avis"};
  static const char heic[][5] = {"heic", "heix", "hevc", "hevx"};
  bool has_avif = false, has_heic = false, has_generic = false;
  for (size_t at = 8; at + 4 <= box; at += at == 8 ? 8 : 4) {
    for (size_t i = 0; i < 2; i++) has_avif |= memcmp(data + at, avif[i], 4) == 0;
    for (size_t i = 0; i < 4; i++) has_heic |= memcmp(data + at, heic[i], 4) == 0;
    has_generic |= memcmp(data + at, "mif1", 4) == 0 || memcmp(data + at, "msf1", 4) == 0;
  }
  if (has_avif) return IMGC_FORMAT_AVIF;
  return has_heic || has_generic ? IMGC_FORMAT_HEIC : IMGC_FORMAT_UNKNOWN;
}

static bool is_svg(const uint8_t *data, size_t size) {
  size_t at = STARTS(0, "\xEF\xBB\xBF") ? 3 : 0;
  while (at < size && (data[at] == ' ' || (data[at] >= '\t' && data[at] <= '\r'))) at++;
  if (STARTS(at, "<svg")) return true;
  if (!STARTS(at, "<?xml") && !STARTS(at, "<!")) return false;
  for (; at + 4 <= size; at++)
    if (memcmp(data + at, "<svg", 4) == 0) return true;
  return false;
}

imgc_format imgc_probe(const uint8_t *data, size_t size) {
  if (!data || size < 2) return IMGC_FORMAT_UNKNOWN;
  if (size > 1024) size = 1024;
  if (STARTS(0, "\x89PNG\r\n\x1a\n"))
    return STARTS(12, "CgBI") ? IMGC_FORMAT_CGBI : IMGC_FORMAT_PNG;
  if (STARTS(0, "\xFF\xD8\xFF")) return IMGC_FORMAT_JPEG;
  if (STARTS(0, "GIF87a") || STARTS(0, "GIF89a")) return IMGC_FORMAT_GIF;
  if (STARTS(0, "II\x2A\0") || STARTS(0, "MM\0\x2A") || STARTS(0, "II\x2B\0") ||
      STARTS(0, "MM\0\x2B"))
    return IMGC_FORMAT_TIFF;
  if (is_bmp(data, size)) return IMGC_FORMAT_BMP;
  if (STARTS(0, "RIFF") && STARTS(8, "WEBP")) return IMGC_FORMAT_WEBP;
  if (STARTS(0, "\xFF\x0A") || STARTS(0, "\0\0\0\x0CJXL \r\n\x87\n")) return IMGC_FORMAT_JPEGXL;
  if (STARTS(0, "\0\0\0\x0CjP  \r\n\x87\n") || STARTS(0, "\xFF\x4F\xFF\x51"))
    return IMGC_FORMAT_JPEG2000;
  imgc_format media = isobmff(data, size);
  if (media) return media;
  return is_svg(data, size) ? IMGC_FORMAT_SVG : IMGC_FORMAT_UNKNOWN;
}
