// Determines, from libtiff's messages, which rows of CCITT data (ITU-T T.4, T.6) are complete.

#ifndef IMGC_TIFF_FAX_H
#define IMGC_TIFF_FAX_H

#include <stdbool.h>
#include <stdint.h>

// Row numbers in libtiff's messages about one strip or tile; TIFF_NO_ROW: none.
typedef struct tiff_fax_notes {
  uint32_t first_invalid; // first row with an invalid code word
  uint32_t last_short;    // last row whose data starts but ends early
  uint32_t empty_first;   // start of the last sequence of rows without any run
  uint32_t empty_last;
} tiff_fax_notes;

enum { TIFF_NO_ROW = UINT32_MAX };

void tiff_fax_clear(tiff_fax_notes *notes);

// Records a formatted message of libtiff; messages without a line number are ignored.
void tiff_fax_note(tiff_fax_notes *notes, const char *message, bool is_error);

// Returns the number of complete rows among the first `written` rows. `written` is less than
// `wanted` when the data ended early. libtiff reports the end codes (EOFB, RTC), and zero bits
// after the data, as rows that end early.
// - has_part: set to true when the data ends inside the row after the complete rows; libtiff has
//   written the decoded runs of this row, and white after them.
uint64_t tiff_fax_complete(const tiff_fax_notes *notes, uint64_t written, uint64_t wanted,
                           bool *has_part);

#endif
