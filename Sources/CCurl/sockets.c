#define _GNU_SOURCE
#include "sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// The structure of the C library lacks the number of received bytes.
#if defined(__linux__) && __has_include(<linux/tcp.h>)
#include <linux/tcp.h>
enum { TCP_CLOSE_WAIT = 8 }; // of <netinet/tcp.h>, which cannot be included beside the other
#elif defined(__APPLE__)
#include <netinet/tcp.h>
#endif

static uint64_t received(int fd) {
#if defined(__linux__) && __has_include(<linux/tcp.h>)
  struct tcp_info info;
  socklen_t size = sizeof info;
  memset(&info, 0, sizeof info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  size_t needed = offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received;
  if (size < needed) return 0;
  // The end of the connection counts as a byte.
  bool has_ended = info.tcpi_state == TCP_CLOSE_WAIT && info.tcpi_bytes_received > 0;
  return info.tcpi_bytes_received - has_ended;
#elif defined(__APPLE__)
  struct tcp_connection_info info;
  socklen_t size = sizeof info;
  memset(&info, 0, sizeof info);
  return getsockopt(fd, IPPROTO_TCP, TCP_CONNECTION_INFO, &info, &size) == 0 ? info.tcpi_rxbytes
                                                                             : 0;
#else
  (void)fd;
  return 0;
#endif
}

int picu_sockets_open(picu_sockets *sockets, int family, int type, int protocol) {
  if (sockets->count == sockets->capacity) {
    size_t capacity = sockets->capacity ? 2 * sockets->capacity : 16;
    picu_socket *items = realloc(sockets->items, capacity * sizeof *items);
    if (!items) return -1;
    sockets->items = items;
    sockets->capacity = capacity;
  }
#ifdef SOCK_CLOEXEC
  int fd = socket(family, type | SOCK_CLOEXEC, protocol);
#else
  int fd = socket(family, type, protocol);
  if (fd >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
#ifdef SO_NOSIGPIPE
  int on = 1;
  if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  if (fd >= 0) sockets->items[sockets->count++] = (picu_socket){.fd = fd};
  return fd;
}

int picu_sockets_close(picu_sockets *sockets, int fd) {
  for (size_t i = 0; i < sockets->count; i++) {
    picu_socket *item = &sockets->items[i];
    if (item->fd != fd) continue;
    if (item->use && item->use->fd == fd && !item->use->is_closed) {
      item->use->at_close = received(fd);
      item->use->is_closed = true;
    }
    *item = sockets->items[--sockets->count];
    break;
  }
  return close(fd);
}

static int local_port(int fd) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  if (getsockname(fd, (struct sockaddr *)&address, &size) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
  return 0;
}

void picu_sockets_use(picu_sockets *sockets, int port, bool asks, picu_socket_use *use) {
  *use = (picu_socket_use){.fd = -1};
  for (size_t i = 0; port > 0 && i < sockets->count; i++) {
    picu_socket *item = &sockets->items[i];
    if (item->port == 0) item->port = local_port(item->fd);
    if (item->port != port) continue;
    if (asks || !item->is_counted) item->counted = received(item->fd);
    item->is_counted = true;
    item->use = use;
    *use = (picu_socket_use){.fd = item->fd, .before = item->counted};
    return;
  }
}

void picu_sockets_end(picu_sockets *sockets, picu_socket_use *use, uint64_t count) {
  for (size_t i = 0; use->fd >= 0 && i < sockets->count; i++) {
    picu_socket *item = &sockets->items[i];
    if (item->fd != use->fd) continue;
    item->counted += count;
    if (item->use == use) item->use = NULL;
    break;
  }
  use->fd = -1;
}

uint64_t picu_socket_received(const picu_socket_use *use) {
  if (use->fd < 0) return 0;
  uint64_t now = use->is_closed ? use->at_close : received(use->fd);
  return now > use->before ? now - use->before : 0;
}
