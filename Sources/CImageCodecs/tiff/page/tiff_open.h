// A libtiff handle for a file in memory, with message handlers for this handle only.

#ifndef IMGC_TIFF_OPEN_H
#define IMGC_TIFF_OPEN_H

#include "tiff/page/tiff_fax.h"
#include "tiff/page/tiff_ifd.h"

#if !__has_include(<tiffio.h>)
#error "tiffio.h not found: apt-get install libtiff-dev (brew install libtiff)"
#endif
#include <tiffio.h>

// Memory in bytes that every page needs: libtiff's handle, directory and codec state, and the
// tables of the decoder.
enum { TIFF_BASE_BYTES = 512 << 10 };

typedef struct tiff_file {
  tiff_input input;
  tiff_page page;
  uint64_t position; // file position of the read callback
  TIFF *tif;
  uint32_t warnings; // since the last reset to 0
  uint32_t errors;
  char message[128];  // the first error since `errors` was reset
  bool over_limit;    // libtiff rejected an allocation
  tiff_fax_notes fax; // row numbers in libtiff's messages since tiff_fax_clear
} tiff_file;

// Opens the page that the request selects. Call tiff_close after success and failure.
imgc_status tiff_open(const imgc_request *request, tiff_file *file, imgc_report *report);
void tiff_close(tiff_file *file);

#endif
