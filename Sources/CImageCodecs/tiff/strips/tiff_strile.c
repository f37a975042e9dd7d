// One plane of one strip or tile, decoded by libtiff.

#include "tiff/strips/tiff_strile.h"
#include "core/scratch.h"

#include <string.h>

void tiff_clear(tiff_reader *r, const tiff_strile *s) {
  if (r->output_is_dirty) memset(s->to, 0, (size_t)(s->units * r->properties->unit_bytes));
  r->output_is_dirty = true;
}

// Returns the input bytes. For FillOrder 2 and for JBIG these are a copy, because libtiff may
// reverse the bits in place. Sets r->out_of_memory, and returns NULL, when the copy cannot be
// allocated.
static void *input_buffer(tiff_reader *r, const tiff_strile *s) {
  if (!r->properties->reversed && r->properties->compression != COMPRESSION_JBIG)
    return (void *)(uintptr_t)s->data;
  if (r->writable_size < s->size) {
    tiff_free_writable(r);
    r->writable = imgc_scratch_alloc(r->request, (size_t)s->size);
    r->out_of_memory = !r->writable;
    if (r->out_of_memory) return NULL;
    r->writable_size = s->size;
  }
  return memcpy(r->writable, s->data, (size_t)s->size);
}

void tiff_free_writable(tiff_reader *r) {
  imgc_scratch_free(r->request, r->writable, (size_t)r->writable_size);
  r->writable = NULL, r->writable_size = 0;
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
