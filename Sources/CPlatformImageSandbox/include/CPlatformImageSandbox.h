// CPlatformImageSandbox: processes, shared memory, messages and confinement for isolated decoding.
// Linux only; on other systems every function returns PISB_UNSUPPORTED, -1, 0 or NULL.
//
// Both sides of the protocol use these functions. Nothing here interprets a message: the calling
// code is Swift. Functions are safe to call from any thread on different objects.

#ifndef CPLATFORMIMAGESANDBOX_H
#define CPLATFORMIMAGESANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The descriptor of the worker's socket. The descriptors 0, 1 and 2 of a worker are an empty sealed
// memfd, so that a write to standard error fails and does not reach a file.
#define PISB_WORKER_SOCKET 3

// The largest message in bytes.
#define PISB_MAX_MESSAGE (64 * 1024)

typedef enum pisb_status {
  PISB_OK = 0,
  // The peer closed its socket.
  PISB_CLOSED = 1,
  // No message arrived in time.
  PISB_TIMED_OUT = 2,
  // The message is larger than the buffer, or has more or other descriptors than the call allows.
  // All received descriptors were closed.
  PISB_INVALID = 3,
  // Another system error: errno has the number.
  PISB_FAILED = 4,
  // This system has no such function.
  PISB_UNSUPPORTED = 5,
} pisb_status;

// --- Processes, for the parent ------------------------------------------------------------------

typedef struct pisb_process {
  int32_t process;    // process id
  int socket;         // the parent's end, SOCK_SEQPACKET, close-on-exec, non-blocking
  int process_handle; // pidfd, close-on-exec; -1 when the kernel has none (before 5.3)
} pisb_process;

typedef struct pisb_exit {
  bool was_signalled;
  int code; // exit status, or the number of the signal
} pisb_exit;

// Starts `path` with the one argument `argument0`, an empty environment, the descriptors 0 to 3
// described above and no other. Signals have their default actions and none is blocked.
//
// niceness: 0 to 19, added to the niceness of the main thread, not of the calling thread.
// The process has a higher oom_score_adj (proc_pid_oom_score_adj(5)) than this one, as far as the
// range allows, so that a lack of memory ends workers before their parent.
// PISB_FAILED with errno ENOENT, EACCES, ENOMEM, EAGAIN, EMFILE…; then `process` is unchanged.
pisb_status pisb_start(const char *path, const char *argument0, int niceness,
                       pisb_process *process);

// Sends SIGKILL, waits for the end of the process, closes both descriptors and sets them to -1, and
// `process` to 0.
// `exit` may be NULL. When the process was already waited for by other code of this program, `exit`
// is code 0 without signal. Calling it again has no effect.
void pisb_stop(pisb_process *process, pisb_exit *exit);

// --- Ends of idle workers, for the parent --------------------------------------------------------

// Creates a descriptor that ends pisb_wait (eventfd, close-on-exec); -1 with errno.
int pisb_create_alarm(void);
// Ends the current call of pisb_wait, or the next one. No effect with -1.
void pisb_signal_alarm(int alarm);
void pisb_close_alarm(int alarm);
// Waits until the alarm is signalled, the peer of one of `count` sockets has closed its end, a
// signal arrives, or `timeout_ms` have passed (-1: without limit). A socket may be closed in the
// meantime: the function only returns earlier. Without memory, waits only for the alarm.
void pisb_wait(int alarm, const int *sockets, size_t count, int timeout_ms);
// True when the peer of the socket has closed it, mostly because its process has ended.
bool pisb_has_ended(int socket);

// --- Messages -----------------------------------------------------------------------------------

// Sends one message of 1 to PISB_MAX_MESSAGE bytes (other sizes are PISB_INVALID) with at most one
// descriptor (-1 for none), without SIGPIPE. Waits while the
// socket's buffer is full, at most `timeout_ms` (-1: without limit).
pisb_status pisb_send(int socket, const void *bytes, size_t count, int descriptor, int timeout_ms);

// Receives one message. An empty one is PISB_CLOSED, because recvmsg(2) returns 0 for both.
// `descriptor` may be NULL: then a message with a descriptor is PISB_INVALID.
// Otherwise it becomes the received descriptor (close-on-exec) or -1. Waits at most `timeout_ms`
// (-1: without limit, 0: only a message that is already there).
pisb_status pisb_receive(int socket, void *bytes, size_t capacity, size_t *count, int *descriptor,
                         int timeout_ms);

// --- Shared memory ------------------------------------------------------------------------------

// A memfd that both sides map. It can grow, not shrink (F_SEAL_SHRINK), so that no access to a
// mapped page causes SIGBUS because of the peer.
typedef struct pisb_slab {
  int descriptor;
  size_t capacity; // bytes that are mapped, whole pages
  uint8_t *bytes;
} pisb_slab;

// Creates and maps a slab of at least `capacity` bytes; for the parent. PISB_FAILED with errno.
pisb_status pisb_slab_create(size_t capacity, pisb_slab *slab);
// Grows the memfd and the mapping to at least `capacity` bytes; `bytes` may move. On failure
// nothing changes.
pisb_status pisb_slab_grow(pisb_slab *slab, size_t capacity);
// Maps the first `capacity` bytes of a received descriptor; for the worker. Checks that the memfd
// has the seal and the size. Takes the descriptor on success.
pisb_status pisb_slab_open(int descriptor, size_t capacity, pisb_slab *slab);
// Maps more of a memfd that the parent has grown to at least `capacity` bytes; for the worker.
pisb_status pisb_slab_extend(pisb_slab *slab, size_t capacity);
// Returns the memory of the pages from `kept` bytes on to the system; they read as zero afterwards.
pisb_status pisb_slab_release(pisb_slab *slab, size_t kept);
// Unmaps and closes. Calling it again has no effect.
void pisb_slab_close(pisb_slab *slab);
// Bytes of the slab's pages that are allocated, in memory or in swap; 0 when unknown.
size_t pisb_slab_resident(const pisb_slab *slab);

// Copies `count` bytes out of a slab into `copy` and sets them to 0 in the slab, in blocks that
// stay in the processor's cache. The ranges must not overlap.
void pisb_move(uint8_t *slab_bytes, uint8_t *copy, size_t count);

// Creates a memfd with a copy of `bytes`, sealed against every change (F_SEAL_SEAL, SHRINK, GROW,
// WRITE), for an input. Returns the descriptor; -1 with errno (EINVAL for 0 bytes).
int pisb_sealed_copy(const void *bytes, size_t count);
// Maps a received input read-only. Checks that it is a memfd with all these seals and has exactly
// `count` bytes. Closes the descriptor in every case. NULL when the check or the mapping fails.
const uint8_t *pisb_map_input(int descriptor, size_t count);
void pisb_unmap_input(const uint8_t *bytes, size_t count);

// --- Confinement, for the worker ----------------------------------------------------------------

typedef struct pisb_limits {
  uint64_t address_space; // RLIMIT_AS in bytes; 0 for none
  uint64_t descriptors;   // RLIMIT_NOFILE; 0 for none
} pisb_limits;

typedef struct pisb_confinement {
  bool no_new_privileges;
  bool seccomp;
  int landlock; // ABI version of the rule set that was applied; 0 when the kernel has none
  bool limits;  // all resource limits were applied
  int error;    // errno of the first step that failed; 0 for none
} pisb_confinement;

// Closes all descriptors above PISB_WORKER_SOCKET. The worker calls it first, before it receives
// the slab: a parent can have descriptors that are not close-on-exec.
void pisb_close_others(void);

// Removes the pages of the program and its libraries from the memory of the process; the kernel
// maps those that are used again from its cache. Before pisb_confine.
void pisb_release_code(void);

// Lets malloc of glibc keep up to 8 MiB of freed memory, and use it for blocks of up to 4 MiB: a
// worker needs the same buffers for the next image. By default they are mapped and faulted in
// again.
void pisb_keep_freed_memory(void);

// Returns the memory that malloc of glibc has kept to the system; for a worker without requests.
// Also after pisb_confine.
void pisb_release_freed_memory(void);

// Applies PR_SET_NO_NEW_PRIVS, PR_SET_DUMPABLE 0, an empty Landlock rule set of the newest ABI up
// to 7 (file system, network, scopes), the resource limits (RLIMIT_CORE and RLIMIT_FSIZE are 0;
// SIGXFSZ is ignored, so that a write fails), an empty set of capabilities and, last, the seccomp
// filter. The filter kills the process on every system call outside of the table of
// pisb_allowed_call. The calling process must have one thread.
pisb_confinement pisb_confine(const pisb_limits *limits);

// One entry of the allow-list of this architecture.
typedef struct pisb_allowed_call {
  int number;
  const char *name;
  // The condition on arguments; NULL for none.
  const char *condition;
  // Why the worker needs the call.
  const char *reason;
  // True when Scripts/verify/isolation observes the call on Linux x86-64 with glibc of Debian 12.
  bool is_observed;
} pisb_allowed_call;

// The allow-list, `*count` entries in ascending order of the numbers.
const pisb_allowed_call *pisb_allowed_calls(size_t *count);

// --- Features of the kernel and of the container ------------------------------------------------

typedef struct pisb_support {
  char kernel[65]; // release of uname(2)
  bool seccomp_filter;
  int landlock; // ABI version, 0 for none
  bool memfd;
  bool process_handles; // pidfd_open
  int seccomp_mode;     // Seccomp of /proc/self/status: 0 none, 2 filter (as in most containers)
  bool no_new_privileges;
} pisb_support;

void pisb_read_support(pisb_support *support);

#ifdef __cplusplus
}
#endif

#endif
