import PlatformImage
import PlatformImageTestSupport
import Testing

/// Files that begin with FF D8, but not with the signature FF D8 FF.
@Suite(.requirement("E4")) struct JPEGSignatureTests {
    /// Bytes between SOI and the next marker; none of them begins with FF.
    static let junk: [[UInt8]] = [
        [0], [0x0A, 0x0A], [0xE0], [0xD8, 0xFF, 0], [UInt8](repeating: 0x41, count: 1000),
    ]

    @Test(arguments: junk)
    func jpegWithJunkAfterItsFirstMarkerIsDecodedWithADeclaredType(_ junk: [UInt8]) throws {
        let intact = try Fixture.file("jpeg/sampling-444.jpg")
        let file = Array(intact.prefix(2)) + junk + intact.dropFirst(2)
        let decoder = ImageDecoder(options: .asStored)

        let undeclared = #expect(throws: DecodeError.self) { try decoder.decode(file) }
        let octets = #expect(throws: DecodeError.self) { try decoder.decode(file, as: .octetStream) }
        let declared = try decoder.decode(file, as: .jpeg)

        #expect(undeclared?.code == .unknownFormat && octets?.code == .unknownFormat)
        #expect(declared.header.format == .jpeg && declared.status != .complete)
        #expect(try declared.bitmap.copyBytes() == decoder.decode(intact).bitmap.copyBytes())
    }

    @Test(
        arguments: [
            ("a.jpg", true), ("a.JPEG", true), ("a.jpe", true), ("a.jfif", true), ("a.png", false), ("jpg", false),
            ("a.jpg.bin", false),
        ], [nil, ContentType.octetStream])
    func extensionDeclaresTheTypeOfAJPEGWithJunk(
        _ file: (name: String, isDecoded: Bool), _ contentType: ContentType?
    ) async throws {
        let intact = try Fixture.file("jpeg/sampling-444.jpg")
        let file = (
            try TemporaryFile(Array(intact.prefix(2)) + [0] + intact.dropFirst(2), named: file.name), file.isDecoded
        )
        defer { file.0.remove() }
        let (path, decoder, small) = (file.0.path, ImageDecoder(), ThumbnailOptions(width: 8, height: 8))

        let results: [Bool] = [
            (try? decoder.header(of: .file(path), as: contentType)) != nil,
            (try? decoder.decode(.file(path), as: contentType)) != nil,
            (try? decoder.thumbnail(of: .file(path), options: small, as: contentType)) != nil,
            (try? decoder.thumbnails(of: .file(path), options: [small], as: contentType)) != nil,
            (try? decoder.frames(of: .file(path), as: contentType).next()) != nil,
            (try? await DecodeQueue(width: 1).decode(.file(path), as: contentType)) != nil,
        ]

        #expect(results == [Bool](repeating: file.1, count: results.count))
    }

    /// Other files with the extension are rejected as before.
    @Test func extensionOfANameDoesNotDeclareTheTypeOfOtherBytes() throws {
        let file = try TemporaryFile(Array("<html></html>".utf8), named: "page.jpg")
        defer { file.remove() }

        let error = #expect(throws: DecodeError.self) { try ImageDecoder().decode(.file(file.path)) }

        #expect(error?.code == .unknownFormat)
    }
}
