// The images of a TIFF file in the order of their page numbers.
//
// Page numbers count the full-resolution images first, in file order, then all others. File order
// is that of the chain of directories; the SubIFDs of a directory follow it (TIFF technical note 1,
// TIFF/EP, DNG). A directory is not full-resolution when bit 0 of NewSubfileType is set or the
// older SubfileType is 2, or when it contains the samples of a camera sensor (CFA, LinearRaw),
// which are not an image until they are developed.

#ifndef IMGC_TIFF_PAGES_H
#define IMGC_TIFF_PAGES_H

#include "tiff/page/tiff_ifd.h"

typedef struct tiff_directory {
  uint64_t offset;
  uint64_t parent;        // the directory of the chain whose SubIFD this is; `offset` in the chain
  uint32_t width, height; // pixels; 0: missing
  bool is_reduced;        // a reduced-resolution version of another image
  bool is_raw;            // samples of a camera sensor
} tiff_directory;

typedef struct tiff_pages {
  tiff_directory *items; // `count` directories in the order of page numbers
  uint32_t count, capacity;
  bool broken;     // the chain contains a cycle, or an offset is outside of the file
  bool over_limit; // there are more directories than the limit; `items` is incomplete
} tiff_pages;

// Lists the directories, each one once. tiff_pages_free frees the list, also after a failure.
imgc_status tiff_pages_read(const imgc_request *request, const tiff_input *input, tiff_pages *pages,
                            imgc_report *report);
void tiff_pages_free(tiff_pages *pages);

// Finds page `request->page`. Without SubIFDs and reduced images before it, page 0 is the first
// directory; the others are then not read.
imgc_status tiff_locate_page(const imgc_request *request, const tiff_input *input,
                             tiff_directory *directory, imgc_report *report);

#endif
