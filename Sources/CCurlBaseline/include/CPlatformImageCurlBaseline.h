// CPlatformImageCurlBaseline: downloads with plain libcurl in C, the lower bound for the cost of
// the loader's transport.

#ifndef CPLATFORMIMAGECURLBASELINE_H
#define CPLATFORMIMAGECURLBASELINE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PICB_ERROR_BYTES = 256 };

// Connections that later downloads reuse.
typedef struct picb_client picb_client;

// Returns a client of at most `concurrency` downloads at a time; NULL when memory is exhausted.
picb_client *picb_client_new(size_t concurrency);
void picb_client_free(picb_client *client);

// Downloads the URLs `BASE/0.bin`, `BASE/1.bin` and so on, `count` of them. Each body must have
// `bytes` bytes. With a folder, each body is collected in memory, written to a new file in the
// folder and renamed to its number; without one (NULL) the bytes are only counted. Returns false
// after the first failure and writes the reason to `error`, which has PICB_ERROR_BYTES bytes.
bool picb_download(picb_client *client, const char *base, size_t count, size_t bytes,
                   const char *folder, char *error);

#ifdef __cplusplus
}
#endif
#endif
