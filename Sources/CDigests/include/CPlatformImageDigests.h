// CPlatformImageDigests: SHA-256, HMAC, comparison in constant time and random bytes, by libcrypto.
//
// All functions may be called on any thread, concurrently; a context is used by one thread at a
// time. Memory that a function returns is released by the function with the suffix _free, which
// accepts NULL. A function that returns false or NULL failed because memory is exhausted or
// libcrypto does not provide the algorithm.

#ifndef CPLATFORMIMAGEDIGESTS_H
#define CPLATFORMIMAGEDIGESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PIDG_SHA256_BYTES = 32, PIDG_SHA1_BYTES = 20 };

// A SHA-256 computation (FIPS 180-4).
typedef struct pidg_sha256 pidg_sha256;

// Returns a computation of no bytes so far.
pidg_sha256 *pidg_sha256_new(void);
// Adds `size` bytes.
bool pidg_sha256_update(pidg_sha256 *hash, const void *bytes, size_t size);
// Writes the digest of PIDG_SHA256_BYTES bytes; the computation accepts no more bytes.
bool pidg_sha256_finish(pidg_sha256 *hash, uint8_t *digest);
void pidg_sha256_free(pidg_sha256 *hash);

// The hash function of an HMAC (RFC 2104).
typedef enum pidg_function { PIDG_HMAC_SHA1 = 1, PIDG_HMAC_SHA256 = 2 } pidg_function;

// An HMAC computation with its key.
typedef struct pidg_hmac pidg_hmac;

// Returns a computation of no bytes so far. The key may be empty.
pidg_hmac *pidg_hmac_new(pidg_function function, const void *key, size_t size);
bool pidg_hmac_update(pidg_hmac *hmac, const void *bytes, size_t size);
// Writes the code: PIDG_SHA1_BYTES or PIDG_SHA256_BYTES bytes; the computation accepts no more
// bytes.
bool pidg_hmac_finish(pidg_hmac *hmac, uint8_t *code);
void pidg_hmac_free(pidg_hmac *hmac);

// Returns true when both byte strings of `size` bytes are equal; the time depends only on `size`.
bool pidg_equal(const void *first, const void *second, size_t size);

// Fills `size` bytes from libcrypto's random generator, which is seeded by the system.
bool pidg_random(void *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
