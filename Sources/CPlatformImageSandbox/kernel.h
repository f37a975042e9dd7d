// Constants and structures of the Linux kernel that older headers lack. No header of linux/ is
// included: musl installs none, and those of Debian 12 end at Linux 6.1.

#ifndef PISB_KERNEL_H
#define PISB_KERNEL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CPlatformImageSandbox.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Builds with the address, thread or memory sanitizer.
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define PISB_IS_SANITIZED
#endif
#endif
#if (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)) && !defined(PISB_IS_SANITIZED)
#define PISB_IS_SANITIZED
#endif

// Numbers from the table that all architectures share, except Alpha.
#ifndef __NR_pidfd_send_signal
#define __NR_pidfd_send_signal 424
#endif
#ifndef __NR_pidfd_open
#define __NR_pidfd_open 434
#endif
#ifndef __NR_close_range
#define __NR_close_range 436
#endif
#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#endif
#ifndef __NR_landlock_restrict_self
#define __NR_landlock_restrict_self 446
#endif

// waitid(2), since Linux 5.4. P_PIDFD is an enumerator in glibc.
#define PISB_P_PIDFD 3

// memfd_create(2); the last one since Linux 6.3.
#define PISB_MFD_CLOEXEC 0x1u
#define PISB_MFD_ALLOW_SEALING 0x2u
#define PISB_MFD_NOEXEC_SEAL 0x8u

// fcntl(2).
#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#define F_GET_SEALS 1034
#endif
#ifndef F_SEAL_SEAL
#define F_SEAL_SEAL 1
#define F_SEAL_SHRINK 2
#define F_SEAL_GROW 4
#define F_SEAL_WRITE 8
#endif

// The seals of a memfd that never changes.
#define PISB_SEALED (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

// Creates an empty memfd, close-on-exec, that is not executable and accepts seals.
int pisb_memfd(const char *name);

// Size of a memfd in bytes; -1 with errno. lseek and not fstat: fstat of glibc 2.33 to 2.38 calls
// newfstatat, and a filter that allows newfstatat allows the metadata of every path.
static inline int64_t pisb_memfd_size(int descriptor) { return lseek(descriptor, 0, SEEK_END); }

// close(2) that keeps errno.
static inline void pisb_close(int descriptor) {
  int code = errno;
  if (descriptor >= 0) close(descriptor);
  errno = code;
}

// Steps of pisb_confine. Each returns 0 or the errno of the failure.
int pisb_landlock_apply(int *version);
int pisb_landlock_version(void);
int pisb_seccomp_apply(void);
bool pisb_seccomp_is_available(void);

#endif
#endif
