// DEFLATE (RFC 1951) decompressed in pieces of bounded size, as fast as libdeflate does it in one.
//
// It accepts exactly what libdeflate accepts. Where zlib is stricter it says so: see
// IMGC_INFLATE_ODD.

#ifndef IMGC_INFLATE_H
#define IMGC_INFLATE_H

#include "inflate/inflate_state.h"

// Starts before the first block. Set `accepts_odd` afterwards. Does not touch the window.
void imgc_inflate_begin(imgc_inflater *z, bool (*more)(void *, const uint8_t **, const uint8_t **),
                        void *context);

// The next piece of output: at most IMGC_INFLATE_CHUNK + 257 bytes. After each but the first result
// the stream is at its end. Returns after a bounded amount of work, at times without output.
imgc_inflate_result imgc_inflate_run(imgc_inflater *z);

// `count` whole bytes before the first block, or behind the last: those of the container. False
// when there are none left.
bool imgc_inflate_bytes(imgc_inflater *z, uint8_t *to, size_t count);

#endif
