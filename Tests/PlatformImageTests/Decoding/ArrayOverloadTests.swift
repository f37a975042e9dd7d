import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

/// Functions accept an array of a call that throws; a span is taken only of a variable: swiftc 6.3.1 crashes on
/// `try decoder.header(borrowing: read(path).span)`.
@Suite(.requirement("N9")) struct ArrayOverloadTests {
    private func read(_ path: String) throws -> [UInt8] { try Fixture.file(path) }

    @Test func exifAcceptsAnArrayFromAThrowingCall() throws {
        let exif = try ImageDecoder().exif(of: read("jpeg/exif-orientation-6.jpg"))
        #expect(exif?.orientation == .right)
    }

    @Test func iccProfileAcceptsAnArrayFromAThrowingCall() throws {
        let profile = try ImageDecoder().iccProfile(of: read("png/iccp-p3.png"))
        #expect(profile?.isEmpty == false)
    }

    @Test func signatureInitializersAcceptAnArrayFromAThrowingCall() throws {
        #expect(try ImageFormat(signatureOf: read("png/iccp-p3.png")) == .png)
        #expect(try ImageSignature(of: read("png/iccp-p3.png")) == .decodable(.png))
        #expect(ImageFormat(signatureOf: [0x00]) == nil)
    }

    @Test func exifInitializerAcceptsAnArray() throws {
        let bytes = try read("jpeg/exif-orientation-6.jpg")
        let range = try #require(try ImageDecoder().header(of: bytes).exifRange)
        #expect(EXIF(Array(bytes[range]))?.orientation == .right)
    }
}
