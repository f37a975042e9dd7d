// Parses the header of a TIFF file and reduces a directory to the tags that decoding needs.
// Allocates no memory; every offset is checked against the file's size.

#include "tiff/page/tiff_ifd.h"
#include "core/limits.h"
#include "core/metadata_format.h"
#include "core/report.h"
#include "tiff/page/tiff_bytes.h"
#include "tiff/page/tiff_pages.h"
#include "tiff/page/tiff_tags.h"

#include <string.h>

imgc_status tiff_input_open(const imgc_request *request, tiff_input *input, imgc_report *report) {
  const uint8_t *data = request->data;
  *input = (tiff_input){.data = data, .size = request->size};
  if (request->size < 8)
    return imgc_fail(report, IMGC_ERROR_TRUNCATED, NULL, "tiff: data ends inside the header");
  input->big_endian = data[0] == 'M';
  uint64_t version = tiff_number(input, 2, 2);
  if ((memcmp(data, "II", 2) != 0 && memcmp(data, "MM", 2) != 0) ||
      (version != TIFF_FILE_CLASSIC && version != TIFF_FILE_BIG))
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL,
                     "tiff: the byte order or the version in the header is invalid");
  input->big = version == TIFF_FILE_BIG;
  if (input->big && request->size < 16)
    return imgc_fail(report, IMGC_ERROR_TRUNCATED, NULL, "tiff: data ends inside the header");
  input->first = input->big ? tiff_number(input, 8, 8) : tiff_number(input, 4, 4);
  if (input->first == 0)
    return imgc_fail(report, IMGC_ERROR_MALFORMED, NULL,
                     "tiff: the offset of the first directory (IFD) is 0");
  if (!tiff_inside(input, input->first, tiff_count_bytes(input)))
    return imgc_fail(
        report, IMGC_ERROR_TRUNCATED, NULL,
        "tiff: the offset of the first directory (IFD) is %llu, but the data ends at byte %llu",
        (unsigned long long)input->first, (unsigned long long)input->size);
  return IMGC_OK;
}

// The tags that the decoding of pixels requires, in ascending order.
static const uint16_t retained_tags[] = {
    TIFF_TAG_IMAGE_WIDTH,
    TIFF_TAG_IMAGE_LENGTH,
    TIFF_TAG_BITS_PER_SAMPLE,
    TIFF_TAG_COMPRESSION,
    TIFF_TAG_PHOTOMETRIC_INTERPRETATION,
    TIFF_TAG_FILL_ORDER,
    TIFF_TAG_STRIP_OFFSETS,
    TIFF_TAG_ORIENTATION,
    TIFF_TAG_SAMPLES_PER_PIXEL,
    TIFF_TAG_ROWS_PER_STRIP,
    TIFF_TAG_STRIP_BYTE_COUNTS,
    TIFF_TAG_PLANAR_CONFIGURATION,
    TIFF_TAG_T4_OPTIONS,
    TIFF_TAG_T6_OPTIONS,
    TIFF_TAG_PREDICTOR,
    TIFF_TAG_COLOR_MAP,
    TIFF_TAG_TILE_WIDTH,
    TIFF_TAG_TILE_LENGTH,
    TIFF_TAG_TILE_OFFSETS,
    TIFF_TAG_TILE_BYTE_COUNTS,
    TIFF_TAG_INK_SET,
    TIFF_TAG_EXTRA_SAMPLES,
    TIFF_TAG_SAMPLE_FORMAT,
    TIFF_TAG_JPEG_TABLES,
    TIFF_TAG_JPEG_PROC,
    TIFF_TAG_JPEG_INTERCHANGE_FORMAT,
    TIFF_TAG_JPEG_INTERCHANGE_FORMAT_LENGTH,
    TIFF_TAG_JPEG_RESTART_INTERVAL,
    TIFF_TAG_JPEG_LOSSLESS_PREDICTORS,
    TIFF_TAG_JPEG_POINT_TRANSFORMS,
    TIFF_TAG_JPEG_Q_TABLES,
    TIFF_TAG_JPEG_DC_TABLES,
    TIFF_TAG_JPEG_AC_TABLES,
    TIFF_TAG_YCBCR_COEFFICIENTS,
    TIFF_TAG_YCBCR_SUB_SAMPLING,
    TIFF_TAG_YCBCR_POSITIONING,
    TIFF_TAG_REFERENCE_BLACK_WHITE,
    TIFF_TAG_MATTEING,
    TIFF_TAG_DATA_TYPE,
    TIFF_TAG_LERC_PARAMETERS,
};
enum { RETAINED_COUNT = sizeof retained_tags / sizeof *retained_tags };
_Static_assert(RETAINED_COUNT <= 64, "retained_tags has more entries than `seen` has bits");

static int retained_index(uint64_t tag) {
  for (int i = 0; i < RETAINED_COUNT; i++)
    if (retained_tags[i] == tag) return i;
  return -1;
}

// Returns SamplesPerPixel; 1 by TIFF 6.0 when the tag is missing.
static uint64_t sample_count(const tiff_input *in, uint64_t entry) {
  uint64_t value = entry + 4 + tiff_offset_bytes(in);
  switch (entry ? tiff_number(in, entry + 2, 2) : 0) {
  case TIFF_TYPE_BYTE: return tiff_number(in, value, 1);
  case TIFF_TYPE_SHORT: return tiff_number(in, value, 2);
  case TIFF_TYPE_LONG: return tiff_number(in, value, 4);
  default: return 1;
  }
}

// Returns true when the values of BitsPerSample differ, which libtiff does not support. Values past
// the number of samples are ignored, as in libtiff.
static bool bits_differ(const tiff_input *in, uint64_t entry, uint64_t samples) {
  uint64_t type = tiff_number(in, entry + 2, 2),
           stored_count = tiff_number(in, entry + 4, tiff_offset_bytes(in));
  uint64_t value = entry + 4 + tiff_offset_bytes(in);
  uint64_t count = stored_count < samples ? stored_count : samples;
  if (type != TIFF_TYPE_SHORT || count < 2) return false;
  if (count > 64) count = 64;
  if (imgc_mul(stored_count, 2) > tiff_offset_bytes(in))
    value = tiff_number(in, value, tiff_offset_bytes(in));
  if (!tiff_inside(in, value, count * 2)) return false;
  for (uint64_t i = 1; i < count; i++)
    if (tiff_number(in, value + 2 * i, 2) != tiff_number(in, value, 2)) return true;
  return false;
}

// Returns true when the value of the entry extends past the end of the file, or is outside the
// file.
static bool value_is_truncated(const tiff_input *in, uint64_t entry) {
  static const uint8_t sizes[] = {
      [TIFF_TYPE_BYTE] = 1,      [TIFF_TYPE_ASCII] = 1,    [TIFF_TYPE_SHORT] = 2,
      [TIFF_TYPE_LONG] = 4,      [TIFF_TYPE_RATIONAL] = 8, [TIFF_TYPE_SBYTE] = 1,
      [TIFF_TYPE_UNDEFINED] = 1, [TIFF_TYPE_SSHORT] = 2,   [TIFF_TYPE_SLONG] = 4,
      [TIFF_TYPE_SRATIONAL] = 8, [TIFF_TYPE_FLOAT] = 4,    [TIFF_TYPE_DOUBLE] = 8,
      [TIFF_TYPE_IFD] = 4,       [TIFF_TYPE_LONG8] = 8,    [TIFF_TYPE_SLONG8] = 8,
      [TIFF_TYPE_IFD8] = 8,
  };
  uint64_t type = tiff_number(in, entry + 2, 2),
           count = tiff_number(in, entry + 4, tiff_offset_bytes(in));
  uint64_t bytes = type < sizeof sizes ? imgc_mul(count, sizes[type]) : 0;
  if (bytes <= tiff_offset_bytes(in)) return false;
  return !tiff_inside(in, tiff_number(in, entry + 4 + tiff_offset_bytes(in), tiff_offset_bytes(in)),
                      bytes);
}

static void note_profile(const tiff_input *in, uint64_t entry, tiff_page *page) {
  uint64_t type = tiff_number(in, entry + 2, 2),
           count = tiff_number(in, entry + 4, tiff_offset_bytes(in));
  uint64_t value = tiff_number(in, entry + 4 + tiff_offset_bytes(in), tiff_offset_bytes(in));
  // The ICC specification (B.4) requires the type UNDEFINED, but some files use BYTE.
  if ((type != TIFF_TYPE_UNDEFINED && type != TIFF_TYPE_BYTE) || count < IMGC_ICC_HEADER_SIZE ||
      !tiff_inside(in, value, count)) {
    page->icc_damaged = true;
    return;
  }
  page->icc_offset = value;
  page->icc_size = count;
}

static void put(const tiff_input *in, uint8_t *p, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++)
    p[in->big_endian ? bytes - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static void reduce(const tiff_input *in, tiff_page *page) {
  uint64_t entries = tiff_number(in, page->offset, tiff_count_bytes(in));
  uint64_t entry = page->offset + tiff_count_bytes(in);
  uint64_t room = (in->size - entry) / tiff_entry_bytes(in);
  if (entries > room) entries = room, page->truncated = true;
  if (entries > UINT16_MAX) entries = UINT16_MAX, page->truncated = true;

  uint64_t seen = 0, retained_count = 0, bits_entry = 0, samples_entry = 0;
  size_t size = tiff_count_bytes(in);
  for (uint64_t i = 0; i < entries; i++, entry += tiff_entry_bytes(in)) {
    uint64_t tag = tiff_number(in, entry, 2);
    if (tag == TIFF_TAG_ICC_PROFILE && page->icc_size == 0) note_profile(in, entry, page);
    int index = retained_index(tag);
    if (index < 0 || seen >> index & 1) continue;
    seen |= UINT64_C(1) << index;
    page->truncated |= value_is_truncated(in, entry);
    if (tag == TIFF_TAG_BITS_PER_SAMPLE) bits_entry = entry;
    if (tag == TIFF_TAG_SAMPLES_PER_PIXEL) samples_entry = entry;
    page->has_extra_samples_tag |= tag == TIFF_TAG_EXTRA_SAMPLES || tag == TIFF_TAG_MATTEING;
    memcpy(page->table + size, in->data + entry, tiff_entry_bytes(in));
    size += tiff_entry_bytes(in);
    retained_count++;
  }
  if (bits_entry) page->bits_differ = bits_differ(in, bits_entry, sample_count(in, samples_entry));
  put(in, page->table, retained_count, tiff_count_bytes(in));
  memset(page->table + size, 0, tiff_offset_bytes(in)); // no next directory
  page->table_size = size + tiff_offset_bytes(in);

  page->header_size = in->big ? 16 : 8;
  memcpy(page->header, in->data, page->header_size);
  put(in, page->header + (in->big ? 8 : 4), page->offset, tiff_offset_bytes(in));
}

imgc_status tiff_find_page(const imgc_request *request, const tiff_input *input, tiff_page *page,
                           imgc_report *report) {
  tiff_directory directory;
  memset(page, 0, sizeof *page);
  if (tiff_locate_page(request, input, &directory, report)) return report->status;
  page->offset = directory.offset;
  page->parent = directory.parent;
  reduce(input, page);
  return IMGC_OK;
}

uint64_t tiff_largest_value(const tiff_input *input, const tiff_page *page) {
  tiff_input table = *input;
  table.data = page->table;
  uint64_t largest = 0;
  uint64_t entries = tiff_number(&table, 0, tiff_count_bytes(input));
  for (uint64_t i = 0; i < entries; i++) {
    uint64_t entry = tiff_count_bytes(input) + i * tiff_entry_bytes(input);
    // libtiff widens offsets and counts to 8 bytes.
    uint64_t bytes = imgc_mul(tiff_number(&table, entry + 4, tiff_offset_bytes(input)), 8);
    if (bytes > largest) largest = bytes;
  }
  return largest;
}
