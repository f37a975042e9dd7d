#include "CPlatformImageDigests.h"

#if !__has_include(<openssl/evp.h>)
#error "libcrypto not found: apt-get install libssl-dev (or brew install openssl@3)"
#endif

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <pthread.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "libcrypto 3.0 or newer is required"
#endif

// Algorithms are fetched once, because a search of libcrypto's providers takes longer than hashing
// a short text: 852 instead of 222 ns for 64 bytes. They are never released.
static EVP_MD *sha256;
static EVP_MAC *hmac_algorithm;
static pthread_once_t fetched = PTHREAD_ONCE_INIT;

// Without this, exit() runs OPENSSL_cleanup, which frees the state of libcrypto while other threads
// still hash, or end and free their part of it: a double free, or a crash in an algorithm that is
// released. It has an effect only before any other use of libcrypto.
__attribute__((constructor)) static void keep_state_at_exit(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

static void fetch(void) {
  sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
  hmac_algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL);
}

pidg_sha256 *pidg_sha256_new(void) {
  pthread_once(&fetched, fetch);
  if (!sha256) return NULL;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (context && EVP_DigestInit_ex(context, sha256, NULL) == 1) return (pidg_sha256 *)context;
  EVP_MD_CTX_free(context);
  return NULL;
}

bool pidg_sha256_update(pidg_sha256 *hash, const void *bytes, size_t size) {
  return size == 0 || EVP_DigestUpdate((EVP_MD_CTX *)hash, bytes, size) == 1;
}

bool pidg_sha256_finish(pidg_sha256 *hash, uint8_t *digest) {
  return EVP_DigestFinal_ex((EVP_MD_CTX *)hash, digest, NULL) == 1;
}

void pidg_sha256_free(pidg_sha256 *hash) { EVP_MD_CTX_free((EVP_MD_CTX *)hash); }

pidg_hmac *pidg_hmac_new(pidg_function function, const void *key, size_t size) {
  pthread_once(&fetched, fetch);
  if (!hmac_algorithm) return NULL;
  char sha1_name[] = "SHA1", sha256_name[] = "SHA256";
  char *name = function == PIDG_HMAC_SHA1 ? sha1_name : sha256_name;
  OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string("digest", name, 0),
                             OSSL_PARAM_construct_end()};
  // A null key would mean "no key" instead of an empty one.
  const void *bytes = size == 0 ? "" : key;
  EVP_MAC_CTX *context = EVP_MAC_CTX_new(hmac_algorithm);
  if (context && EVP_MAC_init(context, bytes, size, parameters) == 1) return (pidg_hmac *)context;
  EVP_MAC_CTX_free(context);
  return NULL;
}

bool pidg_hmac_update(pidg_hmac *hmac, const void *bytes, size_t size) {
  return size == 0 || EVP_MAC_update((EVP_MAC_CTX *)hmac, bytes, size) == 1;
}

bool pidg_hmac_finish(pidg_hmac *hmac, uint8_t *code) {
  size_t size = 0;
  EVP_MAC_CTX *context = (EVP_MAC_CTX *)hmac;
  return EVP_MAC_final(context, code, &size, EVP_MAC_CTX_get_mac_size(context)) == 1;
}

void pidg_hmac_free(pidg_hmac *hmac) { EVP_MAC_CTX_free((EVP_MAC_CTX *)hmac); }

bool pidg_equal(const void *first, const void *second, size_t size) {
  return size == 0 || CRYPTO_memcmp(first, second, size) == 0;
}

bool pidg_random(void *bytes, size_t size) {
  return size <= INT_MAX && RAND_bytes(bytes, (int)size) == 1;
}
