#include "CPlatformImageHostNames.h"

#if !__has_include(<idn2.h>)
#error "libidn2 is missing: install libidn2-dev (apt-get) or libidn2 (brew)"
#endif
#include <idn2.h>
#include <string.h>

pihn_status pihn_to_ascii(const char *name, char *ascii, size_t capacity) {
  char *result = NULL;
  int code = idn2_to_ascii_8z(name, &result, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
  if (code == IDN2_MALLOC) return PIHN_NO_MEMORY;
  if (code != IDN2_OK) return PIHN_INVALID;
  size_t size = strlen(result) + 1;
  if (size <= capacity) memcpy(ascii, result, size);
  idn2_free(result);
  return size <= capacity ? PIHN_OK : PIHN_INVALID;
}
