#include "CPlatformImageOriginProtocols.h"

#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { CONCURRENT_STREAMS = 100 };

typedef struct request {
  piop_http2_request head;
  size_t capacity; // of fields
  struct request *next;
} request;

typedef struct stream {
  // Until its head is complete.
  request *incoming;
  // The part of the body that was not taken yet starts at `taken`.
  uint8_t *body;
  size_t taken, size, capacity;
  bool has_ended;
  struct stream *previous, *next;
} stream;

struct piop_http2 {
  nghttp2_session *session;
  stream *streams;
  request *first, *last;
  // The request that was returned last.
  request *current;
  uint64_t body_bytes;
  bool has_sent_go_away;
};

static void free_request(request *r) {
  if (!r) return;
  for (size_t i = 0; i < r->head.field_count; i++) free((void *)(uintptr_t)r->head.fields[i].name);
  free(r->head.fields);
  free(r);
}

static void free_stream(piop_http2 *connection, stream *s) {
  if (s->previous) {
    s->previous->next = s->next;
  } else {
    connection->streams = s->next;
  }
  if (s->next) s->next->previous = s->previous;
  free_request(s->incoming);
  free(s->body);
  free(s);
}

static stream *stream_of(piop_http2 *connection, int32_t id) {
  return nghttp2_session_get_stream_user_data(connection->session, id);
}

static bool is_request(const nghttp2_frame *frame) {
  return frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
}

static int begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *user) {
  piop_http2 *connection = user;
  if (!is_request(frame)) return 0;
  stream *s = calloc(1, sizeof *s);
  if (!s) return NGHTTP2_ERR_CALLBACK_FAILURE;
  s->incoming = calloc(1, sizeof *s->incoming);
  if (!s->incoming || nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, s) != 0) {
    free(s->incoming);
    free(s);
    return NGHTTP2_ERR_CALLBACK_FAILURE;
  }
  s->incoming->head.stream = frame->hd.stream_id;
  s->next = connection->streams;
  if (s->next) s->next->previous = s;
  connection->streams = s;
  return 0;
}

static int add_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                      size_t name_size, const uint8_t *value, size_t value_size, uint8_t flags,
                      void *user) {
  (void)session;
  (void)flags;
  stream *s = stream_of(user, frame->hd.stream_id);
  if (!is_request(frame) || !s || !s->incoming) return 0;
  request *r = s->incoming;
  if (r->head.field_count == r->capacity) {
    size_t capacity = r->capacity ? r->capacity * 2 : 16;
    piop_field *fields = realloc(r->head.fields, capacity * sizeof *fields);
    if (!fields) return NGHTTP2_ERR_CALLBACK_FAILURE;
    r->head.fields = fields;
    r->capacity = capacity;
  }
  // nghttp2 limits both sizes to 64 KiB.
  uint8_t *copy = malloc(name_size + value_size + 1);
  if (!copy) return NGHTTP2_ERR_CALLBACK_FAILURE;
  memcpy(copy, name, name_size);
  memcpy(copy + name_size, value, value_size);
  r->head.fields[r->head.field_count++] = (piop_field){
      .name = copy, .name_size = name_size, .value = copy + name_size, .value_size = value_size};
  return 0;
}

static int received_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user) {
  (void)session;
  piop_http2 *connection = user;
  stream *s = is_request(frame) ? stream_of(connection, frame->hd.stream_id) : NULL;
  if (!s || !s->incoming) return 0;
  if (connection->last) {
    connection->last->next = s->incoming;
  } else {
    connection->first = s->incoming;
  }
  connection->last = s->incoming;
  s->incoming = NULL;
  return 0;
}

static int closed_stream(nghttp2_session *session, int32_t id, uint32_t code, void *user) {
  (void)session;
  (void)code;
  stream *s = stream_of(user, id);
  if (s) free_stream(user, s);
  return 0;
}

static nghttp2_session *new_session(piop_http2 *connection) {
  nghttp2_session *session = NULL;
  nghttp2_session_callbacks *callbacks = NULL;
  nghttp2_option *option = NULL;
  if (nghttp2_session_callbacks_new(&callbacks) == 0 && nghttp2_option_new(&option) == 0) {
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, add_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, received_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, closed_stream);
    // The origin records every request that a client sends, also an invalid one.
    nghttp2_option_set_no_http_messaging(option, 1);
    if (nghttp2_session_server_new2(&session, callbacks, connection, option) != 0) session = NULL;
  }
  nghttp2_session_callbacks_del(callbacks);
  nghttp2_option_del(option);
  return session;
}

piop_http2 *piop_http2_new(void) {
  piop_http2 *connection = calloc(1, sizeof *connection);
  if (!connection) return NULL;
  nghttp2_settings_entry settings = {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, CONCURRENT_STREAMS};
  connection->session = new_session(connection);
  if (!connection->session ||
      nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE, &settings, 1) != 0) {
    piop_http2_free(connection);
    return NULL;
  }
  return connection;
}

void piop_http2_free(piop_http2 *connection) {
  if (!connection) return;
  // Does not call closed_stream.
  nghttp2_session_del(connection->session);
  while (connection->streams) free_stream(connection, connection->streams);
  while (connection->first) {
    request *next = connection->first->next;
    free_request(connection->first);
    connection->first = next;
  }
  free_request(connection->current);
  free(connection);
}

bool piop_http2_receive(piop_http2 *connection, const void *bytes, size_t size) {
  return nghttp2_session_mem_recv(connection->session, bytes, size) >= 0;
}

const piop_http2_request *piop_http2_next_request(piop_http2 *connection) {
  free_request(connection->current);
  connection->current = connection->first;
  if (!connection->first) return NULL;
  connection->first = connection->first->next;
  if (!connection->first) connection->last = NULL;
  return &connection->current->head;
}

bool piop_http2_is_open(piop_http2 *connection, int32_t id) {
  return stream_of(connection, id) != NULL;
}

static ssize_t read_body(nghttp2_session *session, int32_t id, uint8_t *bytes, size_t size,
                         uint32_t *flags, nghttp2_data_source *source, void *user) {
  (void)session;
  (void)source;
  piop_http2 *connection = user;
  stream *s = stream_of(connection, id);
  if (!s) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  size_t unsent = s->size - s->taken;
  if (unsent == 0 && !s->has_ended) return NGHTTP2_ERR_DEFERRED;
  size_t count = size < unsent ? size : unsent;
  if (count > 0) memcpy(bytes, s->body + s->taken, count);
  s->taken += count;
  connection->body_bytes += count;
  if (count == unsent) {
    s->taken = s->size = 0;
    if (s->has_ended) *flags |= NGHTTP2_DATA_FLAG_EOF;
  }
  return (ssize_t)count;
}

bool piop_http2_send_head(piop_http2 *connection, int32_t id, const piop_field *fields,
                          size_t count, bool is_interim) {
  if (!piop_http2_is_open(connection, id)) return false;
  nghttp2_nv *lines = calloc(count + 1, sizeof *lines);
  if (!lines) return false;
  for (size_t i = 0; i < count; i++) {
    lines[i] = (nghttp2_nv){.name = (uint8_t *)(uintptr_t)fields[i].name,
                            .value = (uint8_t *)(uintptr_t)fields[i].value,
                            .namelen = fields[i].name_size,
                            .valuelen = fields[i].value_size,
                            .flags = NGHTTP2_NV_FLAG_NONE};
  }
  int result;
  if (is_interim) {
    result = nghttp2_submit_headers(connection->session, NGHTTP2_FLAG_NONE, id, NULL, lines, count,
                                    NULL);
  } else {
    nghttp2_data_provider body = {.read_callback = read_body};
    result = nghttp2_submit_response(connection->session, id, lines, count, &body);
  }
  free(lines);
  return result == 0;
}

// Reading the body was deferred only if its head was taken; otherwise there is nothing to resume.
static void resume(piop_http2 *connection, int32_t id) {
  (void)nghttp2_session_resume_data(connection->session, id);
}

bool piop_http2_send_body(piop_http2 *connection, int32_t id, const void *bytes, size_t size) {
  stream *s = stream_of(connection, id);
  if (!s || s->has_ended || size > SIZE_MAX - s->size) return false;
  if (size == 0) return true;
  size_t needed = s->size + size;
  if (needed > s->capacity) {
    uint8_t *body = realloc(s->body, needed);
    if (!body) return false;
    s->body = body;
    s->capacity = needed;
  }
  memcpy(s->body + s->size, bytes, size);
  s->size = needed;
  resume(connection, id);
  return true;
}

bool piop_http2_end(piop_http2 *connection, int32_t id) {
  stream *s = stream_of(connection, id);
  if (!s) return false;
  s->has_ended = true;
  resume(connection, id);
  return true;
}

bool piop_http2_reset(piop_http2 *connection, int32_t id, uint32_t code) {
  return piop_http2_is_open(connection, id) &&
         nghttp2_submit_rst_stream(connection->session, NGHTTP2_FLAG_NONE, id, code) == 0;
}

bool piop_http2_go_away(piop_http2 *connection, int32_t last) {
  connection->has_sent_go_away = true;
  return nghttp2_submit_goaway(connection->session, NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, NULL,
                               0) == 0;
}

size_t piop_http2_unsent(piop_http2 *connection, int32_t id) {
  stream *s = stream_of(connection, id);
  return s ? s->size - s->taken : 0;
}

ptrdiff_t piop_http2_take(piop_http2 *connection, const uint8_t **bytes) {
  ssize_t count = nghttp2_session_mem_send(connection->session, bytes);
  return count < 0 ? -1 : count;
}

uint64_t piop_http2_body_bytes(const piop_http2 *connection) { return connection->body_bytes; }

bool piop_http2_has_ended(piop_http2 *connection) {
  // After a GOAWAY of piop_http2_go_away, the client closes the connection.
  return !connection->has_sent_go_away && !nghttp2_session_want_read(connection->session) &&
         !nghttp2_session_want_write(connection->session);
}
