// Sealed inputs: their content, and every refusal.

#include "tests.h"

#include <sys/mman.h>

static void test_copies(void) {
  static uint8_t bytes[70000];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 31 + i / 251);
  for (size_t size = 1; size <= sizeof bytes; size += size < 300 ? 1 : 997) {
    int descriptor = pisb_sealed_copy(bytes, size);
    expect(descriptor >= 0 && fcntl(descriptor, F_GETFD) == FD_CLOEXEC, "copy of %zu", size);
    expect((fcntl(descriptor, F_GET_SEALS) & PISB_SEALED) == PISB_SEALED, "seals");
    expect(pwrite(descriptor, "x", 1, 0) < 0 && errno == EPERM, "write");
    expect(ftruncate(descriptor, (off_t)size - 1) < 0 && errno == EPERM, "shrink");
    expect(ftruncate(descriptor, (off_t)size + 1) < 0 && errno == EPERM, "grow");
    expect(mmap(NULL, size, PROT_WRITE, MAP_SHARED, descriptor, 0) == MAP_FAILED, "writable map");
    const uint8_t *input = pisb_map_input(descriptor, size);
    expect(input && memcmp(input, bytes, size) == 0, "input of %zu", size);
    expect(fcntl(descriptor, F_GETFD) < 0, "closed descriptor");
    pisb_unmap_input(input, size);
  }
  expect(pisb_sealed_copy(bytes, 0) == -1 && errno == EINVAL, "empty input");
  expect(pisb_sealed_copy(bytes, SIZE_MAX) == -1, "input of SIZE_MAX");
  pisb_unmap_input(NULL, 0);
}

static void refuse(int descriptor, size_t count, const char *name) {
  expect(pisb_map_input(descriptor, count) == NULL, "%s", name);
  expect(descriptor < 0 || fcntl(descriptor, F_GETFD) < 0, "%s: closed descriptor", name);
}

void test_inputs(void) {
  test_copies();

  const size_t sizes[] = {0, 1, 99, 101, 4096, SIZE_MAX};
  for (int i = 0; i < 6; i++) refuse(pisb_sealed_copy(sizes, 100 - 60), sizes[i], "wrong size");
  // Each set of seals except the complete one.
  for (int seals = 0; seals < 16; seals++) {
    int descriptor = pisb_memfd("test");
    if (write(descriptor, "abcd", 4) != 4 || fcntl(descriptor, F_ADD_SEALS, seals) != 0) exit(2);
    if (seals != PISB_SEALED)
      refuse(descriptor, 4, "missing seal");
    else
      pisb_unmap_input(pisb_map_input(descriptor, 4), 4);
  }
  int pipes[2];
  if (pipe(pipes) != 0) exit(2);
  refuse(pipes[0], 4, "pipe"), refuse(pipes[1], 4, "pipe");
  FILE *file = tmpfile();
  if (!file || fputs("abcd", file) < 0 || fflush(file) != 0) exit(2);
  refuse(dup(fileno(file)), 4, "file");
  fclose(file);
  refuse(open("/", O_RDONLY | O_DIRECTORY), 4, "directory");
  refuse(-1, 4, "no descriptor");
}
