// An empty Landlock rule set: every handled access is denied.

#include "kernel.h"

#ifdef __linux__

// struct landlock_ruleset_attr of ABI 6 and 7. An older kernel accepts the size when the fields
// that it does not know are 0.
typedef struct ruleset {
  uint64_t handled_access_fs;  // ABI 1
  uint64_t handled_access_net; // ABI 4
  uint64_t scoped;             // ABI 6
} ruleset;

enum { NEWEST_VERSION = 7, CREATE_RULESET_VERSION = 1 };

static ruleset ruleset_of(int version) {
  // Access rights to files, bits of LANDLOCK_ACCESS_FS_*: 0 EXECUTE to 12 MAKE_SYM in ABI 1,
  // 13 REFER in ABI 2, 14 TRUNCATE in ABI 3, 15 IOCTL_DEV in ABI 5.
  int count = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
  return (ruleset){
      .handled_access_fs = (UINT64_C(1) << count) - 1,
      // LANDLOCK_ACCESS_NET_BIND_TCP and CONNECT_TCP.
      .handled_access_net = version >= 4 ? 3 : 0,
      // LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET and SIGNAL.
      .scoped = version >= 6 ? 3 : 0,
  };
}

int pisb_landlock_version(void) {
  long version = syscall(__NR_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
  return version > 0 ? (int)version : 0;
}

int pisb_landlock_apply(int *version) {
  *version = 0;
  long newest = syscall(__NR_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
  // ENOSYS: before Linux 5.13, or not compiled in. EOPNOTSUPP: switched off at boot.
  if (newest < 0) return errno == ENOSYS || errno == EOPNOTSUPP ? 0 : errno;
  int applied = newest > NEWEST_VERSION ? NEWEST_VERSION : (int)newest;
  ruleset rules = ruleset_of(applied);
  int descriptor = (int)syscall(__NR_landlock_create_ruleset, &rules, sizeof rules, 0);
  if (descriptor < 0) return errno;
  int code = syscall(__NR_landlock_restrict_self, descriptor, 0) == 0 ? 0 : errno;
  close(descriptor);
  if (code == 0) *version = applied;
  return code;
}

#endif
