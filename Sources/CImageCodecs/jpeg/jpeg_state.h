// The state of one JPEG decode, which the files of the codec share: jpeg_markers.c walks the
// segments, jpeg_library.c runs libjpeg-turbo and stops it, jpeg_arrays.c keeps its coefficients,
// jpeg.c reads headers, jpeg_rows.c decodes, baseline/ does that for thumbnails of plain files.

#ifndef IMGC_JPEG_STATE_H
#define IMGC_JPEG_STATE_H

#include "core/dest.h"
#include "jpeg/baseline/jpeg_baseline.h"
#include "jpeg/jpeg_scans.h"

#include <setjmp.h>

enum {
  IMGC_JPEG_BAND = 32,  // rows that are turned at once
  IMGC_JPEG_BATCH = 16, // rows between two polls, and in the band of a sink
};

// Coefficients of one component, all scans: rows of blocks in one piece.
typedef struct jpeg_array {
  JBLOCKROW blocks; // NULL until libjpeg wants it realised
  JBLOCKARRAY rows; // the start of each row
  size_t row_blocks;
  size_t row_count;
  size_t used_rows; // zeroed, and maybe written since; the rest holds anything
} jpeg_array;

// All that must outlive a jump. A caller of imgc_jpeg_run owns it, zeroed at first.
typedef struct jpeg_state {
  struct jpeg_decompress_struct cinfo;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  jmp_buf jump;

  const imgc_request *request;
  imgc_report *report;
  imgc_header *header;     // read_header only
  const imgc_place *place; // decode only

  // The input. `size` is less than the request's on a second try, see jpeg_rows.c.
  size_t size;
  jpeg_left_out left_out; // scans that libjpeg is not shown
  uint32_t parts_passed;  // of these
  bool ended;             // the source ran dry and inserted an EOI
  uint32_t end_row;       // iMCU row of the input at that moment
  bool is_short;          // and then entropy data was missing
  uint32_t short_row;     // iMCU row in which
  uint32_t short_scan;    // scan in which, from 1

  bool failed; // libjpeg gave up; `code` is its message
  int code;

  bool is_repaired; // second try: `size` ends before what libjpeg did not take

  jpeg_array arrays[MAX_COMPONENTS];
  int array_count;
  void (*realize)(j_common_ptr); // libjpeg's own, for what is not ours

  // Scans read before the first row.
  bool consuming;
  int scan;              // last one that was counted
  uint64_t scan_samples; // visited, and charged for warnings
  size_t safe_size;      // bytes read before the present step

  // Rows; decode only.
  jpeg_baseline *baseline; // reads them in libjpeg's place, or NULL
  bool gave_up;            // it could not
  uint8_t *band;           // RGBA8 rows on their way to a turned place, or NULL
  uint8_t *cmyk;           // rows on their way to RGBA8, or NULL
  size_t stride;           // bytes a row of both
  uint32_t rows;           // written to the place
  uint32_t waiting;        // read by libjpeg after those, not written yet
  bool is_complete;        // decode_rows came to its end; the next two are valid
  bool has_end;            // an EOI follows the last row
  uint32_t intact;         // rows from the top that were complete before the input ended
} jpeg_state;

#endif
