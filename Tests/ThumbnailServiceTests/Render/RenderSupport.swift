import PlatformImage
import PlatformImageTestSupport

@testable import PlatformImageService

extension ThumbnailRequest {
    /// A request whose source is the request body, by default at quality 80.
    static func of(
        _ size: ThumborSize = ThumborSize(), filters: [ImageFilter] = [],
        output: OutputFormatRequest = OutputFormatRequest(quality: 80)
    ) -> Self {
        var operations = Operations()
        operations.size = .thumbor(size)
        operations.filters = filters
        return ThumbnailRequest(source: .body, operations: operations, output: output)
    }

    static func cover(_ width: Int, _ height: Int) -> Self {
        .of(ThumborSize(mode: .cover, width: .pixels(width), height: .pixels(height)))
    }

    static func fit(_ width: Int, _ height: Int) -> Self {
        .of(ThumborSize(mode: .fit(full: false, adaptive: false), width: .pixels(width), height: .pixels(height)))
    }
}

extension Renderer {
    /// Renders a request, including the preparation that reads the header.
    func render(
        _ bytes: [UInt8], _ request: ThumbnailRequest, cancellation: CancellationFlag? = nil
    ) throws(ServiceError) -> RenderedImage {
        let prepared = try prepare(bytes, for: request, cancellation: cancellation)
        return try render(prepared, bytes, cancellation: cancellation)
    }
}

extension OutputFormatRequest {
    static func format(_ format: Format?) -> Self {
        var output = Self(quality: 80)
        output.format = format
        return output
    }
}

extension Bitmap {
    /// Encodes the bitmap as PNG.
    func png() throws -> [UInt8] { try ImageEncoder().encode(self, as: .png) }

    /// A synthetic image with gradients, a hill and grain, similar to a photograph.
    static func landscape(_ width: Int, _ height: Int) -> Bitmap {
        var random = SplitMix(seed: 9)
        let noise = (0..<256).map { _ in Int.random(in: 0...24, using: &random) }
        return Bitmap(width: width, height: height) { pixels in
            for y in 0..<height {
                for x in 0..<width {
                    let grain = noise[(x * 31 + y * 17) % 256]
                    let hill = (x - width / 2) * (x - width / 2) / (width + 1)
                    RGBA8(
                        red: UInt8(clamping: x * 200 / width + grain), green: UInt8(clamping: y * 200 / height + grain),
                        blue: UInt8(clamping: 40 + hill * 4 % 180 + grain)
                    ).store(in: &pixels, at: (y * width + x) * 4)
                }
            }
        }
    }
}
