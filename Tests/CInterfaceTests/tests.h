// Shared by the tests of the C interface: counted checks, files, buffers.

#ifndef PI_TESTS_H
#define PI_TESTS_H

#include "platformimage.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Counts a check and prints the first failures; safe on any thread.
#define expect(claim, ...) count_check((claim), __LINE__, __VA_ARGS__)
#define expect_status(call, expected)                                                              \
  do {                                                                                             \
    pi_status found_ = (call);                                                                     \
    expect(found_ == (expected), "%s returns %d", #call, found_);                                  \
  } while (0)
__attribute__((format(printf, 3, 4))) bool count_check(bool claim, int line, const char *format,
                                                       ...);

typedef struct data {
  uint8_t *bytes;
  size_t count;
} data;

// Reads a file of the folder Fixtures; exits when it cannot be read.
data read_fixture(const char *path);
data read_file(const char *path);

// Copies bytes to a block of exactly `count` bytes, so that sanitizers find every other access.
data exact_copy(const uint8_t *bytes, size_t count);

// Decodes with the defaults to a new buffer; the caller frees image.pixels.
pi_image decoded(data file, int32_t layout);

// FNV-1a.
uint64_t hash(const uint8_t *bytes, size_t count);

// The files used by the groups that run many operations.
extern const char *const small_files[];
#define SMALL_FILES 7

void test_arguments(void);
void test_structs(void);
void test_values(void);
void test_capacities(void);
void test_cuts(void);
void test_pixels(void);
void test_limits(void);
void test_threads(void);
void test_fixtures(const char *folder);

#endif
