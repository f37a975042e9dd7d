// Constants of ICC.1 and Exif that several formats share.

#ifndef IMGC_METADATA_FORMAT_H
#define IMGC_METADATA_FORMAT_H

// ICC.1: profile structure, and embedding in JPEG files.
enum {
  IMGC_ICC_HEADER_SIZE =
      128, // section 7.2; the first four bytes of the header are the profile's size
  IMGC_ICC_TAG_TABLE = 128 + 4, // offset of the first entry, after the header and the count
  IMGC_ICC_TAG_ENTRY_SIZE = 12, // section 7.3: signature, offset, size
  IMGC_ICC_MIN_SIZE = 128 + 4,  // a profile without tags
};

// Annex B.4: the start of an APP2 segment with a chunk of the profile. The sequence number of the
// chunk, from 1, and the number of chunks follow, one byte each.
#define IMGC_ICC_JPEG_SIGNATURE "ICC_PROFILE"
enum {
  IMGC_ICC_JPEG_SIGNATURE_SIZE = 12, // the terminating zero included
  IMGC_ICC_JPEG_HEADER_SIZE = 14,
};

// The prefix of an EXIF block in a JPEG (Exif 2.32, 4.7.2); some PNG writers write it too.
#define IMGC_EXIF_PREFIX "Exif\0" // the string literal adds a second zero
enum { IMGC_EXIF_PREFIX_SIZE = sizeof IMGC_EXIF_PREFIX };

#endif
