// Reports of a call: failures, warnings, truncation.

#ifndef IMGC_REPORT_H
#define IMGC_REPORT_H

#include "CImageCodecs.h"

// Writes status, token (may be NULL) and message into the report unless it holds a failure
// already; returns the report's status.
__attribute__((format(printf, 4, 5))) imgc_status
imgc_fail(imgc_report *report, imgc_status status, const char *token, const char *format, ...);

// Records a defect or remark. Decoding continues; with a strict request the next imgc_poll fails,
// and at the latest the end of the call does.
void imgc_warn(imgc_report *report, imgc_warning warning);

// Records that the bytes ended early, after `rows` complete stored rows.
void imgc_truncated(imgc_report *report, uint32_t rows);

// Fails by the request's strictness, if the report holds damage that it does not allow.
imgc_status imgc_settle(const imgc_request *request, imgc_report *report);

#endif
