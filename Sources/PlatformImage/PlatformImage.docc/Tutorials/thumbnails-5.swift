import PlatformImage

struct Thumbnails: Sendable {
    let queue = DecodeQueue(budget: DecodeBudget(maxBytes: 256 << 20))
    let decoder: ImageDecoder

    init() {
        var options = DecodeOptions()
        options.limits = .thumbnailService
        decoder = ImageDecoder(options: options)
    }

    func jpeg(of upload: [UInt8], width: Int, height: Int) async throws -> [UInt8] {
        var options = ThumbnailOptions(width: width, height: height, fit: .cover)
        options.gravity = Gravity(x: 0.5, y: 0.3)
        let thumbnail = try await queue.thumbnail(of: upload, options: options, with: decoder)
        return try await queue.encode(thumbnail.bitmap, as: .jpeg)
    }
}
