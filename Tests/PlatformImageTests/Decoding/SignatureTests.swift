import PlatformImage
import Testing

@Suite struct SignatureTests {
    private static func signature(_ bytes: [UInt8]) -> ImageSignature { ImageSignature(of: bytes.span) }
    private static func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static let bmp: [UInt8] =
        ascii("BM") + [0x46, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0] + [UInt8](repeating: 0, count: 36)

    /// Without the trait WebP, the format is refused by name.
    private static var webp: ImageSignature {
        #if WebP
        .decodable(.webp)
        #else
        .refused("webp")
        #endif
    }

    private static let table: [(bytes: [UInt8], expected: ImageSignature)] = [
        ([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10], .decodable(.png)),
        ([0xFF, 0xD8, 0xFF, 0xE0], .decodable(.jpeg)),
        (ascii("GIF87a"), .decodable(.gif)), (ascii("GIF89a"), .decodable(.gif)),
        (ascii("II") + [0x2A, 0], .decodable(.tiff)), (ascii("MM") + [0, 0x2A], .decodable(.tiff)),
        (ascii("II") + [0x2B, 0], .decodable(.tiff)), (ascii("MM") + [0, 0x2B], .decodable(.tiff)),
        (bmp, .decodable(.bmp)),
        (ascii("RIFF....WEBPVP8 "), webp),
        ([0, 0, 0, 24] + ascii("ftypavif....avifmif1"), .refused("avif")),
        ([0, 0, 0, 24] + ascii("ftypmif1....mif1avif"), .refused("avif")),
        ([0, 0, 0, 24] + ascii("ftypheic....mif1heic"), .refused("heic")),
        ([0xFF, 0x0A], .refused("jpegxl")),
        ([0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 13, 10, 0x87, 10], .refused("jpegxl")),
        ([0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 13, 10, 0x87, 10], .refused("jpeg2000")),
        ([0xFF, 0x4F, 0xFF, 0x51], .refused("jpeg2000")),
        (ascii("  \n<svg xmlns='x'>"), .refused("svg")),
        ([0xEF, 0xBB, 0xBF] + ascii("<?xml version='1.0'?><!-- c --><svg>"), .refused("svg")),
        ([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 4] + ascii("CgBI"), .refused("cgbi")),
        (ascii("<html><body>"), .unknown), (ascii("BM is how this text begins, not a bitmap"), .unknown),
        ([0, 0, 0, 24] + ascii("ftypisom....mp41"), .unknown), ([], .unknown), ([0xFF], .unknown),
    ]

    @Test func everySignatureIsRecognizedAsItsFormat() {
        for (bytes, expected) in Self.table {
            #expect(Self.signature(bytes) == expected, "\(bytes.prefix(16))")
        }
    }

    @Test func truncatedSignatureIsNeverRecognizedAsAnUnrelatedFormat() {
        for (bytes, expected) in Self.table {
            for count in 0..<bytes.count {
                let cut = Self.signature(Array(bytes.prefix(count)))
                // A truncated CgBI file still has the signature of PNG.
                let isPNG = cut == .decodable(.png) && expected == .refused("cgbi")
                let isGenericBrand = cut == .refused("heic") && expected == .refused("avif")
                #expect(cut == .unknown || cut == expected || isPNG || isGenericBrand, "\(bytes.prefix(count))")
            }
        }
    }

    @Test func svgIsDetectedWithinTheFirst1024BytesOnly() {
        let near = Self.ascii("<?xml version='1.0'?>" + String(repeating: " ", count: 900) + "<svg>")
        let far = Self.ascii("<?xml version='1.0'?>" + String(repeating: " ", count: 1100) + "<svg>")

        #expect(Self.signature(near) == .refused("svg"))
        #expect(Self.signature(far) == .unknown)
    }

    @Test func recognizedFormatWithoutADecoderThrowsUnsupportedWithItsName() {
        for (bytes, expected) in Self.table {
            guard case .refused(let name) = expected else { continue }
            let error = #expect(throws: DecodeError.self) { try ImageDecoder().decode(bytes) }
            #expect(error?.code == .unsupported)
            #expect(error?.detail == name)
        }
    }

    @Test func emptyAndUnknownBytesThrowUnknownFormat() {
        for bytes in [[], Self.ascii("hello"), Self.ascii("<html>")] {
            let error = #expect(throws: DecodeError.self) { try ImageDecoder().header(of: bytes) }
            #expect(error?.code == .unknownFormat)
        }
    }
}
