import PlatformImage

struct Thumbnails {
    let decoder: ImageDecoder

    init() {
        var options = DecodeOptions()
        options.limits = .thumbnailService
        decoder = ImageDecoder(options: options)
    }

    func describe(_ upload: [UInt8]) throws -> String {
        let header = try decoder.header(of: upload)
        return "\(header.format) \(header.displayWidth) x \(header.displayHeight)"
    }
}
