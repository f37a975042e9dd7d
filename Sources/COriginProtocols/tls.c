#include "CPlatformImageOriginProtocols.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

struct piop_tls_context {
  SSL_CTX *ssl;
};

struct piop_tls {
  SSL *ssl;
  // Owned by `ssl`: bytes from the client, and bytes for the client.
  BIO *received;
  BIO *outgoing;
};

// The protocols in the form of ALPN (RFC 7301 section 3.1), in order of preference; the offer
// without h2 is the end.
static const unsigned char protocols[] = "\x02h2\x08http/1.1";
enum { HTTP2_BYTES = 3 };

static int select_protocol(SSL *ssl, const unsigned char **selected, unsigned char *size,
                           const unsigned char *offered, unsigned int offered_size,
                           void *preferred) {
  (void)ssl;
  const unsigned char *list = preferred;
  unsigned int list_size = (unsigned int)strlen((const char *)list);
  unsigned char *found = NULL;
  int result = SSL_select_next_proto(&found, size, list, list_size, offered, offered_size);
  *selected = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

piop_tls_context *piop_tls_context_new(const uint8_t *certificate, size_t certificate_size,
                                       const uint8_t *key, size_t key_size, bool speaks_http2) {
  piop_tls_context *context = calloc(1, sizeof *context);
  if (!context) return NULL;
  context->ssl = SSL_CTX_new(TLS_server_method());
  if (!context->ssl || certificate_size > INT_MAX || key_size > LONG_MAX ||
      SSL_CTX_set_min_proto_version(context->ssl, TLS1_2_VERSION) != 1 ||
      SSL_CTX_use_certificate_ASN1(context->ssl, (int)certificate_size, certificate) != 1 ||
      SSL_CTX_use_PrivateKey_ASN1(EVP_PKEY_EC, context->ssl, key, (long)key_size) != 1) {
    ERR_clear_error();
    piop_tls_context_free(context);
    return NULL;
  }
  const unsigned char *offer = speaks_http2 ? protocols : protocols + HTTP2_BYTES;
  SSL_CTX_set_alpn_select_cb(context->ssl, select_protocol, (void *)(uintptr_t)offer);
  return context;
}

void piop_tls_context_free(piop_tls_context *context) {
  if (!context) return;
  SSL_CTX_free(context->ssl);
  free(context);
}

piop_tls *piop_tls_new(const piop_tls_context *context) {
  piop_tls *tls = calloc(1, sizeof *tls);
  if (!tls) return NULL;
  tls->ssl = SSL_new(context->ssl);
  tls->received = BIO_new(BIO_s_mem());
  tls->outgoing = BIO_new(BIO_s_mem());
  if (!tls->ssl || !tls->received || !tls->outgoing) {
    SSL_free(tls->ssl);
    BIO_free(tls->received);
    BIO_free(tls->outgoing);
    free(tls);
    return NULL;
  }
  SSL_set_bio(tls->ssl, tls->received, tls->outgoing);
  SSL_set_accept_state(tls->ssl);
  return tls;
}

void piop_tls_free(piop_tls *tls) {
  if (!tls) return;
  SSL_free(tls->ssl);
  free(tls);
}

bool piop_tls_add_received(piop_tls *tls, const void *bytes, size_t size) {
  size_t written = 0;
  return size == 0 || (BIO_write_ex(tls->received, bytes, size, &written) == 1 && written == size);
}

ptrdiff_t piop_tls_read(piop_tls *tls, void *bytes, size_t size) {
  ERR_clear_error();
  size_t count = 0;
  int result = SSL_read_ex(tls->ssl, bytes, size, &count);
  if (result == 1) return (ptrdiff_t)count;
  bool waits = SSL_get_error(tls->ssl, result) == SSL_ERROR_WANT_READ;
  ERR_clear_error();
  return waits ? 0 : -1;
}

bool piop_tls_is_ready(const piop_tls *tls) { return SSL_is_init_finished(tls->ssl) == 1; }

bool piop_tls_speaks_http2(const piop_tls *tls) {
  const unsigned char *name = NULL;
  unsigned int size = 0;
  SSL_get0_alpn_selected(tls->ssl, &name, &size);
  return size == 2 && memcmp(name, "h2", 2) == 0;
}

bool piop_tls_write(piop_tls *tls, const void *bytes, size_t size) {
  if (size == 0) return true;
  ERR_clear_error();
  size_t count = 0;
  // A memory BIO accepts all bytes, so there is no partial write.
  bool is_written = SSL_write_ex(tls->ssl, bytes, size, &count) == 1 && count == size;
  ERR_clear_error();
  return is_written;
}

void piop_tls_close(piop_tls *tls) {
  if (!piop_tls_is_ready(tls)) return;
  SSL_shutdown(tls->ssl);
  ERR_clear_error();
}

size_t piop_tls_take(piop_tls *tls, void *bytes, size_t size) {
  size_t count = 0;
  return BIO_read_ex(tls->outgoing, bytes, size, &count) == 1 ? count : 0;
}
