// Bounded parser of the directories of a TIFF file, used before libtiff reads them.

#ifndef IMGC_TIFF_IFD_H
#define IMGC_TIFF_IFD_H

#include "CImageCodecs.h"

// The file and its header. In classic TIFF, the number of entries of a directory has 2 bytes, and
// offsets and the counts of values have 4 bytes; in BigTIFF all three have 8 bytes.
typedef struct tiff_input {
  const uint8_t *data;
  uint64_t size;
  uint64_t first; // offset of IFD 0
  bool big_endian;
  bool big; // BigTIFF
} tiff_input;

// The reduced directory contains at most 64 different tags, each once.
enum { TIFF_TABLE_SIZE = 8 + 64 * 20 + 8, TIFF_HEADER_SIZE = 16 };

// One page: the offset of its directory, and that directory reduced to the tags that decoding
// needs. libtiff reads the reduced directory, so private tags are never loaded: a malicious file
// may contain thousands of private tags that all refer to the same megabytes of the file.
typedef struct tiff_page {
  uint64_t offset;
  uint64_t parent; // as in tiff_directory
  size_t table_size;
  uint8_t table[TIFF_TABLE_SIZE];
  size_t header_size;
  uint8_t header[TIFF_HEADER_SIZE]; // the file's header; its first directory is this page
  uint64_t icc_offset;
  uint64_t icc_size; // 0: none, or outside the file
  bool icc_damaged;
  bool truncated;             // the directory or a value extends past the end of the file
  bool bits_differ;           // BitsPerSample is not equal for all samples
  bool has_extra_samples_tag; // ExtraSamples or the older Matteing is present
} tiff_page;

imgc_status tiff_input_open(const imgc_request *request, tiff_input *input, imgc_report *report);

// Finds page `request->page` and reduces its directory.
imgc_status tiff_find_page(const imgc_request *request, const tiff_input *input, tiff_page *page,
                           imgc_report *report);

// Returns the largest number of bytes that libtiff may allocate for one value of the reduced
// directory. Only libtiff before 4.5 needs it, which has no limit for a single allocation.
uint64_t tiff_largest_value(const tiff_input *input, const tiff_page *page);

#endif
