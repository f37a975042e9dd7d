// Selection of the colour type and bit depth that can store all pixels losslessly in the fewest
// bytes.

#include "encode/encode_png_colors.h"
#include "core/copy.h"
#include "core/limits.h"

#include <stdlib.h>
#include <string.h>

// Multiplicative hashing (Knuth, volume 3, section 6.4); returns the top ten bits.
static uint32_t slot_of(uint32_t color) { return color * 0x9E3779B1u >> 22; }

static void insert(imgc_png_palette *palette, uint32_t color) {
  uint32_t slot = slot_of(color);
  for (; palette->slots[slot]; slot = (slot + 1) % IMGC_PNG_SLOTS)
    if (palette->colors[palette->slots[slot] - 1] == color) return;
  if (palette->count < IMGC_PNG_PALETTE) {
    palette->colors[palette->count] = color;
    palette->slots[slot] = (uint16_t)(palette->count + 1);
  }
  palette->count++;
}

void imgc_png_palette_add(imgc_png_palette *palette, const uint8_t *rgba, size_t pixel_count) {
  uint32_t last = 0;
  for (size_t i = 0; i < pixel_count && palette->count <= IMGC_PNG_PALETTE; i++) {
    uint32_t color;
    imgc_copy(&color, rgba + i * 4, 4);
    if (i == 0 || color != last) insert(palette, color);
    last = color;
  }
}

uint8_t imgc_png_palette_index(const imgc_png_palette *palette, uint32_t color) {
  uint32_t slot = slot_of(color);
  // The colour must be in the palette. For a missing colour, which is a bug, the function returns
  // 0.
  while (palette->slots[slot] && palette->colors[palette->slots[slot] - 1] != color)
    slot = (slot + 1) % IMGC_PNG_SLOTS;
  return palette->slots[slot] ? (uint8_t)(palette->slots[slot] - 1) : 0;
}

// Orders translucent colours before opaque colours, so that tRNS is short, and then by value, so
// that equal sets of colours have equal palettes.
static int compare(const void *a, const void *b) {
  uint32_t x, y;
  imgc_copy(&x, a, 4);
  imgc_copy(&y, b, 4);
  bool x_opaque = x >= 0xFF000000, y_opaque = y >= 0xFF000000;
  if (x_opaque != y_opaque) return x_opaque ? 1 : -1;
  return (x > y) - (x < y);
}

void imgc_png_palette_sort(imgc_png_palette *palette) {
  uint32_t count = palette->count;
  qsort(palette->colors, count, sizeof palette->colors[0], compare);
  memset(palette->slots, 0, sizeof palette->slots);
  palette->count = 0;
  for (uint32_t i = 0; i < count; i++) insert(palette, palette->colors[i]);
}

uint32_t imgc_png_palette_translucent_count(const imgc_png_palette *palette) {
  uint32_t count = 0;
  while (count < palette->count && palette->colors[count] < 0xFF000000) count++;
  return count;
}

// ---------------------------------------------------------------- selection

static unsigned bits_per_pixel(imgc_png_layout layout) {
  return imgc_png_channels_of(layout.color_type) * layout.bit_depth;
}

uint64_t imgc_png_layout_row_bytes(imgc_png_layout layout, uint32_t width) {
  return ((uint64_t)width * bits_per_pixel(layout) + 7) / 8;
}

// Returns the bit depth that stores every gray of the palette exactly: v bits represent multiples
// of 255 / (2^v - 1).
static uint8_t gray_depth(const imgc_png_palette *palette) {
  uint8_t depth = 1;
  for (uint32_t i = 0; i < palette->count; i++) {
    uint8_t gray = (uint8_t)palette->colors[i];
    uint8_t needed = gray % 255 == 0 ? 1 : gray % 85 == 0 ? 2 : gray % 17 == 0 ? 4 : 8;
    if (needed > depth) depth = needed;
  }
  return depth;
}

static uint8_t palette_depth(uint32_t count) {
  return count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8;
}

// Returns the bytes of PLTE and tRNS, each with 12 bytes of length, type and CRC.
static uint64_t palette_bytes(const imgc_png_palette *palette) {
  uint64_t translucent = 0;
  for (uint32_t i = 0; i < palette->count; i++) translucent += palette->colors[i] < 0xFF000000;
  return IMGC_PNG_CHUNK_OVERHEAD + 3 * (uint64_t)palette->count +
         (translucent ? IMGC_PNG_CHUNK_OVERHEAD + translucent : 0);
}

imgc_png_layout imgc_png_layout_for(const imgc_png_palette *palette,
                                    const imgc_pixel_statistics *statistics, uint64_t pixel_count) {
  bool has_palette = palette->count <= IMGC_PNG_PALETTE;
  imgc_png_layout plain = {(uint8_t)((statistics->is_gray ? 0 : IMGC_PNG_COLOR_USES_COLOR) +
                                     (statistics->is_opaque ? 0 : IMGC_PNG_COLOR_USES_ALPHA)),
                           8};
  if (!has_palette) return plain;
  if (plain.color_type == IMGC_PNG_COLOR_GRAY) plain.bit_depth = gray_depth(palette);
  imgc_png_layout indexed = {IMGC_PNG_COLOR_INDEXED, palette_depth(palette->count)};
  uint64_t plain_bits = imgc_mul(pixel_count, bits_per_pixel(plain));
  uint64_t indexed_bits =
      imgc_add(imgc_mul(pixel_count, bits_per_pixel(indexed)), palette_bytes(palette) * 8);
  return indexed_bits < plain_bits ? indexed : plain;
}
