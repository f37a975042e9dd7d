// The sockets that libcurl opened for one multi, and the bytes that they received.

#ifndef PICU_SOCKETS_H
#define PICU_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The use of a socket by the transfer that reuses its connection.
typedef struct picu_socket_use {
  int fd;            // -1 for none
  uint64_t before;   // bytes received before the transfer
  uint64_t at_close; // bytes received when the socket was closed
  bool is_closed;
} picu_socket_use;

typedef struct picu_socket {
  int fd;
  int port;             // local port; 0 while it is unknown
  bool is_counted;      // `counted` is known
  uint64_t counted;     // bytes received by all previous transfers
  picu_socket_use *use; // the last use
} picu_socket;

typedef struct picu_sockets {
  picu_socket *items;
  size_t count;
  size_t capacity;
} picu_sockets;

// Opens a socket that child processes do not inherit and adds it; -1 if that fails.
int picu_sockets_open(picu_sockets *sockets, int family, int type, int protocol);
int picu_sockets_close(picu_sockets *sockets, int fd);
// Begins a use of the connected socket with this local port. If `asks`, the system is asked for the
// bytes received before; otherwise only for the first use.
void picu_sockets_use(picu_sockets *sockets, int port, bool asks, picu_socket_use *use);
// Ends a use in which `count` bytes were received.
void picu_sockets_end(picu_sockets *sockets, picu_socket_use *use, uint64_t count);
// Bytes received since the use began; 0 if the system does not count them.
uint64_t picu_socket_received(const picu_socket_use *use);

#endif
