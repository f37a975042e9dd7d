// Row-by-row decoding of a JPEG.

#ifndef IMGC_JPEG_ROWS_H
#define IMGC_JPEG_ROWS_H

#include "core/dest.h"

imgc_status imgc_jpeg_decode(const imgc_request *request, const imgc_dest *dest,
                             imgc_report *report);

#endif
