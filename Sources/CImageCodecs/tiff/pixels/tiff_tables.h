// Setup of a converter.

#ifndef IMGC_TIFF_TABLES_H
#define IMGC_TIFF_TABLES_H

#include "tiff/pixels/tiff_converter.h"

// Creates a converter; NULL on failure (see the report). The request's transform must outlive it.
tiff_converter *tiff_converter_create(const imgc_request *request, tiff_file *file,
                                      const tiff_properties *properties, imgc_report *report);
void tiff_converter_destroy(tiff_converter *converter);

#endif
