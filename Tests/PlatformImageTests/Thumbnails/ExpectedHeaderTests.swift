import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Headers that are predicted from the size in a file.
@Suite struct ExpectedHeaderTests {
    private static let fixtures = Fixture.all.filter { $0.path.hasPrefix("jpeg/") || $0.path.hasPrefix("png/") }

    @Test func predictedSizeIsThatOfTheDecoderForEachFixtureThatHasASize() throws {
        var count = 0
        for fixture in Self.fixtures {
            let bytes = try fixture.load()
            guard let header = try? ImageDecoder().header(of: bytes) else { continue }
            // A frame of height 0 has its height in a later DNL segment.
            guard let expected = ImageHeader.expected(of: bytes.span) else { continue }
            #expect(
                expected.format == header.format && expected.width == header.width
                    && expected.height == header.height, "\(fixture.path)")
            count += 1
        }
        #expect(count > Self.fixtures.count / 2)
    }

    @Test(arguments: ["jpeg/exif-orientation-6.jpg", "png/rgba8.png"])
    func everyCutHasTheSizeOrNone(_ path: String) throws {
        let bytes = try Fixture.file(path)
        let header = ImageHeader.expected(of: bytes.span)
        let whole = try #require(header)
        for count in bytes.indices {
            guard let cut = ImageHeader.expected(of: bytes.span.extracting(0..<count)) else { continue }
            #expect(cut.width == whole.width && cut.height == whole.height, "\(count) bytes")
        }
    }

    @Test(
        arguments: [
            [], [0xFF, 0xD8], [0xFF, 0xD8, 0xFF], [0xFF, 0xD8, 0xFF, 0xC0],
            [0xFF, 0xD8, 0xFF, 0xC0, 0, 7, 8, 0, 1, 0, 0],
            [0xFF, 0xD8, 0xFF, 0xC0, 0, 2, 0xFF, 0xD9], [0xFF, 0xD8, 0xFF, 0xC4, 0, 7, 8, 0, 1, 0, 1, 0xFF, 0xD9],
            [0xFF, 0xD8, 0xFF, 0xC0, 0xFF, 0xFF, 8, 0, 1, 0, 1], Array("GIF89a\u{1}\u{0}\u{1}\u{0}".utf8),
            [
                0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0xFF, 0xFF, 0xFF,
                0xFF,
            ]
                + [0, 0, 0, 1],
        ] as [[UInt8]])
    func fileWithoutACompleteSizeHasNone(_ bytes: [UInt8]) {
        let header = ImageHeader.expected(of: bytes.span)
        #expect(header == nil)
    }

    @Test func sizeIsThatOfTheFirstFrameHeader() {
        let bytes: [UInt8] =
            [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xC2, 0, 7, 8, 0x01, 0x02, 0x03, 0x04]
            + [0xFF, 0xC0, 0, 7, 8, 0, 9, 0, 9]
        let header = ImageHeader.expected(of: bytes.span)
        #expect(header?.format == .jpeg && header?.width == 0x304 && header?.height == 0x102)
    }
}
