// Location of compressed image data.

#include "png/png_source.h"
#include "core/bytes.h"
#include "core/cancel.h"
#include "core/limits.h"
#include "core/report.h"

imgc_png_source imgc_png_source_at(const imgc_request *request, size_t offset, uint32_t type,
                                   uint32_t sequence) {
  return (imgc_png_source){
      .reader = {request->data, request->size, offset < request->size ? offset : request->size},
      .type = type,
      .sequence = sequence};
}

bool imgc_png_source_next(imgc_png_source *source, imgc_png_segment *segment, bool check_crc) {
  for (;;) {
    imgc_reader before = source->reader;
    imgc_png_chunk chunk;
    imgc_png_chunk_result result = imgc_png_next(&source->reader, &chunk);
    if (chunk.type != source->type) {
      // The sequence of IDAT chunks is complete when a chunk of another type starts, even if that
      // chunk is truncated.
      source->truncated =
          result == IMGC_PNG_TRUNCATED && (source->type == IMGC_PNG_fdAT || chunk.type == 0);
      // Other chunks may occur between the fdAT chunks of a frame (PNG, 5.6), but not between IDAT
      // chunks.
      if (source->type == IMGC_PNG_fdAT && result == IMGC_PNG_COMPLETE &&
          !imgc_png_is_critical(&chunk) && chunk.type != IMGC_PNG_fcTL)
        continue;
      source->reader = before;
      return false;
    }
    *segment = (imgc_png_segment){.data = chunk.data, .size = chunk.available};
    if (source->type == IMGC_PNG_fdAT) {
      if (chunk.available < IMGC_PNG_FDAT_SEQUENCE_SIZE) {
        source->truncated = result == IMGC_PNG_TRUNCATED;
        return false;
      }
      if (imgc_be32(chunk.data) != source->sequence) {
        source->reader = before;
        return false;
      }
      source->sequence++;
      segment->data += IMGC_PNG_FDAT_SEQUENCE_SIZE;
      segment->size -= IMGC_PNG_FDAT_SEQUENCE_SIZE;
    }
    if (check_crc && result == IMGC_PNG_COMPLETE) {
      segment->crc_is_checked = true;
      segment->crc_matches = imgc_png_crc_matches(&chunk);
    }
    return true;
  }
}

imgc_status imgc_png_measure(const imgc_request *request, imgc_png_source source, bool check_crc,
                             imgc_png_extent *extent, imgc_report *report) {
  *extent = (imgc_png_extent){0};
  imgc_png_segment segment;
  for (uint64_t count = 1; imgc_png_source_next(&source, &segment, check_crc); count++) {
    extent->bytes += segment.size;
    extent->segments += segment.size > 0;
    if (segment.crc_is_checked && !segment.crc_matches) {
      extent->damaged = true;
      imgc_warn(report, IMGC_WARN_CRC);
    }
    if (count % 4096 == 0 && imgc_poll(request, report)) return report->status;
    uint64_t checked = check_crc ? segment.size / 4 : 0;
    if (imgc_charge(request, IMGC_WORK_CHUNK + checked, report)) return report->status;
  }
  extent->truncated = source.truncated;
  return IMGC_OK;
}
