// Checked properties of a page, from its tags.

#ifndef IMGC_TIFF_READ_FACTS_H
#define IMGC_TIFF_READ_FACTS_H

#include "tiff/page/tiff_facts.h"

// Reads the tags of the open page, rejects unsupported ones, and checks the limits.
imgc_status tiff_read_facts(const imgc_request *request, tiff_file *file, tiff_facts *facts,
                            imgc_report *report);

#endif
