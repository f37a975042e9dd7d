// Marker codes of ITU-T T.81, table B.1, and T.87: the byte after FF.

#ifndef IMGC_JPEG_MARKER_CODES_H
#define IMGC_JPEG_MARKER_CODES_H

enum {
  JPEG_MARKER_TEM = 0x01,
  JPEG_MARKER_SOF0 = 0xC0, // baseline
  JPEG_MARKER_SOF2 = 0xC2, // progressive, Huffman coded
  JPEG_MARKER_SOF3 = 0xC3, // lossless
  JPEG_MARKER_DHT = 0xC4,  // Huffman tables
  JPEG_MARKER_SOF5 = 0xC5, // differential: the hierarchical process
  JPEG_MARKER_SOF6 = 0xC6,
  JPEG_MARKER_SOF7 = 0xC7,
  JPEG_MARKER_JPG = 0xC8,   // reserved
  JPEG_MARKER_SOF11 = 0xCB, // lossless, arithmetic coded
  JPEG_MARKER_DAC = 0xCC,   // arithmetic coding conditions
  JPEG_MARKER_SOF13 = 0xCD, // differential, arithmetic coded
  JPEG_MARKER_SOF14 = 0xCE,
  JPEG_MARKER_SOF15 = 0xCF,
  JPEG_MARKER_RST0 = 0xD0,
  JPEG_MARKER_RST7 = 0xD7,
  JPEG_MARKER_SOI = 0xD8,
  JPEG_MARKER_EOI = 0xD9,
  JPEG_MARKER_SOS = 0xDA,
  JPEG_MARKER_DHP = 0xDE, // hierarchical progression
  JPEG_MARKER_EXP = 0xDF,
  JPEG_MARKER_APP1 = 0xE1,
  JPEG_MARKER_APP2 = 0xE2,
  JPEG_MARKER_SOF55 = 0xF7, // JPEG-LS, T.87
};

// Returns nonzero for frame headers of T.81: SOF0 to SOF15 without DHT, JPG and DAC.
static inline int jpeg_is_frame_marker(unsigned code) {
  return code >= JPEG_MARKER_SOF0 && code <= JPEG_MARKER_SOF15 && code != JPEG_MARKER_DHT &&
         code != JPEG_MARKER_JPG && code != JPEG_MARKER_DAC;
}

// Sizes in bytes, without the length field.
enum {
  JPEG_FRAME_HEADER_SIZE = 6,    // a frame header without components
  JPEG_FRAME_COMPONENT_SIZE = 3, // each component in a frame header
};

#endif
