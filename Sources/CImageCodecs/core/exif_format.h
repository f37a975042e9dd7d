// The prefix of an EXIF block in a JPEG (Exif 2.32, 4.7.2); some writers of PNG leave it in.

#ifndef IMGC_EXIF_FORMAT_H
#define IMGC_EXIF_FORMAT_H

#define IMGC_EXIF_PREFIX "Exif\0" // and the terminating zero
enum { IMGC_EXIF_PREFIX_SIZE = sizeof IMGC_EXIF_PREFIX };

#endif
