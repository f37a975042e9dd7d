#ifndef _GNU_SOURCE
#define _GNU_SOURCE // accept4, pipe2
#endif

#include "CPlatformImageOriginProtocols.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024 };

#ifndef __linux__
static int prepare(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0) return -1;
  return fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}
#endif

static int close_after_error(int descriptor) {
  int error = errno;
  close(descriptor);
  return -error;
}

static int listening(const struct addrinfo *address) {
#ifdef __linux__
  int type = address->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC;
#else
  int type = address->ai_socktype;
#endif
  int descriptor = socket(address->ai_family, type, address->ai_protocol);
  if (descriptor < 0) return -errno;
#ifndef __linux__
  if (prepare(descriptor) != 0) return close_after_error(descriptor);
#endif
  int one = 1;
  if (setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
      bind(descriptor, address->ai_addr, address->ai_addrlen) != 0 ||
      listen(descriptor, BACKLOG) != 0) {
    return close_after_error(descriptor);
  }
  return descriptor;
}

static int bound_port(int descriptor, uint16_t *port) {
  struct sockaddr_storage address = {0};
  socklen_t size = sizeof address;
  if (getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) return -1;
  if (address.ss_family == AF_INET6) {
    *port = ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
  } else {
    *port = ntohs(((struct sockaddr_in *)&address)->sin_port);
  }
  return 0;
}

int piop_listen(const char *host, uint16_t port, uint16_t *bound) {
  char service[8];
  snprintf(service, sizeof service, "%u", (unsigned)port);
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                           .ai_family = AF_UNSPEC,
                           .ai_socktype = SOCK_STREAM};
  struct addrinfo *address = NULL;
  if (getaddrinfo(host, service, &hints, &address) != 0) return -EINVAL;
  int descriptor = listening(address);
  freeaddrinfo(address);
  if (descriptor >= 0 && bound_port(descriptor, bound) != 0) return close_after_error(descriptor);
  return descriptor;
}

int piop_accept(int listener) {
#ifdef __linux__
  int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (descriptor < 0) return -errno;
#else
  int descriptor = accept(listener, NULL, NULL);
  if (descriptor < 0) return -errno;
  if (prepare(descriptor) != 0) return close_after_error(descriptor);
#endif
  int one = 1;
  // A connection that is closed already has no options on some systems; the next call to receive
  // reports it.
  (void)setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
#ifdef SO_NOSIGPIPE
  (void)setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, sizeof one);
#endif
  return descriptor;
}

int piop_pipe(int ends[2]) {
#ifdef __linux__
  return pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0 ? 0 : -errno;
#else
  if (pipe(ends) != 0) return -errno;
  if (prepare(ends[0]) == 0 && prepare(ends[1]) == 0) return 0;
  int error = close_after_error(ends[0]);
  close(ends[1]);
  return error;
#endif
}

static bool is_temporary(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

ptrdiff_t piop_receive(int socket, void *bytes, size_t size) {
  ssize_t count = recv(socket, bytes, size, 0);
  if (count > 0) return count;
  return count < 0 && is_temporary(errno) ? 0 : -1;
}

ptrdiff_t piop_send(int socket, const void *bytes, size_t size) {
#ifdef MSG_NOSIGNAL
  ssize_t count = send(socket, bytes, size, MSG_NOSIGNAL);
#else
  ssize_t count = send(socket, bytes, size, 0);
#endif
  if (count >= 0) return count;
  return is_temporary(errno) ? 0 : -1;
}
