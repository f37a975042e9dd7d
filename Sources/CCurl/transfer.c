#include "transfer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Bytes that one call of recv can receive: one call for nearly all images of web pages.
enum { BUFFER_BYTES = 32768 };
// The most connections without a transfer that are kept.
enum { MOST_IDLE_CONNECTIONS = 256, MOST_IDLE_SECONDS = 60 };
// Bytes of a TLS record without content: an alert that announces the end of a connection has fewer.
enum { ALERT_BYTES = 64 };

// Results of the function before a request; the headers of 7.76 lack them.
enum { PREREQ_OK = 0, PREREQ_ABORT = 1 };

static size_t on_line(char *bytes, size_t size, size_t count, void *context) {
  picu_transfer *t = context;
  size_t length = size * count;
  t->received += length;
  return t->callbacks->line(t->context, (const uint8_t *)bytes, length) ? length : 0;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context) {
  picu_transfer *t = context;
  size_t length = size * count;
  t->received += length;
  return t->callbacks->body(t->context, (const uint8_t *)bytes, length) ? length : 0;
}

// True if bytes of a response arrived on a reused connection.
static bool has_received(const picu_transfer *t) {
  return t->is_reused && picu_socket_received(&t->use) > (t->is_secure ? ALERT_BYTES : 0);
}

// Asks once per attempt whether libcurl may repeat the request.
static bool may_send(picu_transfer *t) {
  if (t->attempts == 0) return true;
  if (t->answered_attempts == t->attempts) return t->may_repeat;
  t->answered_attempts = t->attempts;
  t->may_repeat = t->callbacks->repeats(t->context, t->is_reused, has_received(t));
  return t->may_repeat;
}

static curl_socket_t on_open(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)purpose;
  picu_transfer *t = context;
  char text[INET6_ADDRSTRLEN] = "";
  const void *number = NULL;
  if (address->family == AF_INET)
    number = &((const struct sockaddr_in *)(const void *)&address->addr)->sin_addr;
  if (address->family == AF_INET6)
    number = &((const struct sockaddr_in6 *)(const void *)&address->addr)->sin6_addr;
  if (number) inet_ntop(address->family, number, text, sizeof text);
  if (!may_send(t) || !t->callbacks->admits(t->context, text)) return CURL_SOCKET_BAD;
  t->has_opened_socket = true;
  return picu_sockets_open(&t->multi->sockets, address->family, address->socktype,
                           address->protocol);
}

// The context is the multi, because a connection outlives the transfer that opened it.
static int on_close(void *context, curl_socket_t fd) {
  picu_multi *multi = context;
  return picu_sockets_close(&multi->sockets, fd);
}

// libcurl calls this before every request, also before the ones that it repeats by itself.
static int on_request(void *context, char *ip, char *local_ip, int port, int local_port) {
  (void)ip, (void)local_ip, (void)port;
  picu_transfer *t = context;
  if (!may_send(t)) return PREREQ_ABORT;
  t->attempts++;
  t->is_reused = !t->has_opened_socket;
  t->has_opened_socket = false;
  // TLS adds bytes to those that the transfers receive.
  picu_sockets_use(&t->multi->sockets, local_port, t->is_secure, &t->use);
  return t->callbacks->sends(t->context) ? PREREQ_OK : PREREQ_ABORT;
}

picu_multi *picu_multi_new(void) {
  picu_multi *multi = calloc(1, sizeof *multi);
  if (!multi) return NULL;
  multi->handle = picu_curl.multi_init();
  if (!multi->handle) {
    free(multi);
    return NULL;
  }
  picu_curl.multi_setopt(multi->handle, CURLMOPT_MAXCONNECTS, (long)MOST_IDLE_CONNECTIONS);
  picu_curl.multi_setopt(multi->handle, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
  return multi;
}

void picu_multi_free(picu_multi *multi) {
  if (!multi) return;
  picu_curl.multi_cleanup(multi->handle);
  free(multi->sockets.items);
  free(multi);
}

// Everything that libcurl does beyond one exchange is off.
static bool set_constants(picu_transfer *t) {
  bool has_names = picu_version() >= 0x075500;
  CURLcode codes[] = {
      set_pointer(t, CURLOPT_PRIVATE, t),
      set_pointer(t, CURLOPT_ERRORBUFFER, t->error),
      set_function(t, CURLOPT_HEADERFUNCTION, (void (*)(void))on_line),
      set_pointer(t, CURLOPT_HEADERDATA, t),
      set_function(t, CURLOPT_WRITEFUNCTION, (void (*)(void))on_body),
      set_pointer(t, CURLOPT_WRITEDATA, t),
      set_function(t, CURLOPT_OPENSOCKETFUNCTION, (void (*)(void))on_open),
      set_pointer(t, CURLOPT_OPENSOCKETDATA, t),
      set_function(t, CURLOPT_CLOSESOCKETFUNCTION, (void (*)(void))on_close),
      set_pointer(t, CURLOPT_CLOSESOCKETDATA, t->multi),
      set_long(t, CURLOPT_NOSIGNAL, 1),
      set_long(t, CURLOPT_BUFFERSIZE, BUFFER_BYTES),
      set_long(t, CURLOPT_MAXAGE_CONN, MOST_IDLE_SECONDS),
      set_long(t, CURLOPT_FOLLOWLOCATION, 0),
      set_long(t, CURLOPT_HTTP_CONTENT_DECODING, 0),
      // Chunked bodies are decoded by the caller, which limits their framing.
      set_long(t, CURLOPT_HTTP_TRANSFER_DECODING, 0),
      set_long(t, CURLOPT_HTTP09_ALLOWED, 0),
      set_long(t, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
      set_long(t, CURLOPT_PATH_AS_IS, 1),
      set_long(t, CURLOPT_NETRC, CURL_NETRC_IGNORED),
      set_long(t, CURLOPT_HEADEROPT, CURLHEADER_SEPARATE),
      set_text(t, CURLOPT_NOPROXY, ""),
      set_text(t, CURLOPT_PRE_PROXY, ""),
      set_text(t, CURLOPT_PROXY, ""),
      set_long(t, CURLOPT_PROXYTYPE, CURLPROXY_HTTP),
      set_long(t, CURLOPT_PROXYAUTH, CURLAUTH_BASIC),
      set_long(t, CURLOPT_HTTPPROXYTUNNEL, 1),
      set_text(t, has_names ? (int)OPTION_PROTOCOLS_STR : CURLOPT_DEFAULT_PROTOCOL,
               has_names ? "http,https" : "https"),
      set_text(t, has_names ? (int)OPTION_REDIR_PROTOCOLS_STR : CURLOPT_DEFAULT_PROTOCOL,
               has_names ? "http,https" : "https"),
  };
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (codes[i] != CURLE_OK) return false;
  // CURLOPT_PROTOCOLS and CURLOPT_REDIR_PROTOCOLS, which newer headers mark as deprecated.
  if (!has_names && (set_long(t, 181, CURLPROTO_HTTP | CURLPROTO_HTTPS) != CURLE_OK ||
                     set_long(t, 182, CURLPROTO_HTTP | CURLPROTO_HTTPS) != CURLE_OK))
    return false;
  if (picu_version() < 0x075000) return true;
  return set_function(t, OPTION_PREREQFUNCTION, (void (*)(void))on_request) == CURLE_OK &&
         set_pointer(t, OPTION_PREREQDATA, t) == CURLE_OK;
}

picu_transfer *picu_transfer_new(picu_multi *multi, void *context,
                                 const picu_callbacks *callbacks) {
  picu_transfer *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->multi = multi;
  t->context = context;
  t->callbacks = callbacks;
  t->roots_id = UINT64_MAX;
  t->roots_file = -1;
  t->use.fd = -1;
  t->easy = picu_curl.easy_init();
  if (t->easy && set_constants(t)) return t;
  picu_transfer_free(t);
  return NULL;
}

void picu_transfer_free(picu_transfer *t) {
  if (!t) return;
  if (t->easy) picu_curl.easy_cleanup(t->easy);
  picu_sockets_end(&t->multi->sockets, &t->use, 0);
  if (t->roots_file >= 0) close(t->roots_file);
  free(t->text);
  free(t->fields);
  free(t->address_text);
  free(t);
}

int picu_transfer_start(picu_transfer *t, const picu_request *request) {
  t->attempts = 0;
  t->answered_attempts = 0;
  t->has_opened_socket = false;
  t->is_reused = false;
  t->has_response = false;
  t->use = (picu_socket_use){.fd = -1};
  t->received = 0;
  t->error[0] = 0;
  t->is_secure = strncmp(request->url, "https", 5) == 0;
  CURLcode code = picu_set_request(t, request);
  if (code) return (int)code;
  if (picu_curl.multi_add_handle(t->multi->handle, t->easy) != CURLM_OK) return CURLE_FAILED_INIT;
  t->is_started = true;
  return CURLE_OK;
}

int picu_multi_perform(picu_multi *multi) {
  int running = 0;
  return (int)picu_curl.multi_perform(multi->handle, &running);
}

int picu_multi_wait(picu_multi *multi, int milliseconds) {
  int ready = 0;
  return (int)picu_curl.multi_poll(multi->handle, NULL, 0, milliseconds, &ready);
}

void picu_multi_wakeup(picu_multi *multi) { picu_curl.multi_wakeup(multi->handle); }

void *picu_multi_next_completed(picu_multi *multi, int *code) {
  int remaining = 0;
  for (CURLMsg *message; (message = picu_curl.multi_info_read(multi->handle, &remaining));) {
    if (message->msg != CURLMSG_DONE) continue;
    *code = (int)message->data.result;
    picu_transfer *t = NULL;
    picu_curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &t);
    if (*code != CURLE_OK) t->has_response = has_received(t);
    picu_transfer_stop(t);
    return t->context;
  }
  return NULL;
}

void picu_transfer_stop(picu_transfer *t) {
  if (!t->is_started) return;
  picu_curl.multi_remove_handle(t->multi->handle, t->easy);
  t->is_started = false;
  picu_sockets_end(&t->multi->sockets, &t->use, t->received);
}

void picu_transfer_pause(picu_transfer *t, bool pauses) {
  if (t->is_started) picu_curl.easy_pause(t->easy, pauses ? CURLPAUSE_RECV : CURLPAUSE_CONT);
}

picu_failure picu_transfer_failure(picu_transfer *t) {
  picu_failure failure = {.message = t->error,
                          .is_reused = t->is_reused,
                          .has_response = t->has_response,
                          .is_sent = t->attempts > 0};
  curl_off_t until_sent = 0;
  // Before 7.80 no function is called before a request is sent.
  if (picu_version() < 0x075000 &&
      picu_curl.easy_getinfo(t->easy, CURLINFO_PRETRANSFER_TIME_T, &until_sent) == CURLE_OK)
    failure.is_sent = until_sent > 0;
  picu_curl.easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &failure.error_number);
  picu_curl.easy_getinfo(t->easy, CURLINFO_SSL_VERIFYRESULT, &failure.verify_result);
  return failure;
}
