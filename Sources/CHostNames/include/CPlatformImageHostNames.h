// CPlatformImageHostNames: internationalized host names (UTS 46, RFC 5891), with libidn2.

#ifndef CHOSTNAMES_H
#define CHOSTNAMES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pihn_status {
  PIHN_OK = 0,
  // The name is not valid under IDNA 2008 (for example, it contains a forbidden character), is not
  // valid UTF-8, or its ASCII form is too long. Not every forbidden ASCII character is detected: a
  // space is accepted.
  PIHN_INVALID = 1,
  PIHN_NO_MEMORY = 2,
} pihn_status;

// Writes the ASCII form of a name to `ascii`, with a NUL at the end. Labels with other characters
// become A-labels (Punycode, RFC 3492, with the prefix "xn--").
//
// name:     UTF-8 with a NUL at the end; mapped as in UTS 46 (non-transitional), for example to
//           lower case and from full-width to ASCII digits.
// capacity: size of `ascii` in bytes; a longer result is PIHN_INVALID.
pihn_status pihn_to_ascii(const char *name, char *ascii, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
