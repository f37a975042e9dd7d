#define _GNU_SOURCE
#include "transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Copies the fields and links them; a list of libcurl would need two allocations per field.
static bool set_fields(picu_transfer *t, const picu_request *request) {
  size_t size = 0;
  for (size_t i = 0; i < request->field_count; i++) size += strlen(request->fields + size) + 1;
  if (size > t->text_capacity) {
    char *text = realloc(t->text, size);
    if (!text) return false;
    t->text = text;
    t->text_capacity = size;
  }
  if (request->field_count > t->field_capacity) {
    struct curl_slist *fields = realloc(t->fields, request->field_count * sizeof *fields);
    if (!fields) return false;
    t->fields = fields;
    t->field_capacity = request->field_count;
  }
  if (size) memcpy(t->text, request->fields, size);
  char *text = t->text;
  for (size_t i = 0; i < request->field_count; i++) {
    bool is_last = i + 1 == request->field_count;
    t->fields[i] = (struct curl_slist){.data = text, .next = is_last ? NULL : &t->fields[i + 1]};
    text += strlen(text) + 1;
  }
  return set_pointer(t, CURLOPT_HTTPHEADER, request->field_count ? t->fields : NULL) == CURLE_OK;
}

static bool set_address(picu_transfer *t, const char *address) {
  if (!address && !t->address_text) return true;
  free(t->address_text);
  t->address_text = address ? strdup(address) : NULL;
  if (address && !t->address_text) return false;
  t->address = (struct curl_slist){.data = t->address_text};
  return set_pointer(t, CURLOPT_CONNECT_TO, address ? &t->address : NULL) == CURLE_OK;
}

// Returns the certificates of a file and the additional ones; NULL if the file cannot be read.
static char *with_file(const char *path, const picu_request *request, size_t *size) {
  FILE *file = fopen(path, "re");
  if (!file) return NULL;
  char *text = NULL;
  if (fseek(file, 0, SEEK_END) == 0) {
    long length = ftell(file);
    rewind(file);
    if (length >= 0 && (text = malloc((size_t)length + 1 + request->roots_size))) {
      size_t count = fread(text, 1, (size_t)length, file);
      text[count++] = '\n';
      memcpy(text + count, request->roots, request->roots_size);
      *size = count + request->roots_size;
    }
  }
  fclose(file);
  return text;
}

// A file without a name, for versions and TLS libraries that read certificates only from files.
static CURLcode set_roots_file(picu_transfer *t, const char *roots, size_t size) {
#ifdef __linux__
  if (t->roots_file >= 0) close(t->roots_file);
  t->roots_file = memfd_create("certificates", MFD_CLOEXEC);
  if (t->roots_file < 0) return CURLE_OUT_OF_MEMORY;
  for (size_t written = 0; written < size;) {
    ssize_t count = write(t->roots_file, roots + written, size - written);
    if (count <= 0) return CURLE_OUT_OF_MEMORY;
    written += (size_t)count;
  }
  // libcurl compares the names of files when it reuses a connection, a TLS session or parsed
  // certificates, and other certificates can have this name later.
  t->uses_roots_file = true;
  char path[40];
  snprintf(path, sizeof path, "/proc/self/fd/%d", t->roots_file);
  return set_text(t, CURLOPT_CAINFO, path);
#else
  (void)t, (void)roots, (void)size;
  return CURLE_NOT_BUILT_IN;
#endif
}

// Additional certificates; they replace a file of certificates, but not a folder.
static CURLcode set_roots(picu_transfer *t, const picu_request *request, const char *file) {
  size_t size = request->roots_size;
  char *combined = file ? with_file(file, request, &size) : NULL;
  const char *roots = combined ? combined : request->roots;
  struct curl_blob blob = {.data = (void *)(uintptr_t)roots, .len = size, .flags = CURL_BLOB_COPY};
  CURLcode code = CURLE_NOT_BUILT_IN;
  if (picu_version() >= 0x074d00) code = set_pointer(t, OPTION_CAINFO_BLOB, &blob);
  if (code) code = set_roots_file(t, roots, size);
  free(combined);
  return code;
}

// The folder is read certificate by certificate; Debian's file of all certificates takes 50 ms per
// connection.
static CURLcode set_trust(picu_transfer *t, const picu_request *request) {
  uint64_t id = request->verifies ? request->roots_id : UINT64_MAX - 1;
  if (id == t->roots_id) return CURLE_OK;
  t->roots_id = UINT64_MAX;
  t->uses_roots_file = false;
  const char *folder = request->verifies ? picu_certificate_folder() : NULL;
  const char *file = request->verifies && !folder ? picu_certificate_file() : NULL;
  CURLcode code = set_long(t, CURLOPT_SSL_VERIFYPEER, request->verifies);
  if (!code) code = set_long(t, CURLOPT_SSL_VERIFYHOST, request->verifies ? 2 : 0);
  if (!code) code = set_text(t, CURLOPT_CAPATH, folder);
  if (!code) code = set_text(t, CURLOPT_CAINFO, file);
  if (picu_version() >= 0x074d00) set_pointer(t, OPTION_CAINFO_BLOB, NULL);
  if (!code && request->verifies && request->roots_size) code = set_roots(t, request, file);
  if (!code) code = set_long(t, CURLOPT_SSL_SESSIONID_CACHE, !t->uses_roots_file);
  if (!code) code = set_long(t, CURLOPT_FORBID_REUSE, t->uses_roots_file);
  if (t->uses_roots_file) set_long(t, OPTION_CA_CACHE_TIMEOUT, 0);
  if (!code) t->roots_id = id;
  return code;
}

static CURLcode set_proxy(picu_transfer *t, const picu_request *request) {
  CURLcode code = set_text(t, CURLOPT_PROXY, request->proxy_host ? request->proxy_host : "");
  if (!code && request->proxy_host) {
    code = set_long(t, CURLOPT_PROXYPORT, request->proxy_port);
    if (!code) code = set_text(t, CURLOPT_PROXYUSERNAME, request->proxy_user);
    if (!code) code = set_text(t, CURLOPT_PROXYPASSWORD, request->proxy_password);
  }
  return code;
}

CURLcode picu_set_request(picu_transfer *t, const picu_request *request) {
  CURLcode code = set_text(t, CURLOPT_URL, request->url);
  if (!code) code = set_text(t, CURLOPT_REQUEST_TARGET, request->target);
  // NOBODY first: switching it off would set the method to GET.
  if (!code) code = set_long(t, CURLOPT_NOBODY, request->is_head);
  if (!code && !request->is_head) code = set_long(t, CURLOPT_HTTPGET, 1);
  if (!code) code = set_text(t, CURLOPT_CUSTOMREQUEST, request->method);
  if (!code) code = set_proxy(t, request);
  if (!code) code = set_trust(t, request);
  // Without PIPEWAIT, requests at the same time would open several connections before the first one
  // is known to multiplex.
  long http = request->uses_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1;
  if (!code) code = set_long(t, CURLOPT_HTTP_VERSION, http);
  if (!code) code = set_long(t, CURLOPT_PIPEWAIT, request->uses_http2);
  if (!code) code = set_long(t, CURLOPT_FRESH_CONNECT, request->is_fresh || t->uses_roots_file);
  if (!code) code = set_long(t, CURLOPT_CONNECTTIMEOUT_MS, request->connect_milliseconds);
  if (!code && !(set_fields(t, request) && set_address(t, request->address)))
    code = CURLE_OUT_OF_MEMORY;
  return code;
}
