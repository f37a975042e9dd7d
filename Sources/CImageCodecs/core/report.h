// Reports of a call: failures, warnings, truncation.

#ifndef IMGC_REPORT_H
#define IMGC_REPORT_H

#include "CImageCodecs/report.h"
#include "CImageCodecs/request.h"

// Stores status, token (may be NULL) and message unless the report already contains a failure.
// Returns the report's status.
__attribute__((format(printf, 4, 5))) imgc_status
imgc_fail(imgc_report *report, imgc_status status, const char *token, const char *format, ...);

// Records a defect or remark. The codec continues. If the request's strictness does not allow the
// warning, the next imgc_poll fails, or the end of the call if there is no further poll.
void imgc_warn(imgc_report *report, imgc_warning warning);

// Records that the bytes ended early, after `rows` complete stored rows.
void imgc_truncated(imgc_report *report, uint32_t rows);

// Fails if the report contains damage that the request's strictness does not allow.
imgc_status imgc_enforce_strictness(const imgc_request *request, imgc_report *report);

#endif
