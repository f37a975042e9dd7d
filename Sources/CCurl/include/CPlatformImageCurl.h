// CPlatformImageCurl: HTTP exchanges by libcurl 7.76 or newer, which is loaded when the first
// transfer needs it.
//
// A program that links libcurl loads its 33 libraries at every start (6 ms); dlopen delays that to
// the first request.
//
// picu_load and picu_multi_wakeup may be called on any thread. All other functions that have a
// multi or a transfer as an argument are called on one thread, the one that created the multi;
// callbacks run on that thread, too. Strings are copied unless the comment says otherwise.

#ifndef CPLATFORMIMAGECURL_H
#define CPLATFORMIMAGECURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Loads libcurl once. Returns NULL on success, otherwise one line of text that says why it cannot
// be used.
const char *picu_load(void);
// The version of the loaded library, such as "7.88.1 OpenSSL/3.0.19", and as a number, such as
// 0x075801.
const char *picu_version_text(void);
uint32_t picu_version(void);
// The folder of trusted certificates, named by their hash, that libcurl was built with; NULL if
// there is none.
const char *picu_certificate_folder(void);
// The file of trusted certificates that libcurl was built with; NULL if there is none.
const char *picu_certificate_file(void);

// Nanoseconds of a clock that only advances.
int64_t picu_now(void);
// Names the calling thread and blocks all its signals: libcurl before 7.87 writes to TLS sockets
// without MSG_NOSIGNAL.
void picu_prepare_thread(void);

// Parses certificates in PEM form with libcrypto and returns them again as PEM, which the caller
// frees with free(); NULL if `pem` contains no certificate or an invalid one. One invalid
// certificate makes libcurl ignore all.
char *picu_certificates(const char *pem, size_t size, size_t *result_size);
// Returns the text of libcrypto for a result of certificate verification.
const char *picu_verify_text(long result);

// A set of transfers with their connections.
typedef struct picu_multi picu_multi;
// One reusable transfer.
typedef struct picu_transfer picu_transfer;

// Functions that a transfer calls; `context` is the one of picu_transfer_new.
typedef struct picu_callbacks {
  // One line of a head or of trailers with its line end. False ends the transfer.
  bool (*line)(void *context, const uint8_t *bytes, size_t size);
  // Bytes of a body; of HTTP/1 with the chunked coding that the message has. False ends the
  // transfer.
  bool (*body)(void *context, const uint8_t *bytes, size_t size);
  // A connection will be made to this IP address in text form. False refuses it.
  bool (*admits)(void *context, const char *address);
  // libcurl will repeat the request, because a reused connection broke, or the server refused an
  // HTTP/2 stream or requires HTTP/1.1. `is_reused` is true if the previous attempt used a
  // connection of an earlier request, `has_response` if it received bytes of a response. False
  // ends the transfer. Not called before libcurl 7.80.
  bool (*repeats)(void *context, bool is_reused, bool has_response);
  // The request will be sent. False ends the transfer. Not called before libcurl 7.80.
  bool (*sends)(void *context);
} picu_callbacks;

// The settings that differ between requests. All strings end with NUL.
typedef struct picu_request {
  const char *url;    // scheme, host and port, and the path "/"
  const char *target; // the request target as sent
  const char *method; // NULL is GET
  bool is_head;       // the response has no body
  const char
      *fields; // `field_count` strings, one after another: "Name: value", "Name;" without a value
  size_t field_count;
  const char *address;    // "::IP:" to connect to an IP address instead of the host; NULL for none
  const char *proxy_host; // NULL for a direct connection
  long proxy_port;
  const char *proxy_user; // NULL for none
  const char *proxy_password;
  bool verifies;     // false accepts every certificate
  uint64_t roots_id; // a different number for different roots; 0 for none
  const char *roots; // additional certificates in PEM form
  size_t roots_size;
  bool uses_http2;           // offers HTTP/2 by ALPN
  bool is_fresh;             // never reuses a connection
  long connect_milliseconds; // maximum time to connect, 1 or more
} picu_request;

// The reasons of a failed transfer.
typedef struct picu_failure {
  long error_number;   // errno of the connection attempt; 0 if there is none
  long verify_result;  // result of the verification of the certificate (X509_V_...)
  const char *message; // libcurl's text; may be empty; valid until the transfer is prepared again
  bool is_reused;      // the connection was one of an earlier request
  bool has_response;   // bytes of a response were received, perhaps less than a line
  bool is_sent;        // false if the failure occurred before the request was sent
} picu_failure;

// Return NULL if memory is exhausted.
picu_multi *picu_multi_new(void);
picu_transfer *picu_transfer_new(picu_multi *multi, void *context, const picu_callbacks *callbacks);
// Closes all connections. All transfers must be freed before.
void picu_multi_free(picu_multi *multi);
// The transfer must not be started.
void picu_transfer_free(picu_transfer *transfer);

// Return libcurl's code, 0 for success.
int picu_transfer_start(picu_transfer *transfer, const picu_request *request);
int picu_multi_perform(picu_multi *multi);
// Waits for network events, for a wakeup, or until the time has elapsed.
int picu_multi_wait(picu_multi *multi, int milliseconds);
// Ends the current or next call of picu_multi_wait.
void picu_multi_wakeup(picu_multi *multi);

// Returns the context of a completed transfer, which is then stopped, and its code; NULL when there
// is none.
void *picu_multi_next_completed(picu_multi *multi, int *code);
// Stops a transfer; its connection is closed unless the response is complete.
void picu_transfer_stop(picu_transfer *transfer);
// Stops or continues to receive. May call the transfer's callbacks.
void picu_transfer_pause(picu_transfer *transfer, bool pauses);
// Returns the reasons after picu_multi_next_completed.
picu_failure picu_transfer_failure(picu_transfer *transfer);

#ifdef __cplusplus
}
#endif
#endif
