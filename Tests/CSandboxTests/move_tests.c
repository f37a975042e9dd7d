// pisb_move against a byte-wise model: every small size and alignment, and sizes around the blocks.

#include "tests.h"

enum { GUARD = 64 };

static void fill(uint8_t *bytes, size_t count, uint32_t seed) {
  for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)((seed = seed * 1103515245 + 12345) >> 16);
}

// The buffers have room for `size`, both alignments and the guards.
static void check(uint8_t *slab, uint8_t *copy, uint8_t *model, size_t size, size_t from,
                  size_t to) {
  size_t room = size + 2 * GUARD + 64;
  fill(slab, room, (uint32_t)(size + from));
  memset(copy, 0xA5, room);
  memcpy(model, slab, room);
  pisb_move(slab + GUARD + from, copy + GUARD + to, size);
  bool is_copied = memcmp(copy + GUARD + to, model + GUARD + from, size) == 0;
  memset(model + GUARD + from, 0, size);
  bool is_cleared = memcmp(slab, model, room) == 0;
  memset(copy + GUARD + to, 0xA5, size);
  memset(model, 0xA5, room);
  expect(is_copied && is_cleared && memcmp(copy, model, room) == 0,
         "move of %zu bytes from %zu to %zu: %d %d", size, from, to, is_copied, is_cleared);
}

void test_moves(void) {
  enum { SMALL = 1024 };
  uint8_t *slab = malloc(SMALL), *copy = malloc(SMALL), *model = malloc(SMALL);
  if (!slab || !copy || !model) exit(2);
  for (size_t size = 0; size <= 300; size++)
    for (size_t from = 0; from < 17; from += 1)
      for (size_t to = 0; to < 17; to++) check(slab, copy, model, size, from, to);
  free(slab), free(copy), free(model);

  static const size_t blocks[] = {4096, 8192, 16384, 65536, 16 << 20, (16 << 20) + 8192};
  for (int i = 0; i < (is_emulated() ? 4 : 6); i++) {
    size_t room = blocks[i] + 2 * GUARD + 128;
    slab = malloc(room), copy = malloc(room), model = malloc(room);
    if (!slab || !copy || !model) exit(2);
    static const size_t alignments[][2] = {{0, 0}, {1, 0}, {0, 1}, {7, 61}, {63, 16}};
    for (size_t size = blocks[i] - 2; size <= blocks[i] + 2; size++)
      for (int k = 0; k < 5; k++)
        check(slab, copy, model, size, alignments[k][0], alignments[k][1]);
    free(slab), free(copy), free(model);
  }
}
