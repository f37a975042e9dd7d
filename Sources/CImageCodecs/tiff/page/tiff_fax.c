#include "tiff/page/tiff_fax.h"

#include <stdlib.h>
#include <string.h>

void tiff_fax_clear(tiff_fax_notes *notes) {
  *notes = (tiff_fax_notes){TIFF_NO_ROW, TIFF_NO_ROW, TIFF_NO_ROW, TIFF_NO_ROW};
}

// Parses the messages of libtiff 4.0 to 4.7 about CCITT rows, for example "Premature EOL at line 4
// of strip 0 (got 0, expected 16)", "Premature EOF at line 4 of strip 0 (x 3)", "Bad code word at
// line 4 of tile 2 (x 3)".
void tiff_fax_note(tiff_fax_notes *notes, const char *message, bool is_error) {
  const char *at = strstr(message, " at line ");
  if (!at) return;
  uint32_t line = (uint32_t)strtoul(at + 9, NULL, 10);
  if (is_error) {
    if (notes->first_invalid == TIFF_NO_ROW) notes->first_invalid = line;
  } else if (strstr(at, "(got 0,")) {
    bool continues = notes->empty_last != TIFF_NO_ROW && line == notes->empty_last + 1;
    if (!continues && line != notes->empty_last) notes->empty_first = line;
    notes->empty_last = line;
  } else if (strstr(message, "Premature EOL")) {
    notes->last_short = line;
  } else if (strstr(message, "Premature EOF") && !strstr(at, "(x 0)")) {
    notes->last_short = line;
  }
}

uint64_t tiff_fax_complete(const tiff_fax_notes *notes, uint64_t written, uint64_t wanted,
                           bool *has_part) {
  uint64_t rows = written;
  bool ended = written < wanted;
  if (rows > 0 && notes->empty_last == rows - 1) {
    ended = true;
    rows = notes->empty_first;
  }
  *has_part = ended && rows > 0 && notes->last_short == rows - 1;
  return *has_part ? rows - 1 : rows;
}
