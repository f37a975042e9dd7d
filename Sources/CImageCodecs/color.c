#include "codec.h"
#include <stdlib.h>
imgc_status imgc_transform_create(const imgc_color_source *source, imgc_transform **transform, imgc_report *report) { (void)source; (void)report; *transform = NULL; return IMGC_OK; }
void imgc_transform_destroy(imgc_transform *transform) { (void)transform; }
bool imgc_transform_is_cmyk(const imgc_transform *transform) { (void)transform; return false; }
imgc_status imgc_transform_apply(const imgc_transform *transform, const imgc_request *request, const imgc_target *target, imgc_report *report) { (void)transform; (void)request; (void)target; (void)report; return IMGC_OK; }
void imgc_icc_description(const uint8_t *icc, size_t icc_size, char *text, size_t text_size) { (void)icc; (void)icc_size; if (text_size) text[0] = 0; }
