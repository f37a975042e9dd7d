// libwebpdemux: WebPAnimDecoder, which composes every frame on a canvas.

#include "CPlatformImageBaselines.h"

#include <stdlib.h>
#include <string.h>

#ifdef IMGC_WEBP
#if !__has_include(<webp/demux.h>)
#error "libwebpdemux not found: apt-get install libwebp-dev (brew install webp)"
#endif
#include <webp/demux.h>

// Maximum pixels of all canvases, because the header of an untrusted file can contain any size.
static const uint64_t MAX_PIXELS = 64u << 20;

static WebPAnimDecoder *open_animation(const uint8_t *data, size_t size, WebPAnimInfo *info) {
  WebPAnimDecoderOptions options;
  if (!WebPAnimDecoderOptionsInit(&options)) return NULL;
  options.color_mode = MODE_RGBA;
  WebPData bytes = {data, size};
  WebPAnimDecoder *decoder = WebPAnimDecoderNew(&bytes, &options);
  if (decoder && !WebPAnimDecoderGetInfo(decoder, info)) {
    WebPAnimDecoderDelete(decoder);
    decoder = NULL;
  }
  return decoder;
}
#endif

bool baseline_webp_animation(const uint8_t *data, size_t size, baseline_image *image) {
#ifdef IMGC_WEBP
  WebPAnimInfo info;
  WebPAnimDecoder *decoder = open_animation(data, size, &info);
  if (!decoder) return false;
  uint8_t *canvas = NULL;
  int milliseconds;
  uint32_t frames = 0;
  while (frames < info.frame_count && WebPAnimDecoderGetNext(decoder, &canvas, &milliseconds))
    frames++;
  size_t bytes = (size_t)info.canvas_width * info.canvas_height * 4;
  bool ok = frames > 0 && frames == info.frame_count;
  uint8_t *pixels = ok ? malloc(bytes) : NULL;
  if (pixels) {
    memcpy(pixels, canvas, bytes);
    *image = (baseline_image){pixels, info.canvas_width, info.canvas_height, frames};
  }
  WebPAnimDecoderDelete(decoder);
  return pixels != NULL;
#else
  (void)data, (void)size, (void)image;
  return false;
#endif
}

bool baseline_webp_frames(const uint8_t *data, size_t size, baseline_frames *frames) {
  *frames = (baseline_frames){NULL, 0, false};
#ifdef IMGC_WEBP
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(data, size, &features) != VP8_STATUS_OK) return false;
  if ((uint64_t)features.width * (uint64_t)features.height > MAX_PIXELS) return false;
  WebPAnimInfo info;
  WebPAnimDecoder *decoder = open_animation(data, size, &info);
  if (!decoder) return false;
  size_t pixels = (size_t)info.canvas_width * info.canvas_height;
  bool ok = pixels > 0 && pixels <= MAX_PIXELS / (info.frame_count ? info.frame_count : 1);
  if (ok) frames->frames = calloc(info.frame_count, sizeof *frames->frames);
  ok = ok && frames->frames;
  uint8_t *canvas = NULL;
  int milliseconds;
  while (ok && frames->count < info.frame_count &&
         WebPAnimDecoderGetNext(decoder, &canvas, &milliseconds)) {
    uint8_t *copy = malloc(pixels * 4);
    if (!copy) break;
    memcpy(copy, canvas, pixels * 4);
    frames->frames[frames->count++] =
        (baseline_image){copy, info.canvas_width, info.canvas_height, 1};
  }
  frames->is_complete = ok && frames->count == info.frame_count;
  WebPAnimDecoderDelete(decoder);
  return ok;
#else
  (void)data, (void)size;
  return false;
#endif
}
