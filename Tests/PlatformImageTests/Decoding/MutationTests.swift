import PlatformImage
import PlatformImageTestSupport
import Testing

/// Every small fixture truncated at every byte and with every byte flipped gives an image with a status or a typed
/// error.
@Suite struct MutationTests {
    /// Low limits: if a flipped byte enlarges the image, the decoder rejects the file immediately.
    private static var decoder: ImageDecoder {
        var decoder = ImageDecoder()
        decoder.options.limits.maxPixels = 1_000_000
        decoder.options.limits.maxMemory = 32 << 20
        return decoder
    }

    private static let small = Fixture.small(1200)

    /// Decodes and expects a consistent image or a typed error that is not internal.
    private func expectImageOrTypedError(_ bytes: [UInt8], _ decoder: ImageDecoder, _ what: @autoclosure () -> String) {
        do throws(DecodeError) {
            let image = try decoder.decode(bytes)
            if case .truncated(let rows) = image.status, rows < 0 || rows > image.header.height {
                Issue.record("\(what()): truncated(\(rows)), the image has \(image.header.height) rows")
            }
            if image.bitmap.width != image.header.displayWidth || image.bitmap.height != image.header.displayHeight {
                Issue.record("\(what()): the bitmap does not have the size in the header")
            }
        } catch {
            if error.code == .internal || error.message.isEmpty { Issue.record("\(what()): \(error)") }
        }
    }

    @Test(arguments: small)
    func decodingAFileTruncatedAtAnyByteGivesAnImageOrATypedError(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let decoder = Self.decoder
        for count in 0..<bytes.count {
            expectImageOrTypedError(Array(bytes.prefix(count)), decoder, "\(fixture) cut at \(count)")
        }
    }

    @Test(arguments: small)
    func decodingAFileWithAnyByteFlippedGivesAnImageOrATypedError(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let decoder = Self.decoder
        for index in bytes.indices {
            // Flips all bits of a byte, or one bit that depends on the position, so that small numbers also change
            // slightly.
            for mask in [0xFF, 1 << UInt8(index % 8)] as [UInt8] {
                var flipped = bytes
                flipped[index] ^= mask
                expectImageOrTypedError(flipped, decoder, "\(fixture) with byte \(index) ^ \(mask)")
            }
        }
    }

    @Test(arguments: small.filter { $0.animation != nil })
    func readingAnAnimationTruncatedOrWithAFlippedByteDoesNotTrap(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let decoder = Self.decoder
        func walk(_ bytes: [UInt8]) {
            guard let frames = try? decoder.frames(of: bytes) else { return }
            while (try? frames.advance()) != nil {}
        }
        for count in 0..<bytes.count { walk(Array(bytes.prefix(count))) }
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= 0xFF
            walk(flipped)
        }
    }

    @Test(arguments: Fixture.all.filter { $0.expect.error != nil && $0.bytes <= 1200 })
    func decodingATruncatedUndecodableFileGivesAnImageOrATypedError(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let decoder = Self.decoder
        for count in 0..<bytes.count {
            expectImageOrTypedError(Array(bytes.prefix(count)), decoder, "\(fixture) cut at \(count)")
        }
    }
}
