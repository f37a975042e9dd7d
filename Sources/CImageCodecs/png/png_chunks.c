// The chunk parser. libpng receives only signature, IHDR, a palette of one entry and IDAT, built
// from values that are checked here: libpng's handlers of ancillary chunks, which had most of
// libpng's vulnerabilities, are never called. The parser follows sections 5 and 11 of the PNG
// specification (third edition), and is as lenient as libpng 1.6.

#include "png/png_chunks.h"
#include "core/bytes.h"
#include "core/cancel.h"
#include "core/limits.h"
#include "core/report.h"

#if !__has_include(<libdeflate.h>)
#error "libdeflate.h is missing: apt-get install libdeflate-dev (brew install libdeflate)"
#endif
#include <libdeflate.h>
#include <string.h>

static bool is_letter(uint8_t c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

imgc_png_chunk_result imgc_png_next(imgc_reader *reader, imgc_png_chunk *chunk) {
  *chunk = (imgc_png_chunk){.offset = reader->offset};
  if (imgc_left(reader) < 8) return IMGC_PNG_TRUNCATED;
  const uint8_t *chunk_header = reader->data + reader->offset;
  uint32_t length = imgc_be32(chunk_header);
  if (length > INT32_MAX) return IMGC_PNG_INVALID;
  for (int i = 4; i < 8; i++)
    if (!is_letter(chunk_header[i])) return IMGC_PNG_INVALID;
  reader->offset += 8;
  chunk->type = imgc_be32(chunk_header + 4);
  chunk->length = length;
  chunk->data = chunk_header + 8;
  chunk->available = length < imgc_left(reader) ? length : imgc_left(reader);
  if (imgc_skip(reader, (uint64_t)length + 4)) return IMGC_PNG_COMPLETE;
  reader->offset = reader->size;
  return IMGC_PNG_TRUNCATED;
}

bool imgc_png_crc_matches(const imgc_png_chunk *chunk) {
  uint32_t crc = libdeflate_crc32(0, chunk->data - 4, (size_t)chunk->length + 4);
  return crc == imgc_be32(chunk->data + chunk->length);
}

uint32_t imgc_png_channels(const imgc_png *png) { return imgc_png_channels_of(png->color_type); }

unsigned imgc_png_pixel_bytes(const imgc_png *png) {
  unsigned bits = imgc_png_channels(png) * png->bit_depth;
  return bits < 8 ? 1 : bits / 8;
}

uint64_t imgc_png_row_bytes(const imgc_png *png, uint32_t width) {
  return ((uint64_t)width * imgc_png_channels(png) * png->bit_depth + 7) / 8;
}

static imgc_status malformed(imgc_report *report, const char *reason) {
  return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL, "png: %s", reason);
}

static imgc_status read_ihdr(const imgc_png_chunk *chunk, imgc_png *png, imgc_report *report) {
  if (chunk->length != IMGC_PNG_IHDR_SIZE)
    return malformed(report, "the length of IHDR is not 13 bytes");
  const uint8_t *p = chunk->data;
  png->width = imgc_be32(p);
  png->height = imgc_be32(p + 4);
  png->bit_depth = p[8];
  png->color_type = p[9];
  png->interlaced = p[12] == IMGC_PNG_INTERLACE_ADAM7;
  if (png->width == 0 || png->height == 0 || png->width > INT32_MAX || png->height > INT32_MAX)
    return malformed(report, "IHDR has an invalid image width or height");
  // By colour type: bit n is set if the bit depth n is allowed (PNG, table 11.1).
  static const uint32_t depths[IMGC_PNG_COLOR_TYPES] = {
      [IMGC_PNG_COLOR_GRAY] = 0x10116,  [IMGC_PNG_COLOR_RGB] = 0x10100,
      [IMGC_PNG_COLOR_INDEXED] = 0x116, [IMGC_PNG_COLOR_GRAY_ALPHA] = 0x10100,
      [IMGC_PNG_COLOR_RGBA] = 0x10100,
  };
  if (p[9] >= IMGC_PNG_COLOR_TYPES || p[8] > 16 || !(depths[p[9]] >> p[8] & 1))
    return malformed(report, "IHDR has an invalid colour type or bit depth");
  if (p[10] != IMGC_PNG_COMPRESSION_DEFLATE || p[11] != IMGC_PNG_FILTER_METHOD_ADAPTIVE ||
      p[12] > IMGC_PNG_INTERLACE_ADAM7)
    return malformed(report,
                     "IHDR has an unknown compression method, filter method or interlace method");
  return IMGC_OK;
}

static imgc_status read_plte(const imgc_png_chunk *chunk, imgc_png *png, imgc_report *report) {
  bool indexed = png->color_type == IMGC_PNG_COLOR_INDEXED;
  if (png->palette) return malformed(report, "PLTE occurs twice");
  if (!(png->color_type & IMGC_PNG_COLOR_USES_COLOR))
    return imgc_warn(report, IMGC_WARN_CHUNK), IMGC_OK;
  if (chunk->length == 0 || chunk->length > IMGC_PNG_PLTE_MAX_SIZE || chunk->length % 3 != 0) {
    if (indexed || chunk->length == 0) return malformed(report, "PLTE has an invalid length");
    return imgc_warn(report, IMGC_WARN_CHUNK), IMGC_OK;
  }
  uint32_t most = indexed ? 1u << png->bit_depth : 256;
  png->palette = chunk->data;
  png->palette_size = chunk->length / 3 < most ? chunk->length / 3 : most;
  if (png->transparency) { // tRNS before PLTE is ignored
    imgc_warn(report, IMGC_WARN_CHUNK);
    png->transparency = NULL;
    png->transparency_size = 0;
  }
  return IMGC_OK;
}

static void read_trns(const imgc_png_chunk *chunk, imgc_png *png, imgc_report *report) {
  bool is_valid = false;
  switch (png->color_type) {
  case IMGC_PNG_COLOR_GRAY: is_valid = chunk->length == 2; break;
  case IMGC_PNG_COLOR_RGB: is_valid = chunk->length == 6; break;
  case IMGC_PNG_COLOR_INDEXED:
    is_valid = chunk->length > 0 && chunk->length <= png->palette_size;
    break;
  default: break;
  }
  if (!is_valid || png->transparency) {
    imgc_warn(report, IMGC_WARN_CHUNK);
    return;
  }
  png->transparency = chunk->data;
  png->transparency_size = chunk->length;
}

static void read_actl(const imgc_png_chunk *chunk, imgc_png *png, imgc_report *report) {
  uint32_t frames = chunk->length == IMGC_PNG_acTL_SIZE ? imgc_be32(chunk->data) : 0;
  if (frames == 0 || frames > INT32_MAX || png->animated) {
    imgc_warn(report, IMGC_WARN_CHUNK);
    return;
  }
  png->animated = true;
  png->frame_count = frames;
  png->loop_count = imgc_be32(chunk->data + 4);
}

// Returns true when pixels depend on the chunk. A chunk that is longer than the maximum of its type
// is invalid, so its checksum need not be verified.
static bool affects_pixels(const imgc_png_chunk *chunk) {
  switch (chunk->type) {
  case IMGC_PNG_IHDR: return chunk->length <= IMGC_PNG_IHDR_SIZE;
  case IMGC_PNG_PLTE: return chunk->length <= IMGC_PNG_PLTE_MAX_SIZE;
  case IMGC_PNG_tRNS: return chunk->length <= IMGC_PNG_tRNS_MAX_SIZE;
  case IMGC_PNG_acTL: return chunk->length <= IMGC_PNG_acTL_SIZE;
  default: return false;
  }
}

// For every frame of an animation the chunks before the first IDAT are parsed again. A file with
// more such chunks is decoded as a still image; otherwise a file with many empty chunks could take
// minutes.
enum { MAX_CHUNKS_OF_ANIMATION = 4096 };

imgc_status imgc_png_scan(const imgc_request *request, imgc_png_check_level check_level,
                          imgc_png *png, imgc_png_visit *visit, void *context,
                          imgc_report *report) {
  *png = (imgc_png){0};
  if (request->size < IMGC_PNG_SIGNATURE_SIZE ||
      memcmp(request->data, IMGC_PNG_SIGNATURE, IMGC_PNG_SIGNATURE_SIZE) != 0)
    return malformed(report, "the signature is missing");
  imgc_reader reader = {request->data, request->size, IMGC_PNG_SIGNATURE_SIZE};
  for (uint64_t count = 0;; count++) {
    imgc_png_chunk chunk;
    imgc_png_chunk_result result = imgc_png_next(&reader, &chunk);
    // Checked for every chunk, because an acTL may also occur after this number of chunks.
    if (count >= MAX_CHUNKS_OF_ANIMATION && png->animated) {
      imgc_warn(report, IMGC_WARN_METADATA_IGNORED);
      png->animated = false;
    }
    if (count % 4096 == 4095 && imgc_poll(request, report)) return report->status;
    if (imgc_charge(request, IMGC_WORK_CHUNK, report)) return report->status;
    if (result == IMGC_PNG_INVALID)
      return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL,
                       "png: invalid length or type of the chunk at byte %zu", chunk.offset);
    if (count > 0 && chunk.type == IMGC_PNG_IDAT) {
      if (png->color_type == IMGC_PNG_COLOR_INDEXED && !png->palette)
        return malformed(report, "PLTE is missing");
      png->idat_offset = chunk.offset;
      return IMGC_OK;
    }
    if (result == IMGC_PNG_TRUNCATED)
      return imgc_fail(report, IMGC_ERROR_TRUNCATED, NULL, "png: data ends at byte %zu",
                       request->size);
    if ((chunk.type == IMGC_PNG_IHDR) != (count == 0))
      return malformed(report, count ? "IHDR occurs twice" : "the first chunk is not IHDR");

    bool crc_matches = true;
    if (check_level == IMGC_PNG_ALL_CHECKSUMS || affects_pixels(&chunk)) {
      // The checksum of 4 bytes takes about a unit.
      if (imgc_charge(request, chunk.length / 4, report)) return report->status;
      crc_matches = imgc_png_crc_matches(&chunk);
      // With a wrong checksum, a critical chunk is still used, and an ancillary chunk is ignored.
      if (!crc_matches) imgc_warn(report, IMGC_WARN_CRC);
    }
    switch (chunk.type) {
    case IMGC_PNG_IHDR:
      if (read_ihdr(&chunk, png, report)) return report->status;
      break;
    case IMGC_PNG_PLTE:
      if (read_plte(&chunk, png, report)) return report->status;
      break;
    case IMGC_PNG_IEND: return malformed(report, "IDAT is missing");
    case IMGC_PNG_tRNS:
      if (crc_matches) read_trns(&chunk, png, report);
      break;
    case IMGC_PNG_acTL:
      if (crc_matches) read_actl(&chunk, png, report);
      break;
    default:
      if (imgc_png_is_critical(&chunk)) return malformed(report, "unknown critical chunk");
      if (crc_matches && visit) visit(context, &chunk, png->palette != NULL);
    }
  }
}
