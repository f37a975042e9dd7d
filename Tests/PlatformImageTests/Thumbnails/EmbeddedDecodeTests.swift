import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Thumbnails decoded from the thumbnail in the EXIF block.
@Suite struct EmbeddedDecodeTests {
    /// An image of 96 x 64 pixels; its embedded thumbnail of 48 x 32 pixels has different colours.
    private let image: [UInt8]
    private let inside: [UInt8]

    init() throws {
        image = try Self.file(96, 64, seed: 1)
        inside = try Self.file(48, 32, seed: 2)
    }

    private static func file(_ width: Int, _ height: Int, seed: UInt64) throws -> [UInt8] {
        var random = SplitMix(seed: seed)
        let noise = Bitmap(width: width, height: height) { pixels in
            for at in 0..<pixels.count { pixels[at] = at & 3 == 3 ? 255 : UInt8(truncatingIfNeeded: random.next()) }
        }
        return try ImageEncoder().encode(noise, as: .jpeg)
    }

    private func options(_ width: Int, _ height: Int, embedded: Bool = true) -> ThumbnailOptions {
        var options = ThumbnailOptions(width: width, height: height)
        options.usesEmbeddedThumbnail = embedded
        return options
    }

    private func pixels(
        _ bytes: [UInt8], _ options: ThumbnailOptions, with decoder: ImageDecoder = ImageDecoder()
    ) throws -> [UInt8] {
        try decoder.thumbnail(of: bytes, options: options).bitmap.copyBytes()
    }

    @Test func embeddedThumbnailIsUsedIfRequestedAndNotSmallerThanTheResult() throws {
        let bytes = CameraFile.jpeg(image, with: inside)

        let made = try ImageDecoder().thumbnail(of: bytes, options: options(20, 20))

        #expect(made.bitmap.copyBytes() == (try pixels(inside, options(20, 20))))
        #expect(made.header.width == 96 && made.header.height == 64)
        #expect(try pixels(bytes, options(20, 20, embedded: false)) == pixels(image, options(20, 20)))
        #expect(try pixels(bytes, options(48, 48)) == pixels(inside, options(48, 48)))
        #expect(try pixels(bytes, options(49, 49)) == pixels(image, options(49, 49)))
    }

    @Test func statusIsThatOfTheEmbeddedThumbnailWhenTheImageIsTruncated() throws {
        let bytes = CameraFile.jpeg(image, with: inside)
        let cut = Array(bytes[..<(bytes.count - image.count / 2)])

        let made = try ImageDecoder().thumbnail(of: cut, options: options(20, 20))
        let whole = try ImageDecoder().thumbnail(of: cut, options: options(20, 20, embedded: false))

        #expect(made.status == .complete && whole.status != .complete)
    }

    @Test func damagedEmbeddedThumbnailFallsBackToTheImage() throws {
        for count in [inside.count / 2, inside.count * 3 / 4, inside.count - 20] {
            let bytes = CameraFile.jpeg(image, with: Array(inside[..<count]))

            let made = try ImageDecoder().thumbnail(of: bytes, options: options(20, 20))

            #expect(made.bitmap.copyBytes() == (try pixels(image, options(20, 20))), "\(count) bytes")
            #expect(made.status == .complete)
        }
    }

    /// The EXIF block of the embedded thumbnail is ignored; the orientation of the image applies.
    @Test(arguments: Orientation.allCases)
    func embeddedThumbnailIsRotatedAndCroppedLikeTheImage(_ orientation: Orientation) throws {
        let turn = Int(orientation.rawValue)
        let bytes = CameraFile.jpeg(
            image, with: CameraFile.jpeg(inside, with: nil, orientation: 3), orientation: turn)
        let small = CameraFile.jpeg(inside, with: nil, orientation: turn)
        var cases = [(options(20, 20), options(20, 20))]
        var (large, half) = (options(10, 10), options(10, 10))
        large.crop = PixelRectangle(x: 8, y: 16, width: 40, height: 32)
        half.crop = PixelRectangle(x: 4, y: 8, width: 20, height: 16)
        cases.append((large, half))
        var cut = options(16, 16)
        cut.fit = .cover
        cut.gravity = .bottomRight
        cases.append((cut, cut))
        for (asked, expected) in cases {
            let made = try ImageDecoder().thumbnail(of: bytes, options: asked)

            #expect(made.bitmap.copyBytes() == (try pixels(small, expected)), "\(asked)")
            #expect(made.header.orientation == orientation)
        }
    }

    /// An embedded thumbnail in sRGB needs no conversion, and the profile of the image must not be applied.
    @Test(arguments: [("icc-p3", "icc-srgb"), ("icc-swapped", "icc-srgb"), ("icc-swapped", "icc-p3")])
    func profileOfTheEmbeddedThumbnailIsUsed(_ outer: String, _ inner: String) throws {
        let own = try Fixture.file("jpeg/\(inner).jpg")
        let bytes = CameraFile.jpeg(try Fixture.file("jpeg/\(outer).jpg"), with: own)

        #expect(try pixels(bytes, options(12, 8)) == pixels(own, options(12, 8)))
    }

    @Test(arguments: ["icc-p3", "icc-swapped"])
    func embeddedThumbnailWithoutProfileUsesTheImageProfile(_ name: String) throws {
        let tagged = try Fixture.file("jpeg/\(name).jpg")
        let untagged = CameraFile.withoutProfile(tagged)
        let expected = try pixels(tagged, options(12, 8))

        let made = try pixels(CameraFile.jpeg(tagged, with: untagged), options(12, 8))

        #expect(made == expected)
        #expect(try pixels(untagged, options(12, 8)) != expected)
    }

    @Test func embeddedThumbnailWhoseProfileNeedsMoreThanMaxMemoryFallsBackToTheImage() throws {
        let tagged = try Fixture.file("jpeg/icc-p3.jpg")
        let outer = CameraFile.withoutProfile(tagged)
        let bytes = CameraFile.jpeg(outer, with: tagged)
        func prepared(_ inside: [UInt8], _ options: ThumbnailOptions, _ limit: Int? = nil) throws -> PreparedThumbnail {
            var decoder = LocalDecoder(options: DecodeOptions())
            decoder.options.limits.maxMemory = limit
            return try PreparedThumbnail(CameraFile.jpeg(outer, with: inside).span, decoder, options: options)
        }
        let profile = try ImageDecoder().header(of: tagged).iccProfileByteCount

        let (with, without) = (try prepared(tagged, options(12, 8)), try prepared(outer, options(12, 8)))

        #expect(with.embedded != nil && without.embedded != nil && profile > 0)
        #expect(with.byteCount == without.byteCount + 12 * profile)
        let alone = try prepared(tagged, options(12, 8, embedded: false)).byteCount
        let limited = try prepared(tagged, options(12, 8), alone)
        #expect(limited.embedded == nil && limited.byteCount == alone)
        var decoder = ImageDecoder()
        decoder.options.limits.maxMemory = alone
        #expect(try pixels(bytes, options(12, 8), with: decoder) == pixels(outer, options(12, 8)))
    }
}
