// Memory of a worker that is released, and memory that is kept.

#include "kernel.h"

#ifdef __linux__

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

// A mapping of a file that the process cannot write.
typedef struct code_mapping {
  unsigned long start, end;
} code_mapping;

enum { MAX_MAPPINGS = 512 };

void pisb_release_code(void) {
  FILE *file = fopen("/proc/self/smaps", "re");
  if (!file) return;
  static code_mapping mappings[MAX_MAPPINGS];
  size_t count = 0;
  code_mapping current = {0};
  bool is_code = false;
  char line[512];
  while (fgets(line, sizeof line, file)) {
    unsigned long start, end, offset, inode, size;
    char access[5], device[16];
    if (sscanf(line, "%lx-%lx %4s %lx %15s %lu", &start, &end, access, &offset, device, &inode) ==
        6) {
      current = (code_mapping){start, end};
      is_code = inode != 0 && access[0] == 'r' && access[1] != 'w' && access[3] == 'p';
    } else if (is_code && sscanf(line, "Anonymous: %lu kB", &size) == 1) {
      // Pages with relocations (RELRO) are copies in the memory of the process; the file does not
      // have their content.
      if (size == 0 && count < MAX_MAPPINGS) mappings[count++] = current;
      is_code = false;
    }
  }
  fclose(file);
  // After the end of the loop: it uses these pages.
  for (size_t i = 0; i < count; i++)
    madvise((void *)mappings[i].start, mappings[i].end - mappings[i].start, MADV_DONTNEED);
}

void pisb_keep_freed_memory(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 8 << 20);
#endif
}

void pisb_release_freed_memory(void) {
#ifdef __GLIBC__
  // madvise for free pages inside the heap, and brk for those at its end. The opposite of
  // pisb_keep_freed_memory, whose settings remain.
  malloc_trim(0);
#endif
}

#endif
