// One plane of one strip or tile, decoded by libtiff.

#include "tiff/strips/tiff_strile.h"

#include <stdlib.h>
#include <string.h>

void tiff_clear(tiff_reader *r, const tiff_strile *s) {
  if (r->output_is_dirty) memset(s->to, 0, (size_t)(s->units * r->properties->unit_bytes));
  r->output_is_dirty = true;
}

// Returns the input bytes. For FillOrder 2 and for JBIG these are a copy, because libtiff may
// reverse the bits in place.
static void *input_buffer(tiff_reader *r, const tiff_strile *s) {
  if (!r->properties->reversed && r->properties->compression != COMPRESSION_JBIG)
    return (void *)(uintptr_t)s->data;
  if (r->writable_size < s->size) {
    uint8_t *grown = realloc(r->writable, (size_t)s->size);
    if (!grown) return NULL;
    r->writable = grown, r->writable_size = s->size;
  }
  return memcpy(r->writable, s->data, (size_t)s->size);
}

// Passes the available input to libtiff, so that a strip whose end is missing is decoded too.
bool tiff_decode(tiff_reader *r, const tiff_strile *s, uint64_t units) {
  TIFF *tif = r->file->tif;
  tmsize_t bytes = (tmsize_t)(units * r->properties->unit_bytes);
  r->file->warnings = 0;
  if (r->properties->compression == COMPRESSION_OJPEG) {
    // OJPEG reads its input through the read callback.
    return (r->properties->tiled ? TIFFReadEncodedTile(tif, s->index, s->to, bytes)
                                 : TIFFReadEncodedStrip(tif, s->index, s->to, bytes)) == bytes;
  }
  void *input = input_buffer(r, s);
  return input && TIFFReadFromUserBuffer(tif, s->index, input, (tmsize_t)s->size, s->to, bytes);
}
