// CPlatformImageOriginProtocols: the parts of the test origin that need C libraries: sockets, certificates and TLS
// (OpenSSL), HTTP/2 (nghttp2).
//
// No function blocks. Memory and objects that a function returns are released by the function with the suffix _free,
// which accepts NULL. An object is used by one thread at a time.

#ifndef CPLATFORMIMAGEORIGINPROTOCOLS_H
#define CPLATFORMIMAGEORIGINPROTOCOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Sockets and pipes. All descriptors are non-blocking and are closed in child programs (FD_CLOEXEC).

// Listens on a numeric IP address and writes the bound port; port 0 selects a free one.
// Returns the socket, or a negative errno value.
int piop_listen(const char *host, uint16_t port, uint16_t *bound);
// Accepts one connection, with TCP_NODELAY. Returns the socket, or a negative errno value.
int piop_accept(int listener);
// Writes the read end and the write end of a new pipe. Returns 0, or a negative errno value.
int piop_pipe(int ends[2]);
// Receives at most `size` bytes. Returns their number, 0 when none are available, and -1 when the peer has closed the
// connection or it has failed.
ptrdiff_t piop_receive(int socket, void *bytes, size_t size);
// Sends at most `size` bytes, without SIGPIPE. Returns their number, 0 when the socket accepts none at present, and -1
// when the connection has failed.
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
  // Names of the extension subjectAltName; it is omitted when there are none (RFC 5280 section 4.2.1.6).
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

// Makes a certificate authority's X.509 certificate with a new P-256 key: the certificate in DER and PEM form, and the
// private key in DER form. Returns false without any of them when the request is invalid or memory is exhausted.
bool piop_certificate_make(const piop_certificate_request *request, piop_bytes *der,
                           piop_bytes *pem, piop_bytes *key);

// TLS servers without a socket: the caller moves the encrypted bytes.

// Certificate, key and protocols of a server. Connections refer to it as long as they need it.
typedef struct piop_tls_context piop_tls_context;

// Returns NULL when the certificate or the key, both in DER form, is invalid. `speaks_http2` offers h2 by ALPN,
// preferred to http/1.1.
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
// Continues the handshake, then decrypts at most `size` bytes. Returns their number, 0 when more received bytes are
// necessary, and -1 when the client has ended the connection with close_notify or the connection has failed; an alert
// may then wait to be sent.
ptrdiff_t piop_tls_read(piop_tls *tls, void *bytes, size_t size);
// Returns true after the handshake.
bool piop_tls_is_ready(const piop_tls *tls);
// Returns true when h2 was negotiated.
bool piop_tls_speaks_http2(const piop_tls *tls);
// Encrypts all bytes. Returns false before the end of the handshake and after a failure.
bool piop_tls_write(piop_tls *tls, const void *bytes, size_t size);
// Adds the alert close_notify to the bytes that wait to be sent; without effect before the end of the handshake.
void piop_tls_close(piop_tls *tls);
// Removes at most `size` of the bytes that wait to be sent. Returns their number.
size_t piop_tls_take(piop_tls *tls, void *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
