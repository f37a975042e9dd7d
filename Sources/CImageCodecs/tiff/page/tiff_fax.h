// Rows of CCITT data (ITU-T T.4, T.6) that libtiff decoded before its data ended.

#ifndef IMGC_TIFF_FAX_H
#define IMGC_TIFF_FAX_H

#include <stdbool.h>
#include <stdint.h>

// Row numbers in libtiff's messages about one strip or tile; NO_LINE when there was none.
typedef struct tiff_fax_notes {
  uint32_t first_bad;   // first row with a code word that does not exist
  uint32_t last_short;  // last row that began and ended early
  uint32_t empty_first; // the last rows in sequence that ended before their first run
  uint32_t empty_last;
} tiff_fax_notes;

enum { TIFF_NO_LINE = UINT32_MAX };

void tiff_fax_clear(tiff_fax_notes *notes);

// Records a formatted message of libtiff; messages that name no line change nothing.
void tiff_fax_note(tiff_fax_notes *notes, const char *message, bool is_error);

// Complete rows among the first `written`, which is less than `wanted` when the data ended early.
// The end codes (EOFB, RTC) and zero bits behind the data show up as rows that end early.
uint64_t tiff_fax_complete(const tiff_fax_notes *notes, uint64_t written, uint64_t wanted);

#endif
