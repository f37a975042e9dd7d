// Checked properties of a page, from its tags.

#ifndef IMGC_TIFF_READ_PROPERTIES_H
#define IMGC_TIFF_READ_PROPERTIES_H

#include "tiff/page/tiff_properties.h"

// Reads the tags of the open page, rejects unsupported ones, and checks the limits.
imgc_status tiff_read_properties(const imgc_request *request, tiff_file *file,
                                 tiff_properties *properties, imgc_report *report);

#endif
