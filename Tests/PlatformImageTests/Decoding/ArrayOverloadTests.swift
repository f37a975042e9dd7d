import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

/// N9: what takes a span takes an array as well. With a span the argument could not throw: swiftc 6.3.1 crashes on
/// `try decoder.exif(of: read(path).span)`.
@Suite struct ArrayOverloadTests {
    private func read(_ path: String) throws -> [UInt8] { try Fixture.file(path) }

    @Test("N9: exif(of:) takes an array, also from a call that throws") func exifOfAnArray() throws {
        let exif = try ImageDecoder().exif(of: read("jpeg/exif-orientation-6.jpg"))
        #expect(exif?.orientation == .right)
    }

    @Test("N9: iccProfile(of:) takes an array, also from a call that throws") func iccProfileOfAnArray() throws {
        let profile = try ImageDecoder().iccProfile(of: read("png/iccp-p3.png"))
        let bytes = try read("png/iccp-p3.png")
        #expect(profile != nil)
        #expect(try profile == ImageDecoder().iccProfile(of: bytes.span))
    }

    @Test("N9: signatures are read from an array, also from a call that throws") func signaturesOfAnArray() throws {
        #expect(try ImageFormat(signatureOf: read("png/iccp-p3.png")) == .png)
        #expect(try ImageSignature(of: read("png/iccp-p3.png")) == .decodable(.png))
        #expect(ImageFormat(signatureOf: [0x00]) == nil)
    }

    @Test("N9: an EXIF block is read from an array") func exifBlockOfAnArray() throws {
        let bytes = try read("jpeg/exif-orientation-6.jpg")
        let range = try #require(try ImageDecoder().header(of: bytes).exifRange)
        #expect(EXIF(Array(bytes[range]))?.orientation == .right)
    }
}
