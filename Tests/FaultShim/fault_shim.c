// A library for LD_PRELOAD that makes selected system calls on files below one folder fail: a
// number of consecutive calls from the n-th on, or random calls. The tests compile the library; the
// probe arms it. All other calls are forwarded to the C library.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The action for a selected call: an errno above 0, or one of these.
enum { SHORT = -1, KILL_BEFORE = -2, KILL_AFTER = -3, KILL_WITHIN = -4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  int armed;
  char folder[PATH_MAX];
  char calls[256]; // ",read,pread," or "*"
  int action;
  long at;           // the first call to fail, counted from 1; 0 = random calls
  long times;        // number of consecutive calls that fail; -1 = all
  unsigned permille; // probability of each call when `at` is 0
  uint64_t random;
  long seen, fired;
} plan;

// Calls whose name is in `calls` and whose path is below `folder` are counted and may fail. `calls`
// is "*" for all calls, or a list with a comma before and after each name.
void fault_arm(const char *folder, const char *calls, int action, long at, long times,
               unsigned permille, uint64_t seed) {
  pthread_mutex_lock(&lock);
  snprintf(plan.folder, sizeof plan.folder, "%s", folder);
  snprintf(plan.calls, sizeof plan.calls, "%s", calls);
  plan.action = action;
  plan.at = at;
  plan.times = times;
  plan.permille = permille;
  plan.random = seed;
  plan.seen = plan.fired = 0;
  plan.armed = 1;
  pthread_mutex_unlock(&lock);
}

// Ends the faults; returns the number of calls that failed.
long fault_disarm(void) {
  pthread_mutex_lock(&lock);
  plan.armed = 0;
  long fired = plan.fired;
  pthread_mutex_unlock(&lock);
  return fired;
}

// Returns the number of calls that matched since the last fault_arm, failed or not.
long fault_seen(void) {
  pthread_mutex_lock(&lock);
  long seen = plan.seen;
  pthread_mutex_unlock(&lock);
  return seen;
}

static uint64_t next_random(void) { // splitmix64
  uint64_t z = (plan.random += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// The path of a descriptor, from /proc. The path of a removed folder ends in " (deleted)"; its
// beginning does not change.
static void path_of(int fd, char path[PATH_MAX]) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
  path[length > 0 ? length : 0] = 0;
}

static int is_below(int fd, const char *name) {
  char path[PATH_MAX] = "";
  if (name && name[0] == '/') return strncmp(name, plan.folder, strlen(plan.folder)) == 0;
  if (fd != AT_FDCWD) path_of(fd, path);
  return strncmp(path, plan.folder, strlen(plan.folder)) == 0;
}

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

// Returns the action for this call; 0 = none. Preserves errno.
static int action_for_call(const char *call, int fd, const char *name) {
  int saved = errno, action = 0;
  pthread_mutex_lock(&lock);
  if (plan.armed) {
    char wanted[32];
    snprintf(wanted, sizeof wanted, ",%s,", call);
    if ((plan.calls[0] == '*' || strstr(plan.calls, wanted)) && is_below(fd, name)) {
      plan.seen++;
      int hit = plan.at
                    ? plan.seen >= plan.at && (plan.times < 0 || plan.seen < plan.at + plan.times)
                    : next_random() % 1000 < plan.permille;
      if (hit) {
        plan.fired++;
        action = plan.action;
      }
    }
  }
  pthread_mutex_unlock(&lock);
  errno = saved;
  if (action == KILL_BEFORE) die();
  return action;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// Body of a replaced function: fails with the errno of the action, or makes the call; after the
// call, kills the process if the action is KILL_AFTER or KILL_WITHIN.
#define GUARDED(call, fd, path, failure, expression)                                               \
  do {                                                                                             \
    int action = action_for_call(call, fd, path);                                                  \
    if (action > 0) {                                                                              \
      errno = action;                                                                              \
      return failure;                                                                              \
    }                                                                                              \
    __typeof__(expression) result = expression;                                                    \
    if (action == KILL_AFTER || action == KILL_WITHIN) die();                                      \
    return result;                                                                                 \
  } while (0)

// Like GUARDED, for calls that transfer `count` bytes. SHORT and KILL_WITHIN transfer half of the
// bytes, rounded up.
#define TRANSFER(call, fd, count, expression)                                                      \
  do {                                                                                             \
    int action = action_for_call(call, fd, NULL);                                                  \
    if (action > 0) {                                                                              \
      errno = action;                                                                              \
      return -1;                                                                                   \
    }                                                                                              \
    if ((action == SHORT || action == KILL_WITHIN) && count > 1) count = (count + 1) / 2;          \
    ssize_t result = expression;                                                                   \
    if (action == KILL_AFTER || action == KILL_WITHIN) die();                                      \
    return result;                                                                                 \
  } while (0)

static mode_t mode_argument(int flags, va_list list) {
  return flags & (O_CREAT | __O_TMPFILE) ? (mode_t)va_arg(list, int) : 0;
}

#define OPEN(name)                                                                                 \
  int name(const char *path, int flags, ...) {                                                     \
    va_list list;                                                                                  \
    va_start(list, flags);                                                                         \
    mode_t mode = mode_argument(flags, list);                                                      \
    va_end(list);                                                                                  \
    GUARDED("open", AT_FDCWD, path, -1, REAL(name)(path, flags, mode));                            \
  }
#define OPENAT(name)                                                                               \
  int name(int fd, const char *path, int flags, ...) {                                             \
    va_list list;                                                                                  \
    va_start(list, flags);                                                                         \
    mode_t mode = mode_argument(flags, list);                                                      \
    va_end(list);                                                                                  \
    GUARDED("openat", fd, path, -1, REAL(name)(fd, path, flags, mode));                            \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

ssize_t read(int fd, void *bytes, size_t count) {
  TRANSFER("read", fd, count, REAL(read)(fd, bytes, count));
}
ssize_t write(int fd, const void *bytes, size_t count) {
  TRANSFER("write", fd, count, REAL(write)(fd, bytes, count));
}
ssize_t pread(int fd, void *bytes, size_t count, off_t offset) {
  TRANSFER("pread", fd, count, REAL(pread)(fd, bytes, count, offset));
}
ssize_t pread64(int fd, void *bytes, size_t count, off64_t offset) {
  TRANSFER("pread", fd, count, REAL(pread64)(fd, bytes, count, offset));
}
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  TRANSFER("pwrite", fd, count, REAL(pwrite)(fd, bytes, count, offset));
}
ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t offset) {
  TRANSFER("pwrite", fd, count, REAL(pwrite64)(fd, bytes, count, offset));
}

int rename(const char *from, const char *to) {
  GUARDED("rename", AT_FDCWD, from, -1, REAL(rename)(from, to));
}
int renameat(int fromfd, const char *from, int tofd, const char *to) {
  GUARDED("rename", fromfd, from, -1, REAL(renameat)(fromfd, from, tofd, to));
}
int renameat2(int fromfd, const char *from, int tofd, const char *to, unsigned flags) {
  GUARDED("rename", fromfd, from, -1, REAL(renameat2)(fromfd, from, tofd, to, flags));
}
int unlink(const char *path) { GUARDED("unlink", AT_FDCWD, path, -1, REAL(unlink)(path)); }
int unlinkat(int fd, const char *path, int flags) {
  GUARDED("unlink", fd, path, -1, REAL(unlinkat)(fd, path, flags));
}
int mkdir(const char *path, mode_t mode) {
  GUARDED("mkdir", AT_FDCWD, path, -1, REAL(mkdir)(path, mode));
}
int mkdirat(int fd, const char *path, mode_t mode) {
  GUARDED("mkdir", fd, path, -1, REAL(mkdirat)(fd, path, mode));
}
int ftruncate(int fd, off_t length) {
  GUARDED("ftruncate", fd, NULL, -1, REAL(ftruncate)(fd, length));
}
int ftruncate64(int fd, off64_t length) {
  GUARDED("ftruncate", fd, NULL, -1, REAL(ftruncate64)(fd, length));
}
int fstat(int fd, struct stat *status) { GUARDED("fstat", fd, NULL, -1, REAL(fstat)(fd, status)); }
int fstat64(int fd, struct stat64 *status) {
  GUARDED("fstat", fd, NULL, -1, REAL(fstat64)(fd, status));
}
int fstatat(int fd, const char *path, struct stat *status, int flags) {
  GUARDED("fstat", fd, path, -1, REAL(fstatat)(fd, path, status, flags));
}
int futimens(int fd, const struct timespec times[2]) {
  GUARDED("futimens", fd, NULL, -1, REAL(futimens)(fd, times));
}
int flock(int fd, int operation) { GUARDED("flock", fd, NULL, -1, REAL(flock)(fd, operation)); }
DIR *fdopendir(int fd) { GUARDED("readdir", fd, NULL, NULL, REAL(fdopendir)(fd)); }
DIR *opendir(const char *path) { GUARDED("readdir", AT_FDCWD, path, NULL, REAL(opendir)(path)); }
struct dirent *readdir(DIR *directory) {
  GUARDED("readdir", dirfd(directory), NULL, NULL, REAL(readdir)(directory));
}

// Linux releases the descriptor whatever close returns, so the real call is always made.
int close(int fd) {
  int action = action_for_call("close", fd, NULL);
  int result = REAL(close)(fd);
  if (action == KILL_AFTER || action == KILL_WITHIN) die();
  if (action <= 0) return result;
  errno = action;
  return -1;
}
