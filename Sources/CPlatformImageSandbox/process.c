// Start of a worker process.

#include "kernel.h"

#ifdef __linux__

#include <dirent.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>

// Resources of one start. Both descriptors are above PISB_WORKER_SOCKET: a dup2 of a descriptor
// onto its own number would keep its close-on-exec flag, and one of 0 to 3 could be overwritten
// before it is duplicated.
typedef struct inherited {
  int empty;  // sealed memfd for 0, 1 and 2
  int socket; // the worker's end
} inherited;

static int create_inherited(inherited *inherited, int *parent_socket);
static int spawn(const char *path, const char *argument0, inherited inherited, pid_t *process);
static void add_niceness(pid_t process, int niceness);
static void raise_oom_score(pid_t process);

pisb_status pisb_start(const char *path, const char *argument0, int niceness,
                       pisb_process *process) {
  inherited inherited = {-1, -1};
  int socket = -1, handle = -1;
  pid_t child = 0;
  int code = create_inherited(&inherited, &socket);
  if (code == 0) code = spawn(path, argument0, inherited, &child);
  pisb_close(inherited.empty), pisb_close(inherited.socket);
  if (code == 0) {
    add_niceness(child, niceness);
    raise_oom_score(child);
    handle = (int)syscall(__NR_pidfd_open, child, 0);
    // ENOSYS: before Linux 5.3. EPERM: the filter of an older container runtime. Without a handle,
    // pisb_stop uses the process id. Other errors: no descriptor is left (EMFILE, ENFILE, ENOMEM),
    // or other code of this program has already waited for the process (ESRCH).
    if (handle < 0 && errno != ENOSYS && errno != EPERM) code = errno;
    if (code != 0 && code != ESRCH) {
      pisb_process failed = {child, socket, -1};
      pisb_stop(&failed, NULL);
      socket = -1;
    }
  }
  if (code != 0) {
    pisb_close(socket);
    errno = code;
    return PISB_FAILED;
  }
  *process = (pisb_process){child, socket, handle};
  return PISB_OK;
}

// Replaces a descriptor of 0 to 3 by a duplicate above; returns false with errno.
static bool move_up(int *descriptor) {
  if (*descriptor > PISB_WORKER_SOCKET) return true;
  int duplicate = fcntl(*descriptor, F_DUPFD_CLOEXEC, PISB_WORKER_SOCKET + 1);
  if (duplicate < 0) return false;
  close(*descriptor);
  *descriptor = duplicate;
  return true;
}

// A message and its bookkeeping must fit into the send buffer. The system's default is 208 KiB, but
// an administrator can lower it.
static bool enlarge_send_buffer(int socket) {
  int size = 0;
  socklen_t length = sizeof size;
  if (getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, &length) != 0) return false;
  if (size >= 2 * PISB_MAX_MESSAGE) return true;
  size = PISB_MAX_MESSAGE; // the kernel doubles the value
  return setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, sizeof size) == 0;
}

static int create_inherited(inherited *inherited, int *parent_socket) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return errno;
  *parent_socket = ends[0], inherited->socket = ends[1];
  inherited->empty = pisb_memfd("pisb-empty");
  if (inherited->empty < 0 || fcntl(inherited->empty, F_ADD_SEALS, PISB_SEALED) != 0 ||
      !enlarge_send_buffer(ends[0]) || !enlarge_send_buffer(ends[1]) ||
      fcntl(ends[0], F_SETFL, O_RDWR | O_NONBLOCK) != 0 || !move_up(&inherited->empty) ||
      !move_up(&inherited->socket))
    return errno;
  return 0;
}

// The descriptors of this program above PISB_WORKER_SOCKET need not be close-on-exec: it is a
// library in a foreign program. pisb_close_others closes those that this function misses.
static int close_others(posix_spawn_file_actions_t *actions) {
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
#define PISB_HAS_CLOSEFROM
#endif
#endif
#ifdef PISB_HAS_CLOSEFROM
  return posix_spawn_file_actions_addclosefrom_np(actions, PISB_WORKER_SOCKET + 1);
#else
  // A descriptor that another thread closes meanwhile is no error of posix_spawn.
  DIR *directory = opendir("/proc/self/fd");
  if (!directory) return 0;
  int code = 0;
  for (struct dirent *entry; code == 0 && (entry = readdir(directory)) != NULL;) {
    int descriptor = atoi(entry->d_name);
    if (descriptor > PISB_WORKER_SOCKET)
      code = posix_spawn_file_actions_addclose(actions, descriptor);
  }
  closedir(directory);
  return code;
#endif
}

static int add_actions(posix_spawn_file_actions_t *actions, inherited inherited) {
  int code = 0;
  for (int target = 0; target < PISB_WORKER_SOCKET && code == 0; target++)
    code = posix_spawn_file_actions_adddup2(actions, inherited.empty, target);
  if (code == 0)
    code = posix_spawn_file_actions_adddup2(actions, inherited.socket, PISB_WORKER_SOCKET);
  return code == 0 ? close_others(actions) : code;
}

static int spawn(const char *path, const char *argument0, inherited inherited, pid_t *process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) return code;
  code = posix_spawnattr_init(&attributes);
  if (code == 0) {
    sigset_t none, all;
    sigemptyset(&none), sigfillset(&all);
    char *arguments[] = {(char *)argument0, NULL}, *environment[] = {NULL};
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    code = add_actions(&actions, inherited);
    if (code == 0) code = posix_spawn(process, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

// posix_spawn has no attribute for it. The process has one thread, so that the niceness of that
// thread is the niceness of all later ones. A failure only changes the scheduling.
static void add_niceness(pid_t process, int niceness) {
  if (niceness <= 0) return;
  int value = getpriority(PRIO_PROCESS, (id_t)getpid()) + niceness;
  setpriority(PRIO_PROCESS, (id_t)process, value > 19 ? 19 : value);
}

// Range of oom_score_adj. One unit is a thousandth of the memory that the OOM killer considers: a
// process with a value that is higher by 1000 is ended first, whatever both processes use.
enum { MOST_OOM_SCORE = 1000, OOM_SCORE_STEP = 1000 };

static int read_oom_score(int *value) {
  char text[16];
  int file = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  ssize_t count = read(file, text, sizeof text - 1);
  pisb_close(file);
  if (count <= 0) return EIO;
  text[count] = 0;
  *value = (int)strtol(text, NULL, 10);
  return 0;
}

// Before the process makes itself not dumpable, because the file then belongs to root. A failure
// (no /proc) only changes the choice of the OOM killer.
static void raise_oom_score(pid_t process) {
  int value = 0;
  char path[40], text[16];
  if (read_oom_score(&value) != 0) return;
  value = value >= MOST_OOM_SCORE - OOM_SCORE_STEP ? MOST_OOM_SCORE : value + OOM_SCORE_STEP;
  snprintf(path, sizeof path, "/proc/%d/oom_score_adj", (int)process);
  int length = snprintf(text, sizeof text, "%d", value);
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  if (write(file, text, (size_t)length) < 0) {
    // The value of the parent remains.
  }
  pisb_close(file);
}

#endif
