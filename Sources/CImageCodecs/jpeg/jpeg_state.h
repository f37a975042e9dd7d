// The state of one JPEG decode, shared by the codec's files: jpeg_markers.c parses the segments,
// jpeg_library.c runs libjpeg-turbo and handles its errors, jpeg_arrays.c allocates the
// coefficients, jpeg.c reads headers, jpeg_rows.c decodes, baseline/ decodes reduced baseline
// files.

#ifndef IMGC_JPEG_STATE_H
#define IMGC_JPEG_STATE_H

#include "core/dest.h"
#include "jpeg/baseline/jpeg_baseline.h"
#include "jpeg/jpeg_scans.h"

#include <setjmp.h>

enum {
  IMGC_JPEG_BAND = 32,  // rows that are transposed together
  IMGC_JPEG_BATCH = 16, // rows between two polls, and rows of the band buffer
};

// Coefficients of one component, all scans: rows of blocks in one allocation.
typedef struct jpeg_array {
  JBLOCKROW blocks; // NULL until libjpeg realizes the array
  JBLOCKARRAY rows; // the start of each row
  size_t row_blocks;
  size_t row_count;
  size_t used_rows; // zeroed and possibly written; later rows are uninitialized
} jpeg_array;

// The data that must be valid after a longjmp. The caller of imgc_jpeg_run allocates the struct and
// initializes it to zero.
typedef struct jpeg_state {
  struct jpeg_decompress_struct cinfo;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  jmp_buf jump;

  const imgc_request *request;
  imgc_report *report;
  imgc_header *header;   // read_header only
  const imgc_dest *dest; // decode only

  // Input. In a second decode `size` can be smaller than request->size; see imgc_jpeg_decode.
  size_t size;
  jpeg_skipped_scans skipped_scans; // scans that libjpeg does not read
  uint32_t skipped_count;           // number of scans skipped so far
  bool ended;                       // the source reached the end and inserted an EOI
  uint32_t end_row;                 // iMCU row of the input when `ended` was set
  bool data_is_missing;             // entropy data was missing after the end
  uint32_t missing_row;             // iMCU row where entropy data was missing
  uint32_t missing_scan;            // scan where entropy data was missing, from 1

  bool failed; // libjpeg failed; `code` is its message code
  int code;

  bool is_repaired; // second decode: `size` ends before the part that libjpeg rejected

  jpeg_array arrays[MAX_COMPONENTS];
  int array_count;
  void (*realize)(j_common_ptr); // libjpeg's function, called for arrays that are not replaced

  // The fields up to safe_size are for files with several scans, which libjpeg reads before the
  // first row.
  bool reads_all_scans;
  int scan;              // number of the last scan that is included in scan_samples
  uint64_t scan_samples; // visited samples, plus the cost of warnings
  uint64_t counted_work; // of scans that are charged, but not read yet (jpeg_work.h)
  size_t safe_size;      // bytes read before the current step

  // The remaining fields are for reading rows. Only jpeg_rows.c uses them.
  jpeg_baseline *baseline; // reads the rows instead of libjpeg, or NULL
  bool baseline_failed;    // the baseline decoder could not decode the file
  uint8_t *band;           // RGBA8 rows before a transposition, or NULL
  uint8_t *cmyk;           // rows before the conversion to RGBA8, or NULL
  size_t stride;           // bytes per row of both buffers
  uint32_t rows;           // rows written to the destination
  uint32_t buffered_rows;  // rows read but not written yet
  bool is_complete;        // decode_step returned; has_end is valid
  bool has_end;            // an EOI follows the last row
  uint32_t intact_rows;    // complete rows from the top before the input ended
} jpeg_state;

#endif
