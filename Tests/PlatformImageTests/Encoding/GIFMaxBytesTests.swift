import PlatformImage
import PlatformImageTestSupport
import Testing

/// GIFs within ``EncodeOptions/maxBytes``.
@Suite struct GIFMaxBytesTests {
    private static let frames = [SampleImage.gradient, .opaqueNoise].map {
        AnimationFrame($0.bitmap(12, 9), delay: FrameDelay(numerator: 1, denominator: 10))
    }

    @Test(arguments: [256, 200, 5, 2])
    func everyMaxBytesGivesTheFirstFileThatFitsOrThrowsTheSmallestSize(maxColors: Int) throws {
        let bitmap = SampleImage.gradient.bitmap(24, 18)
        try Self.expectFirstFit(maxColors: maxColors) { try $0.encode(bitmap, as: .gif) }
        try Self.expectFirstFit(maxColors: maxColors) { try $0.encodeAnimation(Self.frames, as: .gif) }
    }

    /// Encodes with every limit from 1 byte to the size of the unlimited file, and compares with the files of the
    /// documented sequence of numbers of colours.
    private static func expectFirstFit(maxColors: Int, _ encode: (ImageEncoder) throws -> [UInt8]) throws {
        var encoder = ImageEncoder()
        let sequence = [maxColors] + [128, 64, 32, 16, 8, 4, 2].filter { $0 < maxColors }
        let files = try sequence.map {
            encoder.options.gif.maxColors = $0
            return try encode(encoder)
        }
        encoder.options.gif.maxColors = maxColors
        for limit in 1...files[0].count {
            encoder.options.maxBytes = limit
            if let expected = files.first(where: { $0.count <= limit }) {
                #expect(try encode(encoder) == expected, "\(limit)")
            } else {
                let error = #expect(throws: EncodeError.self) { try encode(encoder) }
                #expect(error?.code == .overMaxBytes && error?.smallestByteCount == files.last?.count, "\(limit)")
            }
        }
    }
}
