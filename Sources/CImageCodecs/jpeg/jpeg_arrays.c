// The coefficients of progressive images, in memory of the request's allocator.
//
// libjpeg's memory manager allocates them with malloc in blocks of up to a gigabyte; with many
// decoding threads malloc retains that memory in one arena per thread, long after the decodes are
// finished. The manager's functions may be replaced (libjpeg.txt, "Memory management"); only its
// functions for virtual arrays of blocks are replaced here.

#include "jpeg/jpeg_arrays.h"
#include "core/limits.h"
#include "core/scratch.h"

#include <jerror.h>
#include <string.h>

static jpeg_state *state_of(j_common_ptr cinfo) { return cinfo->client_data; }

// libjpeg treats the pointer as opaque.
static jpeg_array *array_of(jvirt_barray_ptr array) { return (jpeg_array *)(void *)array; }

static size_t array_bytes(const jpeg_array *a) {
  return a->row_blocks * a->row_count * sizeof(JBLOCK);
}

static jvirt_barray_ptr on_request(j_common_ptr cinfo, int pool, boolean zeroed,
                                   JDIMENSION row_blocks, JDIMENSION row_count,
                                   JDIMENSION rows_at_once) {
  jpeg_state *s = state_of(cinfo);
  (void)zeroed; // all arrays are zeroed here
  (void)rows_at_once;
  if (pool != JPOOL_IMAGE || s->array_count == MAX_COMPONENTS)
    ERREXIT1(cinfo, JERR_BAD_POOL_ID, pool);
  jpeg_array *a = &s->arrays[s->array_count++];
  *a = (jpeg_array){.row_blocks = row_blocks, .row_count = row_count};
  return (jvirt_barray_ptr)(void *)a;
}

static void on_realize(j_common_ptr cinfo) {
  jpeg_state *s = state_of(cinfo);
  uint64_t total = 0;
  for (int i = 0; i < s->array_count; i++) total = imgc_add(total, array_bytes(&s->arrays[i]));
  if (cinfo->mem->max_memory_to_use > 0 && total > (uint64_t)cinfo->mem->max_memory_to_use)
    ERREXIT(cinfo, JERR_NO_BACKING_STORE);
  for (int i = 0; i < s->array_count; i++) {
    jpeg_array *a = &s->arrays[i];
    if (a->blocks) continue;
    a->rows = cinfo->mem->alloc_large(cinfo, JPOOL_IMAGE, a->row_count * sizeof *a->rows);
    a->blocks = imgc_scratch_alloc(s->request, array_bytes(a));
    if (!a->blocks) ERREXIT1(cinfo, JERR_OUT_OF_MEMORY, 0);
    for (size_t row = 0; row < a->row_count; row++) a->rows[row] = a->blocks + row * a->row_blocks;
  }
  s->realize(cinfo);
}

// Rows are zeroed immediately before their first use, because this use loads them into the
// processor's cache in any case.
static JBLOCKARRAY on_access(j_common_ptr cinfo, jvirt_barray_ptr array, JDIMENSION first,
                             JDIMENSION count, boolean writes) {
  jpeg_array *a = array_of(array);
  (void)writes;
  size_t end = (size_t)first + count;
  if (!a->blocks || end > a->row_count) ERREXIT(cinfo, JERR_BAD_VIRTUAL_ACCESS);
  if (end > a->used_rows) {
    memset(a->rows[a->used_rows], 0, (end - a->used_rows) * a->row_blocks * sizeof(JBLOCK));
    a->used_rows = end;
  }
  return a->rows + first;
}

void imgc_jpeg_install_arrays(jpeg_state *s) {
  struct jpeg_memory_mgr *memory = s->cinfo.mem;
  s->array_count = 0;
  s->realize = memory->realize_virt_arrays;
  memory->request_virt_barray = on_request;
  memory->realize_virt_arrays = on_realize;
  memory->access_virt_barray = on_access;
}

void imgc_jpeg_free_arrays(jpeg_state *s) {
  for (int i = 0; i < s->array_count; i++) {
    jpeg_array *a = &s->arrays[i];
    imgc_scratch_free(s->request, a->blocks, array_bytes(a));
    a->blocks = NULL;
  }
  s->array_count = 0;
}
