#include "CPlatformImageCurlBaseline.h"

#if !__has_include(<curl/curl.h>)
#error "libcurl not found: apt-get install libcurl4-openssl-dev"
#endif

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// One easy handle and the body that it receives.
struct slot {
  CURL *easy;
  char *body;
  size_t capacity, received;
  size_t number;
  bool keeps_body, is_added;
};

struct picb_client {
  CURLM *multi;
  struct slot *slots;
  size_t slot_count;
};

static size_t receive(char *data, size_t one, size_t size, void *context) {
  (void)one;
  struct slot *slot = context;
  if (slot->keeps_body) {
    if (size > slot->capacity - slot->received) return 0;
    memcpy(slot->body + slot->received, data, size);
  }
  slot->received += size;
  return size;
}

picb_client *picb_client_new(size_t concurrency) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  picb_client *client = calloc(1, sizeof *client);
  if (!client) return NULL;
  client->multi = curl_multi_init();
  client->slots = calloc(concurrency, sizeof *client->slots);
  if (!client->multi || !client->slots) {
    picb_client_free(client);
    return NULL;
  }
  client->slot_count = concurrency;
  curl_multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, (long)concurrency);
  for (size_t index = 0; index < concurrency; index++) {
    struct slot *slot = &client->slots[index];
    slot->easy = curl_easy_init();
    if (!slot->easy) {
      picb_client_free(client);
      return NULL;
    }
    curl_easy_setopt(slot->easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(slot->easy, CURLOPT_WRITEDATA, slot);
    curl_easy_setopt(slot->easy, CURLOPT_PRIVATE, slot);
    curl_easy_setopt(slot->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(slot->easy, CURLOPT_PROXY, "");
  }
  return client;
}

void picb_client_free(picb_client *client) {
  if (!client) return;
  for (size_t index = 0; index < client->slot_count; index++) {
    struct slot *slot = &client->slots[index];
    if (slot->is_added) curl_multi_remove_handle(client->multi, slot->easy);
    if (slot->easy) curl_easy_cleanup(slot->easy);
    free(slot->body);
  }
  free(client->slots);
  if (client->multi) curl_multi_cleanup(client->multi);
  free(client);
}

static bool start(picb_client *client, struct slot *slot, const char *base, size_t number) {
  char url[1024];
  const int length = snprintf(url, sizeof url, "%s/%zu.bin", base, number);
  if (length < 0 || (size_t)length >= sizeof url) return false;
  slot->number = number;
  slot->received = 0;
  if (curl_easy_setopt(slot->easy, CURLOPT_URL, url) != CURLE_OK) return false;
  slot->is_added = curl_multi_add_handle(client->multi, slot->easy) == CURLM_OK;
  return slot->is_added;
}

static bool write_file(const struct slot *slot, const char *folder) {
  char path[1024], draft[1032];
  const int length = snprintf(path, sizeof path, "%s/%zu", folder, slot->number);
  if (length < 0 || (size_t)length >= sizeof path) return false;
  snprintf(draft, sizeof draft, "%s.tmp", path);
  const int descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return false;
  size_t written = 0;
  while (written < slot->received) {
    const ssize_t count = write(descriptor, slot->body + written, slot->received - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    written += (size_t)count;
  }
  return close(descriptor) == 0 && written == slot->received && rename(draft, path) == 0;
}

// Ends a finished download; returns false with a reason when it failed.
static bool finish(const struct slot *slot, CURLcode result, size_t bytes, const char *folder,
                   char *error) {
  long status = 0;
  curl_easy_getinfo(slot->easy, CURLINFO_RESPONSE_CODE, &status);
  if (result != CURLE_OK || status != 200 || slot->received != bytes) {
    snprintf(error, PICB_ERROR_BYTES, "libcurl: %s, status %ld, %zu of %zu bytes",
             curl_easy_strerror(result), status, slot->received, bytes);
    return false;
  }
  if (folder && !write_file(slot, folder)) {
    snprintf(error, PICB_ERROR_BYTES, "cannot write the body %zu: %s", slot->number,
             strerror(errno));
    return false;
  }
  return true;
}

static bool prepare(picb_client *client, size_t bytes, bool keeps_body) {
  for (size_t index = 0; index < client->slot_count; index++) {
    struct slot *slot = &client->slots[index];
    slot->keeps_body = keeps_body;
    if (!keeps_body || slot->capacity >= bytes) continue;
    free(slot->body);
    slot->body = malloc(bytes ? bytes : 1);
    slot->capacity = slot->body ? bytes : 0;
    if (!slot->body) return false;
  }
  return true;
}

bool picb_download(picb_client *client, const char *base, size_t count, size_t bytes,
                   const char *folder, char *error) {
  snprintf(error, PICB_ERROR_BYTES, "libcurl cannot start a download");
  if (!prepare(client, bytes, folder != NULL)) return false;
  size_t next = 0, done = 0;
  for (size_t index = 0; index < client->slot_count && next < count; index++) {
    if (!start(client, &client->slots[index], base, next++)) return false;
  }
  while (done < count) {
    int running = 0, left = 0;
    if (curl_multi_perform(client->multi, &running) != CURLM_OK) return false;
    CURLMsg *message = NULL;
    bool has_ended = false;
    while ((message = curl_multi_info_read(client->multi, &left))) {
      if (message->msg != CURLMSG_DONE) continue;
      struct slot *slot = NULL;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&slot);
      const CURLcode result = message->data.result;
      curl_multi_remove_handle(client->multi, slot->easy);
      slot->is_added = false;
      if (!finish(slot, result, bytes, folder, error)) return false;
      done++;
      has_ended = true;
      if (next < count && !start(client, slot, base, next++)) return false;
    }
    if (!has_ended && done < count) curl_multi_poll(client->multi, NULL, 0, 1000, NULL);
  }
  return true;
}
