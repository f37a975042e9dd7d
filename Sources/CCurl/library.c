#define _GNU_SOURCE
#include "library.h"

#include "CPlatformImageCurl.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

picu_library picu_curl;

enum { LARGE_BLOCK_BYTES = 1 << 20 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *failure = "libcurl is not loaded";
static char failure_text[256];
static char version_text[128];
static const curl_version_info_data *version;
static bool has_certificate_folder;

// libcurl.so.4 of the distribution; -gnutls is the other build of Debian, which curl programs there
// do not use.
#ifdef __APPLE__
static const char *const names[] = {"/usr/lib/libcurl.4.dylib", "libcurl.4.dylib"};
#else
static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
#endif

// True if the folder contains a certificate that OpenSSL finds: 8 hexadecimal digits, a dot and a
// number. A container image often contains only the file with all certificates.
static bool has_hashed_certificate(const char *path) {
  DIR *folder = opendir(path);
  if (!folder) return false;
  bool found = false;
  for (struct dirent *entry; !found && (entry = readdir(folder));) {
    size_t digits = 0;
    while (digits < 8 && isxdigit((unsigned char)entry->d_name[digits])) digits++;
    found = digits == 8 && entry->d_name[8] == '.' && isdigit((unsigned char)entry->d_name[9]);
  }
  closedir(folder);
  return found;
}

static bool find(void *library, const char *name, void *function) {
  void *address = dlsym(library, name);
  if (!address) {
    snprintf(failure_text, sizeof failure_text, "libcurl has no function %s", name);
    return false;
  }
  memcpy(function, &address, sizeof address);
  return true;
}

static void load(void) {
  void *library = NULL;
  for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  failure = failure_text;
  if (!library) {
    snprintf(failure_text, sizeof failure_text,
             "libcurl is not installed: the dynamic linker finds neither %s nor %s", names[0],
             names[1]);
    return;
  }
  const struct {
    const char *name;
    void *function;
  } functions[] = {
      {"curl_global_init", &picu_curl.global_init},
      {"curl_version_info", &picu_curl.version_info},
      {"curl_easy_init", &picu_curl.easy_init},
      {"curl_easy_setopt", &picu_curl.easy_setopt},
      {"curl_easy_getinfo", &picu_curl.easy_getinfo},
      {"curl_easy_pause", &picu_curl.easy_pause},
      {"curl_easy_cleanup", &picu_curl.easy_cleanup},
      {"curl_multi_init", &picu_curl.multi_init},
      {"curl_multi_setopt", &picu_curl.multi_setopt},
      {"curl_multi_add_handle", &picu_curl.multi_add_handle},
      {"curl_multi_remove_handle", &picu_curl.multi_remove_handle},
      {"curl_multi_perform", &picu_curl.multi_perform},
      {"curl_multi_poll", &picu_curl.multi_poll},
      {"curl_multi_wakeup", &picu_curl.multi_wakeup},
      {"curl_multi_info_read", &picu_curl.multi_info_read},
      {"curl_multi_cleanup", &picu_curl.multi_cleanup},
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!find(library, functions[i].name, functions[i].function)) return;
  // Thread safe by itself only from 7.84 on.
  CURLcode code = picu_curl.global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) {
    snprintf(failure_text, sizeof failure_text, "libcurl failed to initialise (code %d)",
             (int)code);
    return;
  }
  version = picu_curl.version_info(CURLVERSION_NOW);
  if (version->version_num < 0x074c00) {
    snprintf(failure_text, sizeof failure_text, "libcurl %s is too old: 7.76 is required",
             version->version);
    return;
  }
  if (!(version->features & CURL_VERSION_SSL)) {
    snprintf(failure_text, sizeof failure_text, "libcurl %s is built without TLS",
             version->version);
    return;
  }
  snprintf(version_text, sizeof version_text, "%s %s", version->version, version->ssl_version);
  has_certificate_folder = version->capath && has_hashed_certificate(version->capath);
  failure = NULL;
}

const char *picu_load(void) {
  pthread_once(&once, load);
  return failure;
}

const char *picu_version_text(void) { return version_text; }

uint32_t picu_version(void) { return version ? (uint32_t)version->version_num : 0; }

const char *picu_certificate_folder(void) {
  return has_certificate_folder ? version->capath : NULL;
}

const char *picu_certificate_file(void) { return version ? version->cainfo : NULL; }

int64_t picu_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void picu_prepare_thread(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
#ifdef __APPLE__
  pthread_setname_np("image-http");
#else
  pthread_setname_np(pthread_self(), "image-http");
#endif
  // glibc returns memory to the system when more than 128 KiB at the end of a thread's heap are
  // free, and the buffers of a few transfers are more: that costs 8 % of the time of a request.
  // Freeing a larger block raises the limit to twice its size.
  void *volatile block = malloc(LARGE_BLOCK_BYTES);
  free(block);
}
