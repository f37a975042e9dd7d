// Operations that the filter allows: at least one for every entry of the allow-list, except exit,
// exit_group and recvmsg, which the child "confined" calls itself.

#include "tests.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <time.h>

static volatile sig_atomic_t handled;
static int input = -1;
static pisb_slab slab = {.descriptor = -1};

static void handle(int signal) { handled = signal; }

// pisb_close_others closes descriptors above PISB_WORKER_SOCKET. So 0 and 1 become the memory files
// here; a real worker receives them in messages.
void prepare_operations(void) {
  struct sigaction action = {.sa_handler = handle};
  sigaction(SIGURG, &action, NULL); // ignored by default
  pisb_slab source;
  if (pisb_slab_create(1 << 20, &source) != PISB_OK) _exit(3);
  input = pisb_sealed_copy("abcd", 4);
  if (dup2(source.descriptor, 0) != 0 || dup2(input, 1) != 1) _exit(3);
}

static bool writes_fail(void) {
  struct iovec part = {(void *)"x", 1};
  return write(2, "x", 1) < 0 && errno == EFBIG && writev(2, &part, 1) < 0 && errno == EFBIG;
}

static bool allocates(void) {
  // Small blocks (brk), large ones (mmap, mremap, munmap), and a trimmed heap (brk, madvise).
  enum { BLOCKS = 4000 };
  static void *blocks[BLOCKS];
  for (int i = 0; i < BLOCKS; i++)
    if (!(blocks[i] = malloc((size_t)i % 900 + 1))) return false;
  // The last block keeps the end of the heap, so that the pages below it are released with madvise.
  for (int i = 0; i < BLOCKS - 1; i++) free(blocks[i]);
  pisb_release_freed_memory();
  free(blocks[BLOCKS - 1]);
  pisb_release_freed_memory();
  char *large = malloc(1 << 20);
  for (int i = 2; i < 40 && large; i++) {
    large = realloc(large, (size_t)i << 20);
    if (large) large[((size_t)i << 20) - 1] = 1;
  }
  free(large);
  return large != NULL;
}

static bool changes_mappings(void) {
  char *bytes = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED || mprotect(bytes, 8192, PROT_READ | PROT_WRITE) != 0) return false;
  bytes[0] = 1;
  bool is_done = madvise(bytes, 8192, MADV_DONTNEED) == 0 && bytes[0] == 0 &&
                 madvise(bytes, 8192, MADV_FREE) == 0;
  bytes = mremap(bytes, 8192, 1 << 20, MREMAP_MAYMOVE);
  return is_done && bytes != MAP_FAILED && munmap(bytes, 1 << 20) == 0;
}

static bool opens_slab(void) {
  return pisb_slab_open(0, 4096, &slab) == PISB_OK && pisb_slab_extend(&slab, 1 << 20) == PISB_OK &&
         (slab.bytes[(1 << 20) - 1] = 1) == 1;
}

static bool maps_input(void) {
  const uint8_t *bytes = pisb_map_input(1, 4);
  bool is_equal = bytes && memcmp(bytes, "abcd", 4) == 0;
  pisb_unmap_input(bytes, 4);
  return is_equal;
}

// The confinement resets handlers, except with sanitizers.
static bool resets_handler(void) {
  sigset_t none;
  sigemptyset(&none);
  return sigprocmask(SIG_SETMASK, &none, NULL) == 0 &&
         syscall(__NR_tgkill, getpid(), getpid(), SIGURG) == 0 &&
         handled == (IS_SANITIZED ? SIGURG : 0) && syscall(__NR_tkill, getpid(), 0) == 0;
}

static bool reads_numbers(void) {
  struct timespec time;
  struct sysinfo info;
  uint8_t seed[8];
  return syscall(__NR_getpid) == getpid() && syscall(__NR_gettid) == getpid() &&
         syscall(__NR_clock_gettime, CLOCK_MONOTONIC, &time) == 0 && sysinfo(&info) == 0 &&
         syscall(__NR_getrandom, seed, 8, 0) == 8;
}

static bool waits(void) {
  static int word = 1;
  struct timespec none = {0, 0};
  bool is_done = true;
  const int calls[] = {0, 9, 0 | 128, 9 | 128, 9 | 256}; // WAIT, WAIT_BITSET
  for (int i = 0; i < 5; i++)
    is_done =
        syscall(__NR_futex, &word, calls[i], 2, &none, NULL, -1) < 0 && errno == EAGAIN && is_done;
  is_done = syscall(__NR_futex, &word, 1, 1, NULL, NULL, 0) == 0 && is_done;
  is_done = syscall(__NR_futex, &word, 10 | 128, 1, NULL, NULL, -1) == 0 && is_done;
  return sched_yield() == 0 && syscall(__NR_restart_syscall) < 0 && errno == EINTR && is_done;
}

static int compare(const void *a, const void *b) {
  return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

static bool sorts(void) {
  static int numbers[5000];
  for (int i = 0; i < 5000; i++) numbers[i] = i * 7919 % 5003;
  qsort(numbers, 5000, sizeof(int), compare);
  for (int i = 1; i < 5000; i++)
    if (numbers[i] < numbers[i - 1]) return false;
  return true;
}

// The limit of the address space of the child "confined" is 2 GiB.
static bool large_block_fails(void) {
  void *volatile block = IS_SANITIZED ? NULL : malloc((size_t)3 << 30);
  bool fails = block == NULL;
  free(block);
  return fails;
}

const operation operations[] = {
    {"write", writes_fail},
    {"malloc", allocates},
    {"mprotect", changes_mappings},
    {"slab", opens_slab},
    {"input", maps_input},
    {"signals", resets_handler},
    {"numbers", reads_numbers},
    {"futex", waits},
    {"qsort", sorts},
    {"address space", large_block_fails},
};
const int operation_count = sizeof operations / sizeof operations[0];
