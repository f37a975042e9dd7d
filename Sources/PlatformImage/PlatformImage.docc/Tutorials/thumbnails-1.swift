import PlatformImage

struct Thumbnails {
    func describe(_ upload: [UInt8]) throws -> String {
        let header = try ImageDecoder().header(of: upload)
        return "\(header.format) \(header.displayWidth) x \(header.displayHeight)"
    }
}
