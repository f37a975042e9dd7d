// Sockets and files: calls with results that need no errno.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/sendfile.h>
#endif

#include "CPlatformImageUV.h"

union socket_address {
  struct sockaddr any;
  struct sockaddr_in ip4;
  struct sockaddr_in6 ip6;
  struct sockaddr_un path;
  struct sockaddr_storage storage;
};

static void set_address(piuv_address *result, const union socket_address *address) {
  memset(result, 0, sizeof *result);
  if (address->any.sa_family == AF_INET) {
    result->family = 4;
    memcpy(result->bytes, &address->ip4.sin_addr, 4);
    result->port = ntohs(address->ip4.sin_port);
  } else if (address->any.sa_family == AF_INET6) {
    result->family = 6;
    memcpy(result->bytes, &address->ip6.sin6_addr, 16);
    result->port = ntohs(address->ip6.sin6_port);
    result->scope = address->ip6.sin6_scope_id;
  }
}

static socklen_t get_address(union socket_address *result, const piuv_address *address) {
  memset(result, 0, sizeof *result);
  if (address->family == 4) {
    result->ip4.sin_family = AF_INET;
    memcpy(&result->ip4.sin_addr, address->bytes, 4);
    result->ip4.sin_port = htons(address->port);
    return sizeof result->ip4;
  }
  result->ip6.sin6_family = AF_INET6;
  memcpy(&result->ip6.sin6_addr, address->bytes, 16);
  result->ip6.sin6_port = htons(address->port);
  result->ip6.sin6_scope_id = address->scope;
  return sizeof result->ip6;
}

int32_t piuv_resolve(const char *host, uint16_t port, piuv_address *result, const char **message) {
  struct addrinfo hints = {
      .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
  struct addrinfo *found = NULL;
  int error = getaddrinfo(host, NULL, &hints, &found);
  if (error) {
    *message = gai_strerror(error);
    return -EINVAL;
  }
  int32_t status = -EINVAL;
  *message = "the name has no IP address";
  for (struct addrinfo *each = found; each; each = each->ai_next) {
    if (each->ai_addrlen > sizeof(union socket_address)) continue;
    union socket_address address;
    memcpy(&address, each->ai_addr, each->ai_addrlen);
    set_address(result, &address);
    if (!result->family) continue;
    result->port = port;
    status = 0;
    break;
  }
  freeaddrinfo(found);
  return status;
}

// Makes a new descriptor non-blocking and closed by exec.
static int prepare(int descriptor) {
  if (descriptor < 0) return -errno;
  if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) || fcntl(descriptor, F_SETFL, O_NONBLOCK)) {
    int error = errno;
    close(descriptor);
    return -error;
  }
  return descriptor;
}

static int new_socket(int family) {
#ifdef __linux__
  int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  return descriptor < 0 ? -errno : descriptor;
#else
  return prepare(socket(family, SOCK_STREAM, 0));
#endif
}

static bool set_option(int descriptor, int level, int option, int value) {
  return setsockopt(descriptor, level, option, &value, sizeof value) == 0;
}

static int32_t failed(int descriptor) {
  int error = errno;
  close(descriptor);
  return -error;
}

int32_t piuv_bind(const piuv_address *address, bool shares_port) {
  union socket_address native;
  socklen_t size = get_address(&native, address);
  int descriptor = new_socket(native.any.sa_family);
  if (descriptor < 0) return descriptor;
  // Accepted sockets inherit the options.
  if (!set_option(descriptor, SOL_SOCKET, SO_REUSEADDR, 1) ||
      !set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1) ||
      (shares_port && !set_option(descriptor, SOL_SOCKET, SO_REUSEPORT, 1)) ||
      bind(descriptor, &native.any, size))
    return failed(descriptor);
#ifdef TCP_NOTSENT_LOWAT
  // The kernel holds only so many bytes for a client that does not read, besides those on the way.
  set_option(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, 131072);
#endif
  return descriptor;
}

int32_t piuv_share_port(int32_t descriptor) {
  return set_option(descriptor, SOL_SOCKET, SO_REUSEPORT, 1) ? 0 : -errno;
}

int32_t piuv_bind_path(const char *path) {
  union socket_address address;
  memset(&address, 0, sizeof address);
  address.path.sun_family = AF_UNIX;
  size_t size = strlen(path);
  if (size == 0 || size >= sizeof address.path.sun_path) return -ENAMETOOLONG;
  memcpy(address.path.sun_path, path, size);
  int descriptor = new_socket(AF_UNIX);
  if (descriptor < 0) return descriptor;
  if (bind(descriptor, &address.any, sizeof address.path) == 0) return descriptor;
  if (errno != EADDRINUSE) return failed(descriptor);
  struct stat file;
  if (lstat(path, &file) || !S_ISSOCK(file.st_mode)) {
    errno = EADDRINUSE;
    return failed(descriptor);
  }
  // A process that ended abnormally leaves its socket file behind; only then connect is refused.
  int probe = new_socket(AF_UNIX);
  if (probe < 0) {
    close(descriptor);
    return probe;
  }
  int connected = connect(probe, &address.any, sizeof address.path);
  int error = errno;
  close(probe);
  if (connected == 0 || error != ECONNREFUSED) {
    errno = EADDRINUSE;
    return failed(descriptor);
  }
  if (unlink(path) || bind(descriptor, &address.any, sizeof address.path))
    return failed(descriptor);
  return descriptor;
}

void piuv_remove_socket(const char *path) {
  struct stat file;
  if (lstat(path, &file) == 0 && S_ISSOCK(file.st_mode)) unlink(path);
}

int32_t piuv_listen(int32_t descriptor) { return listen(descriptor, 4096) ? -errno : 0; }

int32_t piuv_local_port(int32_t descriptor) {
  union socket_address address;
  memset(&address, 0, sizeof address);
  socklen_t size = sizeof address;
  if (getsockname(descriptor, &address.any, &size)) return -errno;
  piuv_address result;
  set_address(&result, &address);
  return result.port;
}

int32_t piuv_accept(int32_t listener, piuv_address *peer) {
  for (int attempt = 0; attempt < 64; attempt++) {
    union socket_address address;
    memset(&address, 0, sizeof address);
    socklen_t size = sizeof address;
#ifdef __linux__
    int descriptor = accept4(listener, &address.any, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
#else
    int descriptor = accept(listener, &address.any, &size);
    if (descriptor >= 0) {
      descriptor = prepare(descriptor);
      if (descriptor < 0) continue;
      set_option(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1);
    }
#endif
    if (descriptor >= 0) {
      set_address(peer, &address);
      return descriptor;
    }
    switch (errno) {
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM: return PIUV_NO_DESCRIPTORS;
    case EAGAIN:
#if EAGAIN != EWOULDBLOCK
    case EWOULDBLOCK:
#endif
      return PIUV_WOULD_BLOCK;
    case EBADF:
    case EINVAL:
    case ENOTSOCK:
    case EOPNOTSUPP:
    case EFAULT: return PIUV_BROKEN;
    default:
      // The client has left before it was accepted, or a signal arrived.
      continue;
    }
  }
  return PIUV_WOULD_BLOCK;
}

int32_t piuv_socket_pair(int32_t descriptors[2]) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, descriptors)) return -errno;
  for (int i = 0; i < 2; i++) {
    if (prepare(descriptors[i]) < 0) {
      int error = errno;
      close(descriptors[1 - i]);
      return -error;
    }
  }
  return 0;
}

static int64_t result(ssize_t count) {
  if (count >= 0) return count;
  return errno == EAGAIN || errno == EWOULDBLOCK ? PIUV_WOULD_BLOCK : PIUV_BROKEN;
}

int64_t piuv_receive(int32_t descriptor, uint8_t *bytes, size_t size) {
  ssize_t count;
  do count = recv(descriptor, bytes, size, 0);
  while (count < 0 && errno == EINTR);
  return result(count);
}

int64_t piuv_send(int32_t descriptor, const uint8_t *first, size_t first_size,
                  const uint8_t *second, size_t second_size) {
  // The kernel reads the buffers only; iovec has no const.
  struct iovec parts[2] = {{(void *)(uintptr_t)first, first_size},
                           {(void *)(uintptr_t)second, second_size}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = second_size > 0 ? 2 : 1};
#ifdef MSG_NOSIGNAL
  int flags = MSG_NOSIGNAL;
#else
  int flags = 0;
#endif
  ssize_t count;
  do count = sendmsg(descriptor, &message, flags);
  while (count < 0 && errno == EINTR);
  return result(count);
}

int64_t piuv_send_file(int32_t descriptor, int32_t file, int64_t offset, size_t size) {
#ifdef __linux__
  off_t position = offset;
  ssize_t count;
  do count = sendfile(descriptor, file, &position, size);
  while (count < 0 && errno == EINTR);
  return result(count);
#else
  off_t sent = (off_t)size;
  int status = sendfile(file, descriptor, offset, &sent, NULL, 0);
  return status == 0 || sent > 0 ? sent : result(-1);
#endif
}

void piuv_shut_down_output(int32_t descriptor) { shutdown(descriptor, SHUT_WR); }

void piuv_reset_on_close(int32_t descriptor) {
  struct linger linger = {.l_onoff = 1, .l_linger = 0};
  setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

void piuv_close(int32_t descriptor) { close(descriptor); }

int32_t piuv_open_file(const char *path, int64_t *size) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return -errno;
  struct stat file;
  if (fstat(descriptor, &file)) return failed(descriptor);
  if (!S_ISREG(file.st_mode)) {
    close(descriptor);
    return -EINVAL;
  }
  *size = file.st_size;
  return descriptor;
}
