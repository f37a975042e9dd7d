// Shared memory between two mappings, and attempts to change the file against its seals.

#include "tests.h"

#include <sys/mman.h>

static const size_t page = 4096;

static bool is_filled(const uint8_t *bytes, size_t count, uint8_t value) {
  for (size_t i = 0; i < count; i++)
    if (bytes[i] != value) return false;
  return true;
}

static void test_sizes(void) {
  size_t system_page = (size_t)sysconf(_SC_PAGESIZE);
  for (size_t size = 1; size <= 5 * system_page; size += size % 1021 == 0 ? 1 : 61) {
    pisb_slab slab;
    expect(pisb_slab_create(size, &slab) == PISB_OK, "create %zu", size);
    expect(slab.capacity == (size + system_page - 1) / system_page * system_page, "capacity");
    expect(slab.bytes && is_filled(slab.bytes, slab.capacity, 0), "new slab of %zu", size);
    expect(fcntl(slab.descriptor, F_GETFD) == FD_CLOEXEC, "close-on-exec");
    expect((fcntl(slab.descriptor, F_GET_SEALS) & 15) == (F_SEAL_SHRINK | F_SEAL_SEAL), "seals");
    memset(slab.bytes, 1, slab.capacity);
    pisb_slab_close(&slab), pisb_slab_close(&slab);
    expect(slab.descriptor == -1 && !slab.bytes && slab.capacity == 0, "closed slab");
    expect(pisb_slab_resident(&slab) == 0, "resident bytes of a closed slab");
    expect(pisb_slab_release(&slab, 0) == PISB_FAILED, "release of a closed slab");
  }
  size_t impossible[] = {0, SIZE_MAX, SIZE_MAX - 1, (size_t)INT64_MAX, (size_t)1 << 62};
  for (int i = 0; i < 5; i++) {
    pisb_slab slab = {7, 7, NULL};
    expect(pisb_slab_create(impossible[i], &slab) == PISB_FAILED, "create %zu", impossible[i]);
    expect(slab.descriptor == -1 && !slab.bytes, "slab after a failure");
  }
}

static void test_growth(void) {
  pisb_slab parent, worker;
  pisb_slab_create(page, &parent);
  expect(pisb_slab_open(dup(parent.descriptor), page, &worker) == PISB_OK, "open");
  for (size_t pages = 1; pages < 40; pages += 3) {
    memset(parent.bytes, (int)pages, parent.capacity);
    expect(is_filled(worker.bytes, worker.capacity, (uint8_t)pages), "bytes of the worker");
    size_t capacity = (pages + 3) * page;
    expect(pisb_slab_extend(&worker, capacity) == PISB_FAILED && worker.capacity < capacity,
           "extension before the growth");
    expect(pisb_slab_grow(&parent, capacity - 5) == PISB_OK && parent.capacity >= capacity, "grow");
    expect(is_filled(parent.bytes, pages * page, (uint8_t)pages), "bytes after the growth");
    expect(pisb_slab_extend(&worker, capacity) == PISB_OK && worker.capacity >= capacity, "extend");
    expect(pisb_slab_grow(&parent, 1) == PISB_OK && parent.capacity >= capacity, "no shrinking");
    expect(pisb_slab_extend(&worker, 1) == PISB_OK && worker.capacity >= capacity, "same");
  }
  pisb_slab before = parent;
  size_t impossible[] = {SIZE_MAX, (size_t)INT64_MAX, (size_t)1 << 60};
  for (int i = 0; i < 3; i++) {
    expect(pisb_slab_grow(&parent, impossible[i]) == PISB_FAILED, "growth to %zu", impossible[i]);
    expect(memcmp(&before, &parent, sizeof before) == 0, "slab after a failure");
    expect(pisb_slab_extend(&worker, impossible[i]) == PISB_FAILED, "extension");
  }
  // A failed growth does not prevent the next one.
  expect(pisb_slab_grow(&parent, parent.capacity + page) == PISB_OK, "growth after a failure");
  memset(parent.bytes, 9, parent.capacity);
  pisb_slab_close(&parent), pisb_slab_close(&worker);
}

static void test_release(void) {
  enum { PAGES = 12 };
  size_t size = (size_t)sysconf(_SC_PAGESIZE);
  for (size_t kept = 0; kept <= (PAGES + 1) * size; kept += size / 4) {
    pisb_slab slab;
    pisb_slab_create(PAGES * size, &slab);
    expect(pisb_slab_resident(&slab) == 0, "resident bytes of a new slab");
    memset(slab.bytes, 5, slab.capacity);
    expect(pisb_slab_resident(&slab) == PAGES * size, "resident %zu", pisb_slab_resident(&slab));
    expect(pisb_slab_release(&slab, kept) == PISB_OK, "release");
    size_t rest = (kept + size - 1) / size * size;
    if (rest > PAGES * size) rest = PAGES * size;
    expect(pisb_slab_resident(&slab) == rest, "resident after release of %zu", kept);
    expect(is_filled(slab.bytes, rest, 5) && is_filled(slab.bytes + rest, slab.capacity - rest, 0),
           "bytes after release of %zu", kept);
    memset(slab.bytes, 6, slab.capacity);
    expect(is_filled(slab.bytes, slab.capacity, 6), "bytes after the next use");
    pisb_slab_close(&slab);
  }
}

static void test_refusals(void) {
  pisb_slab slab, source;
  int pipes[2];
  if (pipe(pipes) != 0) exit(2);
  int unsealed = pisb_memfd("test"), file = fileno(tmpfile());
  pisb_slab_create(3 * page, &source);
  if (ftruncate(unsealed, 4 * (off_t)page) != 0 || ftruncate(file, 4 * (off_t)page) != 0) exit(2);
  struct {
    int descriptor;
    size_t capacity;
  } cases[] = {{-1, page},
               {pipes[0], page},
               {unsealed, page},
               {file, page},
               {source.descriptor, 0},
               {source.descriptor, source.capacity + 1},
               {source.descriptor, SIZE_MAX}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    expect(pisb_slab_open(cases[i].descriptor, cases[i].capacity, &slab) == PISB_FAILED,
           "refusal %zu", i);
    expect(slab.descriptor == -1 && !slab.bytes, "slab after refusal %zu", i);
    if (i > 0) expect(fcntl(cases[i].descriptor, F_GETFD) >= 0, "descriptor %zu remains", i);
  }
  close(pipes[0]), close(pipes[1]), close(unsealed), close(file);
  pisb_slab_close(&source);
}

// A worker without filter: it cannot shrink the file or add seals; growth and holes change only the
// size and the data.
enum { COLLAPSE_RANGE = 8 }; // FALLOC_FL_COLLAPSE_RANGE

static int attack(const void *argument) {
  int descriptor = ((const pisb_slab *)argument)->descriptor;
  for (off_t size = 0; size < 4 * (off_t)page; size += 512)
    if (ftruncate(descriptor, size) == 0 || errno != EPERM) return 1;
  const int seals[] = {F_SEAL_WRITE, F_SEAL_GROW, F_SEAL_SHRINK, 16, PISB_SEALED};
  for (int i = 0; i < 5; i++)
    if (fcntl(descriptor, F_ADD_SEALS, seals[i]) == 0 || errno != EPERM) return 2;
  if (ftruncate(descriptor, 100 * (off_t)page) != 0) return 3;
  if (fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)page) != 0)
    return 4;
  return fallocate(descriptor, COLLAPSE_RANGE, 0, (off_t)page) == 0 ? 5 : 0;
}

static void test_attacks(void) {
  pisb_slab slab;
  pisb_slab_create(4 * page, &slab);
  memset(slab.bytes, 3, slab.capacity);
  int result = in_fork(attack, &slab);
  expect(result == 0, "attack on a slab: %d", result);
  expect(is_filled(slab.bytes, page, 0), "the hole");
  expect(is_filled(slab.bytes + page, 3 * page, 3), "the other pages");
  // The worker has grown the file further than the parent.
  expect(pisb_slab_grow(&slab, 8 * page) == PISB_OK, "growth after a foreign growth");
  memset(slab.bytes, 4, slab.capacity);
  expect(pisb_slab_release(&slab, 0) == PISB_OK && pisb_slab_resident(&slab) == 0, "release");
  pisb_slab_close(&slab);
}

void test_slabs(void) {
  test_sizes();
  test_growth();
  test_release();
  test_refusals();
  test_attacks();
}
