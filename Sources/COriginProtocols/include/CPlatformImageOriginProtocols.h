// CPlatformImageOriginProtocols: the parts of the test origin that need C libraries: sockets,
// certificates and TLS (OpenSSL), HTTP/2 (nghttp2).
//
// No function blocks. Memory and objects that a function returns are released by the function with
// the suffix _free, which accepts NULL. An object is used by one thread at a time.

#ifndef CPLATFORMIMAGEORIGINPROTOCOLS_H
#define CPLATFORMIMAGEORIGINPROTOCOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Sockets and pipes. All descriptors are non-blocking and are closed in child programs
// (FD_CLOEXEC).

// Listens on a numeric IP address and writes the bound port; port 0 selects a free one.
// Returns the socket, or a negative errno value.
int piop_listen(const char *host, uint16_t port, uint16_t *bound);
// Accepts one connection, with TCP_NODELAY. Returns the socket, or a negative errno value.
int piop_accept(int listener);
// Writes the read end and the write end of a new pipe. Returns 0, or a negative errno value.
int piop_pipe(int ends[2]);
// Receives at most `size` bytes. Returns their number, 0 when none are available, and -1 when the
// peer has closed the connection or it has failed.
ptrdiff_t piop_receive(int socket, void *bytes, size_t size);
// Sends at most `size` bytes, without SIGPIPE. Returns their number, 0 when the socket accepts none
// at present, and -1 when the connection has failed.
ptrdiff_t piop_send(int socket, const void *bytes, size_t size);

// Bytes that a function returns; NULL and 0 for none.
typedef struct piop_bytes {
  uint8_t *bytes;
  size_t size;
} piop_bytes;

// Releases the bytes and sets them to none.
void piop_bytes_free(piop_bytes *bytes);

// Certificates.

typedef struct piop_certificate_request {
  // Names of the extension subjectAltName; it is omitted when there are none (RFC 5280
  // section 4.2.1.6).
  const char *const *hosts;
  size_t host_count;
  // True adds 127.0.0.1 to subjectAltName.
  bool covers_loopback;
  // Common name of the subject, in UTF-8; ignored when the subject is that of the issuer.
  const char *common_name;
  // Certificate and private key in DER form that sign; NULL and 0 for a self-signed certificate.
  const uint8_t *issuer;
  size_t issuer_size;
  const uint8_t *issuer_key;
  size_t issuer_key_size;
  // True uses the name of the issuer as the subject.
  bool shares_issuer_name;
  // yymmddhhmmssZ (RFC 5280 section 4.1.2.5.1).
  const char *not_before;
  const char *not_after;
} piop_certificate_request;

// Makes a certificate authority's X.509 certificate with a new P-256 key: the certificate in DER
// and PEM form, and the private key in DER form. Returns false without any of them when the request
// is invalid or memory is exhausted.
bool piop_certificate_make(const piop_certificate_request *request, piop_bytes *der,
                           piop_bytes *pem, piop_bytes *key);

// TLS servers without a socket: the caller moves the encrypted bytes.

// Certificate, key and protocols of a server. Connections refer to it as long as they need it.
typedef struct piop_tls_context piop_tls_context;

// Returns NULL when the certificate or the key, both in DER form, is invalid. `speaks_http2` offers
// h2 by ALPN, preferred to http/1.1.
piop_tls_context *piop_tls_context_new(const uint8_t *certificate, size_t certificate_size,
                                       const uint8_t *key, size_t key_size, bool speaks_http2);
void piop_tls_context_free(piop_tls_context *context);

// One connection.
typedef struct piop_tls piop_tls;

// Returns NULL when memory is exhausted.
piop_tls *piop_tls_new(const piop_tls_context *context);
void piop_tls_free(piop_tls *tls);
// Adds bytes that were received from the client. Returns false when memory is exhausted.
bool piop_tls_add_received(piop_tls *tls, const void *bytes, size_t size);
// Continues the handshake, then decrypts at most `size` bytes. Returns their number, 0 when more
// received bytes are necessary, and -1 when the client has ended the connection with close_notify
// or the connection has failed; an alert may then wait to be sent.
ptrdiff_t piop_tls_read(piop_tls *tls, void *bytes, size_t size);
// Returns true after the handshake.
bool piop_tls_is_ready(const piop_tls *tls);
// Returns true when h2 was negotiated.
bool piop_tls_speaks_http2(const piop_tls *tls);
// Encrypts all bytes. Returns false before the end of the handshake and after a failure.
bool piop_tls_write(piop_tls *tls, const void *bytes, size_t size);
// Adds the alert close_notify to the bytes that wait to be sent; without effect before the end of
// the handshake.
void piop_tls_close(piop_tls *tls);
// Removes at most `size` of the bytes that wait to be sent. Returns their number.
size_t piop_tls_take(piop_tls *tls, void *bytes, size_t size);

// HTTP/2 servers (RFC 9113) without a socket. Requests are not validated, and request bodies are
// ignored.

typedef struct piop_http2 piop_http2;

// A header field; a name or a value may be empty.
typedef struct piop_field {
  const uint8_t *name;
  size_t name_size;
  const uint8_t *value;
  size_t value_size;
} piop_field;

typedef struct piop_http2_request {
  int32_t stream;
  // All fields in order, including pseudo-header fields.
  piop_field *fields;
  size_t field_count;
} piop_http2_request;

// Returns a connection whose SETTINGS wait to be sent, or NULL when memory is exhausted.
piop_http2 *piop_http2_new(void);
void piop_http2_free(piop_http2 *connection);
// Handles bytes that were received from the client. Returns false when the connection can not
// continue.
bool piop_http2_receive(piop_http2 *connection, const void *bytes, size_t size);
// Removes and returns the oldest request whose head is complete, until the next call; NULL when
// there is none.
const piop_http2_request *piop_http2_next_request(piop_http2 *connection);
// Returns true until the stream was ended by both sides or reset by one.
bool piop_http2_is_open(piop_http2 *connection, int32_t stream);
// The following functions queue frames of an open stream and return false when memory is exhausted
// or the stream is not open. Names of fields are in lower case. An interim head precedes the head,
// which is sent once.
bool piop_http2_send_head(piop_http2 *connection, int32_t stream, const piop_field *fields,
                          size_t count, bool is_interim);
// Adds a copy of the bytes to the body.
bool piop_http2_send_body(piop_http2 *connection, int32_t stream, const void *bytes, size_t size);
// Ends the body.
bool piop_http2_end(piop_http2 *connection, int32_t stream);
bool piop_http2_reset(piop_http2 *connection, int32_t stream, uint32_t code);
// Sends a GOAWAY without an error and ends later streams than `last`.
bool piop_http2_go_away(piop_http2 *connection, int32_t last);
// Number of body bytes that wait for the flow control or the call of piop_http2_take; 0 when the
// stream is not open.
size_t piop_http2_unsent(piop_http2 *connection, int32_t stream);
// Writes the address of the next frames, valid until the next call of any function. Returns their
// number of bytes, 0 when there are none, and -1 when the connection can not continue.
ptrdiff_t piop_http2_take(piop_http2 *connection, const uint8_t **bytes);
// Number of body bytes in the frames that were taken so far.
uint64_t piop_http2_body_bytes(const piop_http2 *connection);
// Returns true when a protocol error has ended the connection and all frames were taken.
bool piop_http2_has_ended(piop_http2 *connection);

#ifdef __cplusplus
}
#endif
#endif
