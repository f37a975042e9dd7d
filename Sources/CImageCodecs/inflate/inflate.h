// DEFLATE (RFC 1951) decompression in pieces of bounded size, as fast as libdeflate decompresses in
// one call.
//
// With `accepts_zlib_rejects`, imgc_inflate_run accepts exactly the streams that libdeflate
// accepts. Without it, the function returns IMGC_INFLATE_ZLIB_REJECTS at the first element of a
// stream that libdeflate accepts and zlib rejects.

#ifndef IMGC_INFLATE_H
#define IMGC_INFLATE_H

#include "inflate/inflate_state.h"

// Sets the inflater to the start of a stream, before the first block. Set `accepts_zlib_rejects`
// after this call. Does not initialize the window.
void imgc_inflate_begin(imgc_inflater *z,
                        bool (*next_input)(void *, const uint8_t **, const uint8_t **),
                        void *context);

// Decompresses the next piece: at most IMGC_INFLATE_CHUNK + 257 bytes. All results except
// IMGC_INFLATE_MORE are final. Returns after a bounded amount of work, sometimes without output.
imgc_inflate_result imgc_inflate_run(imgc_inflater *z);

// Reads `count` complete bytes of the container format, before the first block or after the last
// block. Returns false at the end of the input.
bool imgc_inflate_bytes(imgc_inflater *z, uint8_t *to, size_t count);

#endif
