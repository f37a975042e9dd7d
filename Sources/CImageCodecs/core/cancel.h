// Polling of the cancel flag and the deadline.

#ifndef IMGC_CANCEL_H
#define IMGC_CANCEL_H

#include "CImageCodecs/report.h"
#include "CImageCodecs/request.h"

// Polls the cancel flag and the deadline. Codecs call it at least every 16 rows and once per scan,
// strip, tile and frame. Returns IMGC_OK, or the failure that ends the decode (cancelled, deadline,
// strictness).
imgc_status imgc_poll(const imgc_request *request, imgc_report *report);

#endif
