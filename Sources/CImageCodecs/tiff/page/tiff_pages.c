#include "tiff/page/tiff_pages.h"
#include "core/cancel.h"
#include "core/limits.h"
#include "core/report.h"
#include "tiff/page/tiff_bytes.h"
#include "tiff/page/tiff_tags.h"

#include <stdlib.h>
#include <string.h>

enum {
  // The greatest number of directories of a request without max_pages.
  MAX_DIRECTORIES = 1 << 20,
  // Directories contain their tags in ascending order; those that are read here come first.
  MAX_ENTRIES = 1024,
  MAX_DEPTH = 8, // of SubIFDs of SubIFDs
};

// A set of offsets: open addressing, at most half full. Offset 0 is not a directory.
typedef struct offset_set {
  uint64_t *slots;
  uint32_t count, capacity; // capacity: a power of two
} offset_set;

typedef struct walk {
  const imgc_request *request;
  const tiff_input *input;
  imgc_report *report;
  uint32_t limit;
  offset_set visited;
  tiff_pages *pages;
} walk;

// The facts of a directory, and its entry SubIFDs.
typedef struct facts {
  tiff_directory directory;
  uint64_t sub_entry; // 0: none
} facts;

// ---------------------------------------------------------------- the set of visited offsets

static uint32_t slot_of(const offset_set *set, uint64_t offset) {
  uint64_t mixed = (offset ^ offset >> 29) * UINT64_C(0x9E3779B97F4A7C15);
  uint32_t slot = (uint32_t)(mixed >> 32) & (set->capacity - 1);
  while (set->slots[slot] && set->slots[slot] != offset) slot = (slot + 1) & (set->capacity - 1);
  return slot;
}

static bool set_grow(offset_set *set) {
  offset_set larger = {.count = set->count, .capacity = set->capacity ? set->capacity * 2 : 64};
  larger.slots = calloc(larger.capacity, sizeof *larger.slots);
  if (!larger.slots) return false;
  for (uint32_t i = 0; i < set->capacity; i++)
    if (set->slots[i]) larger.slots[slot_of(&larger, set->slots[i])] = set->slots[i];
  free(set->slots);
  *set = larger;
  return true;
}

// Sets `*is_new`. Fails when memory is exhausted.
static imgc_status visit(walk *w, uint64_t offset, bool *is_new) {
  offset_set *set = &w->visited;
  if (set->count >= set->capacity / 2 && !set_grow(set))
    return imgc_fail(w->report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "tiff: out of memory");
  uint32_t slot = slot_of(set, offset);
  *is_new = set->slots[slot] == 0;
  if (*is_new) set->slots[slot] = offset, set->count++;
  return IMGC_OK;
}

// ---------------------------------------------------------------- one directory

// Returns the value of an entry with one BYTE, SHORT or LONG; `none` for other entries.
static uint32_t value_of(const tiff_input *in, uint64_t entry, uint32_t none) {
  uint64_t value = entry + 4 + tiff_offset_bytes(in);
  if (tiff_number(in, entry + 4, tiff_offset_bytes(in)) != 1) return none;
  switch (tiff_number(in, entry + 2, 2)) {
  case TIFF_TYPE_BYTE: return (uint32_t)tiff_number(in, value, 1);
  case TIFF_TYPE_SHORT: return (uint32_t)tiff_number(in, value, 2);
  case TIFF_TYPE_LONG: return (uint32_t)tiff_number(in, value, 4);
  default: return none;
  }
}

// Reads a directory whose number of entries is inside of the file.
static imgc_status read_facts(const imgc_request *request, const tiff_input *in, uint64_t offset,
                              facts *f, imgc_report *report) {
  *f = (facts){.directory = {.offset = offset, .parent = offset}};
  uint64_t entries = tiff_number(in, offset, tiff_count_bytes(in));
  uint64_t entry = offset + tiff_count_bytes(in);
  uint64_t room = (in->size - entry) / tiff_entry_bytes(in);
  if (entries > room) entries = room;
  if (entries > MAX_ENTRIES) entries = MAX_ENTRIES;
  if (imgc_charge(request, IMGC_WORK_CHUNK + entries, report)) return report->status;
  bool has_type = false;
  for (uint64_t i = 0; i < entries; i++, entry += tiff_entry_bytes(in)) {
    uint32_t photometric;
    switch (tiff_number(in, entry, 2)) {
    case TIFF_TAG_NEW_SUBFILE_TYPE:
      if (!has_type) f->directory.is_reduced = value_of(in, entry, 0) & 1;
      has_type = true;
      break;
    case TIFF_TAG_SUBFILE_TYPE:
      if (!has_type) f->directory.is_reduced = value_of(in, entry, 1) == 2;
      break;
    case TIFF_TAG_IMAGE_WIDTH:
      if (!f->directory.width) f->directory.width = value_of(in, entry, 0);
      break;
    case TIFF_TAG_IMAGE_LENGTH:
      if (!f->directory.height) f->directory.height = value_of(in, entry, 0);
      break;
    case TIFF_TAG_PHOTOMETRIC_INTERPRETATION:
      photometric = value_of(in, entry, 0);
      f->directory.is_raw =
          photometric == TIFF_PHOTOMETRIC_CFA || photometric == TIFF_PHOTOMETRIC_LINEAR_RAW;
      break;
    case TIFF_TAG_SUB_IFDS:
      if (!f->sub_entry) f->sub_entry = entry;
      break;
    default: break;
    }
  }
  return IMGC_OK;
}

// Returns the offset of the directory after the directory at `offset`; 0: none. Sets `*broken` when
// the directory at `offset` is truncated, or the next directory is outside the file.
static uint64_t next_directory(const tiff_input *in, uint64_t offset, bool *broken) {
  uint64_t entries = tiff_number(in, offset, tiff_count_bytes(in));
  uint64_t end =
      imgc_add(offset, imgc_add(tiff_count_bytes(in), imgc_mul(entries, tiff_entry_bytes(in))));
  if (!tiff_inside(in, end, tiff_offset_bytes(in))) {
    *broken = true;
    return 0;
  }
  uint64_t next = tiff_number(in, end, tiff_offset_bytes(in));
  if (next == 0) return 0;
  if (!tiff_inside(in, next, tiff_count_bytes(in))) {
    *broken = true;
    return 0;
  }
  return next;
}

static bool is_full_resolution(const tiff_directory *directory) {
  return !directory->is_reduced && !directory->is_raw;
}

// ---------------------------------------------------------------- all directories

static imgc_status append(walk *w, tiff_pages *list, const tiff_directory *directory) {
  if (list->count == w->limit) {
    w->pages->over_limit = true;
    return IMGC_OK;
  }
  if (list->count % 1024 == 1023 && imgc_poll(w->request, w->report)) return w->report->status;
  if (list->count == list->capacity) {
    uint32_t capacity = list->capacity ? list->capacity * 2 : 16;
    tiff_directory *items = realloc(list->items, capacity * sizeof *items);
    if (!items) return imgc_fail(w->report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "tiff: out of memory");
    list->items = items, list->capacity = capacity;
  }
  list->items[list->count++] = *directory;
  return IMGC_OK;
}

// Lists the directories of the chain, whose first one is inside of the file.
static imgc_status read_chain(walk *w, tiff_pages *chain) {
  bool broken = false;
  for (uint64_t offset = w->input->first; offset && !w->pages->over_limit;
       offset = next_directory(w->input, offset, &broken)) {
    bool is_new;
    if (imgc_charge(w->request, IMGC_WORK_CHUNK, w->report) || visit(w, offset, &is_new))
      return w->report->status;
    if (!is_new) {
      broken = true;
      break;
    }
    tiff_directory directory = {.offset = offset, .parent = offset};
    if (append(w, chain, &directory)) return w->report->status;
  }
  w->pages->broken = broken;
  return IMGC_OK;
}

static imgc_status add_children(walk *w, uint64_t entry, uint64_t parent, unsigned depth);

// Adds the SubIFD at `offset` and those that follow it in a chain of its own.
static imgc_status add_sub_chain(walk *w, uint64_t offset, uint64_t parent, unsigned depth) {
  while (offset && !w->pages->over_limit) {
    bool is_new, ignored = false;
    facts f;
    if (!tiff_inside(w->input, offset, tiff_count_bytes(w->input))) {
      w->pages->broken = true;
      return IMGC_OK;
    }
    if (visit(w, offset, &is_new)) return w->report->status;
    if (!is_new) return IMGC_OK;
    if (w->visited.count > w->limit) {
      w->pages->over_limit = true;
      return IMGC_OK;
    }
    if (read_facts(w->request, w->input, offset, &f, w->report)) return w->report->status;
    f.directory.parent = parent;
    // A SubIFD without a size does not contain an image.
    if (f.directory.width && f.directory.height && append(w, w->pages, &f.directory))
      return w->report->status;
    if (f.sub_entry && add_children(w, f.sub_entry, parent, depth + 1)) return w->report->status;
    offset = next_directory(w->input, offset, &ignored);
  }
  return IMGC_OK;
}

// Adds the directories whose offsets the entry SubIFDs at `entry` contains.
static imgc_status add_children(walk *w, uint64_t entry, uint64_t parent, unsigned depth) {
  const tiff_input *in = w->input;
  if (depth > MAX_DEPTH) return IMGC_OK;
  uint64_t type = tiff_number(in, entry + 2, 2);
  uint64_t count = tiff_number(in, entry + 4, tiff_offset_bytes(in));
  uint64_t values = entry + 4 + tiff_offset_bytes(in);
  unsigned size;
  switch (type) {
  case TIFF_TYPE_LONG:
  case TIFF_TYPE_IFD: size = 4; break;
  case TIFF_TYPE_LONG8:
  case TIFF_TYPE_IFD8: size = 8; break;
  default: return IMGC_OK;
  }
  if (imgc_mul(count, size) > tiff_offset_bytes(in)) {
    values = tiff_number(in, values, tiff_offset_bytes(in));
    uint64_t room = values < in->size ? (in->size - values) / size : 0;
    if (count > room) count = room, w->pages->broken = true;
  }
  // Offsets that occur again are skipped, so that more of them than directories are damage.
  if (count > w->limit) count = w->limit, w->pages->broken = true;
  if (imgc_charge(w->request, imgc_mul(count, 8), w->report)) return w->report->status;
  for (uint64_t i = 0; i < count && !w->pages->over_limit; i++)
    if (add_sub_chain(w, tiff_number(in, values + i * size, size), parent, depth))
      return w->report->status;
  return IMGC_OK;
}

// Moves the full-resolution directories before all others, each part in the order that it has.
static imgc_status sort_pages(walk *w) {
  tiff_pages *pages = w->pages;
  uint32_t full = 0, at = 0;
  for (uint32_t i = 0; i < pages->count; i++) full += is_full_resolution(&pages->items[i]);
  if (full == 0 || full == pages->count) return IMGC_OK;
  tiff_directory *sorted = malloc(pages->count * sizeof *sorted);
  if (!sorted) return imgc_fail(w->report, IMGC_ERROR_OUT_OF_MEMORY, NULL, "tiff: out of memory");
  for (uint32_t i = 0; i < pages->count; i++)
    sorted[is_full_resolution(&pages->items[i]) ? at++ : full++] = pages->items[i];
  free(pages->items);
  pages->items = sorted, pages->capacity = pages->count;
  return IMGC_OK;
}

static imgc_status read_pages(walk *w, tiff_pages *chain) {
  if (read_chain(w, chain)) return w->report->status;
  for (uint32_t i = 0; i < chain->count; i++) {
    facts f;
    if (read_facts(w->request, w->input, chain->items[i].offset, &f, w->report) ||
        append(w, w->pages, &f.directory) ||
        (f.sub_entry && add_children(w, f.sub_entry, f.directory.offset, 1)))
      return w->report->status;
  }
  return sort_pages(w);
}

imgc_status tiff_pages_read(const imgc_request *request, const tiff_input *input, tiff_pages *pages,
                            imgc_report *report) {
  *pages = (tiff_pages){0};
  walk w = {.request = request, .input = input, .report = report, .pages = pages};
  w.limit = request->limits.max_pages && request->limits.max_pages < MAX_DIRECTORIES
                ? request->limits.max_pages
                : MAX_DIRECTORIES;
  tiff_pages chain = {0};
  imgc_status status = read_pages(&w, &chain);
  tiff_pages_free(&chain);
  free(w.visited.slots);
  return status;
}

void tiff_pages_free(tiff_pages *pages) {
  free(pages->items);
  pages->items = NULL, pages->count = pages->capacity = 0;
}

imgc_status tiff_locate_page(const imgc_request *request, const tiff_input *input,
                             tiff_directory *directory, imgc_report *report) {
  if (request->page == 0) {
    facts first;
    if (read_facts(request, input, input->first, &first, report)) return report->status;
    *directory = first.directory;
    if (is_full_resolution(directory)) return IMGC_OK;
  } else if (imgc_check(request->page, request->limits.max_pages, "max_pages", report)) {
    return report->status;
  }
  tiff_pages pages;
  imgc_status status = tiff_pages_read(request, input, &pages, report);
  // The pages of an incomplete list do not have their final numbers; page 0 is the best one found.
  uint32_t count = pages.over_limit ? 0 : pages.count;
  if (status == IMGC_OK && request->page > 0 && request->page >= count)
    status = imgc_fail(report, IMGC_ERROR_MALFORMED, NULL,
                       "tiff: the page with index %u (from 0) does not exist; number of pages: %u",
                       request->page, count);
  if (status == IMGC_OK) *directory = pages.items[request->page];
  tiff_pages_free(&pages);
  return status;
}
