import PlatformImage

struct Thumbnails {
    let decoder: ImageDecoder

    init() {
        var options = DecodeOptions()
        options.limits = .thumbnailService
        decoder = ImageDecoder(options: options)
    }

    func jpeg(of upload: [UInt8], width: Int, height: Int) throws -> [UInt8] {
        let options = ThumbnailOptions(width: width, height: height)
        let thumbnail = try decoder.thumbnail(of: upload, options: options)
        return try ImageEncoder().encode(thumbnail.bitmap, as: .jpeg)
    }
}
