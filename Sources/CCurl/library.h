// The functions of libcurl, found at run time.

#ifndef PICU_LIBRARY_H
#define PICU_LIBRARY_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdbool.h>

// Pointers to the functions of libcurl; valid after picu_load has succeeded.
typedef struct picu_library {
  CURLcode (*global_init)(long flags);
  curl_version_info_data *(*version_info)(CURLversion age);
  CURL *(*easy_init)(void);
  CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
  CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
  CURLcode (*easy_pause)(CURL *easy, int bitmask);
  void (*easy_cleanup)(CURL *easy);
  CURLM *(*multi_init)(void);
  CURLMcode (*multi_setopt)(CURLM *multi, CURLMoption option, ...);
  CURLMcode (*multi_add_handle)(CURLM *multi, CURL *easy);
  CURLMcode (*multi_remove_handle)(CURLM *multi, CURL *easy);
  CURLMcode (*multi_perform)(CURLM *multi, int *running);
  CURLMcode (*multi_poll)(CURLM *multi, struct curl_waitfd *fds, unsigned count, int milliseconds,
                          int *ready);
  CURLMcode (*multi_wakeup)(CURLM *multi);
  CURLMsg *(*multi_info_read)(CURLM *multi, int *remaining);
  CURLMcode (*multi_cleanup)(CURLM *multi);
} picu_library;

extern picu_library picu_curl;

#endif
