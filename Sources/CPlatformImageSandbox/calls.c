// The allow-list of system calls of a worker, with the reason for each.
//
// Not in the list although the C library offers them: every call with a path, a new descriptor, a
// new process or thread, a signal handler, or another process. fstat, because several C libraries
// use newfstatat for it. poll and read, because messages are received with recvmsg on a blocking
// socket.

#include "kernel.h"

#ifdef __linux__

#if defined(__x86_64__) || defined(__aarch64__)

#define CALL(name, condition, reason, is_observed)                                                 \
  { __NR_##name, #name, condition, reason, is_observed }

#define BRK CALL(brk, NULL, "malloc: the heap of the C library grows and shrinks", true)
#define CLOCK_GETTIME                                                                              \
  CALL(clock_gettime, NULL, "deadlines, on machines whose clock has no vDSO function", false)
#define CLOSE CALL(close, NULL, "pisb_map_input closes a received descriptor", true)
#define EXIT CALL(exit, NULL, "end of the only thread, in C libraries that end with it", false)
#define EXIT_GROUP                                                                                 \
  CALL(exit_group, NULL, "the worker exits when the parent closes the socket", true)
#define FCNTL                                                                                      \
  CALL(fcntl, "command is F_GET_SEALS",                                                            \
       "seals of a received memfd are checked before it is mapped", true)
#define FUTEX                                                                                      \
  CALL(futex, "operation is WAIT, WAKE, WAIT_BITSET or WAKE_BITSET",                               \
       "locks and one-time initialization of the C library and of the Swift runtime", false)
#define GETPID CALL(getpid, NULL, "abort of glibc sends SIGABRT to its own process id", true)
#define GETRANDOM                                                                                  \
  CALL(getrandom, NULL, "seed of Swift's Hasher, and key of the malloc cache of glibc", true)
#define GETTID CALL(gettid, NULL, "abort of glibc, and the owner field of Swift's Mutex", true)
#define LSEEK CALL(lseek, NULL, "size of a received memfd is checked before it is mapped", true)
#define MADVISE                                                                                    \
  CALL(madvise, "advice is DONTNEED, FREE or HUGEPAGE",                                            \
       "free returns memory to the system; buffers for pixels use huge pages", true)
#define MMAP CALL(mmap, "without PROT_EXEC", "malloc of large blocks, slab, inputs", true)
#define MPROTECT                                                                                   \
  CALL(mprotect, "without PROT_EXEC", "malloc of musl, and heaps of further threads in glibc",     \
       false)
#define MREMAP CALL(mremap, NULL, "realloc of large blocks, and the growth of a slab", true)
#define MUNMAP CALL(munmap, NULL, "free of large blocks, and the end of an input", true)
#define RECVMSG CALL(recvmsg, NULL, "requests of the parent", true)
#define RESTART_SYSCALL                                                                            \
  CALL(restart_syscall, NULL, "the kernel continues a timed futex wait after SIGSTOP and SIGCONT", \
       false)
#define RT_SIGPROCMASK CALL(rt_sigprocmask, NULL, "abort blocks and restores signals", true)
#define RT_SIGRETURN CALL(rt_sigreturn, NULL, "return from a signal handler", false)
#define SCHED_YIELD CALL(sched_yield, NULL, "spin loops of C++ and sanitizer run times", false)
#define SENDMSG CALL(sendmsg, NULL, "answers to the parent", true)
#define SIGALTSTACK CALL(sigaltstack, NULL, "the address sanitizer frees its stack at exit", false)
#define SYSINFO CALL(sysinfo, NULL, "qsort of more than 1 KiB in glibc before 2.37, once", false)
#define TGKILL                                                                                     \
  CALL(tgkill, "to the worker itself", "abort of glibc, so that a worker ends with SIGABRT", true)
#define TKILL                                                                                      \
  CALL(tkill, "to the worker itself", "abort of musl, so that a worker ends with SIGABRT", false)
#define WRITE                                                                                      \
  CALL(write, "descriptor is 0, 1 or 2",                                                           \
       "messages on standard error; they fail and are discarded", false)
#define WRITEV                                                                                     \
  CALL(writev, "descriptor is 0, 1 or 2", "messages of the C library before abort; they fail", true)

// In ascending order of the numbers.
static const pisb_allowed_call calls[] = {
#if defined(__x86_64__)
    WRITE,         CLOSE,      LSEEK,       MMAP,
    MPROTECT,      MUNMAP,     BRK,         RT_SIGPROCMASK,
    RT_SIGRETURN,  WRITEV,     SCHED_YIELD, MREMAP,
    MADVISE,       GETPID,     SENDMSG,     RECVMSG,
    EXIT,          FCNTL,      SYSINFO,
#ifdef PISB_IS_SANITIZED
    SIGALTSTACK,
#endif
    GETTID,        TKILL,      FUTEX,       RESTART_SYSCALL,
    CLOCK_GETTIME, EXIT_GROUP, TGKILL,      GETRANDOM,
#else
    FCNTL,
    CLOSE,
    LSEEK,
    WRITE,
    WRITEV,
    EXIT,
    EXIT_GROUP,
    FUTEX,
    CLOCK_GETTIME,
    SCHED_YIELD,
    RESTART_SYSCALL,
    TKILL,
    TGKILL,
#ifdef PISB_IS_SANITIZED
    SIGALTSTACK,
#endif
    RT_SIGPROCMASK,
    RT_SIGRETURN,
    GETPID,
    GETTID,
    SYSINFO,
    SENDMSG,
    RECVMSG,
    BRK,
    MUNMAP,
    MREMAP,
    MMAP,
    MPROTECT,
    MADVISE,
    GETRANDOM,
#endif
};

const pisb_allowed_call *pisb_allowed_calls(size_t *count) {
  *count = sizeof calls / sizeof calls[0];
  return calls;
}

#else

// No filter exists for this architecture, see seccomp.c.
const pisb_allowed_call *pisb_allowed_calls(size_t *count) {
  *count = 0;
  return NULL;
}

#endif
#endif
