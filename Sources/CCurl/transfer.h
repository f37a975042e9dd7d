// The state of a transfer and the options of libcurl.

#ifndef PICU_TRANSFER_H
#define PICU_TRANSFER_H

#include "CPlatformImageCurl.h"
#include "library.h"
#include "sockets.h"

// Numbers of options and results that the headers of 7.76 lack. The binary interface of libcurl is
// stable.
enum {
  OPTION_CA_CACHE_TIMEOUT = 321,      // 7.87
  OPTION_CAINFO_BLOB = 40309,         // 7.77
  OPTION_PREREQFUNCTION = 20312,      // 7.80
  OPTION_PREREQDATA = 10313,          // 7.80
  OPTION_PROTOCOLS_STR = 10318,       // 7.85
  OPTION_REDIR_PROTOCOLS_STR = 10319, // 7.85
};

struct picu_multi {
  CURLM *handle;
  picu_sockets sockets;
};

struct picu_transfer {
  CURL *easy;
  picu_multi *multi;
  void *context;
  const picu_callbacks *callbacks;
  // The request; libcurl does not copy the list of fields.
  char *text;
  size_t text_capacity;
  struct curl_slist *fields;
  size_t field_capacity;
  struct curl_slist address;
  char *address_text;
  uint64_t roots_id;
  int roots_file;
  bool uses_roots_file; // no connection, session or certificate is shared with other requests
  bool is_started;
  // The progress of the request: how often it was sent, and the answer for another time.
  int attempts;
  int answered_attempts;
  bool may_repeat;
  bool has_opened_socket;
  bool is_reused;
  bool has_response;
  bool is_secure;
  picu_socket_use use;
  uint64_t received;
  char error[CURL_ERROR_SIZE];
};

// setopt reads its variadic argument by the kind of the option; one function per kind has the right
// types.
static inline CURLcode set_long(picu_transfer *t, int option, long value) {
  return picu_curl.easy_setopt(t->easy, (CURLoption)option, value);
}
static inline CURLcode set_text(picu_transfer *t, int option, const char *value) {
  return picu_curl.easy_setopt(t->easy, (CURLoption)option, value);
}
static inline CURLcode set_pointer(picu_transfer *t, int option, void *value) {
  return picu_curl.easy_setopt(t->easy, (CURLoption)option, value);
}
static inline CURLcode set_function(picu_transfer *t, int option, void (*value)(void)) {
  return picu_curl.easy_setopt(t->easy, (CURLoption)option, value);
}

// Sets the options that differ between requests.
CURLcode picu_set_request(picu_transfer *t, const picu_request *request);

#endif
