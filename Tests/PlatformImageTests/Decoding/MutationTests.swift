import PlatformImage
import PlatformImageTestSupport
import Testing

/// Every small fixture cut at every byte and with every byte flipped: a picture with a status, or a typed error.
@Suite struct MutationTests {
    /// Low limits: a flipped byte may ask for a large picture, and then it is refused at once.
    private static var decoder: ImageDecoder {
        var decoder = ImageDecoder()
        decoder.options.limits.maxPixels = 1_000_000
        decoder.options.limits.maxMemory = 32 << 20
        return decoder
    }

    private static let small = Fixture.small(1200)

    /// Decodes and holds the outcome against what every outcome must be.
    private func survive(_ bytes: [UInt8], _ decoder: ImageDecoder, _ what: @autoclosure () -> String) {
        do throws(DecodeError) {
            let image = try decoder.decode(bytes)
            if case .truncated(let rows) = image.status, rows < 0 || rows > image.header.height {
                Issue.record("\(what()): \(rows) rows of \(image.header.height)")
            }
            if image.bitmap.width != image.header.displayWidth || image.bitmap.height != image.header.displayHeight {
                Issue.record("\(what()): the header gives another size")
            }
        } catch {
            if error.code == .internal || error.message.isEmpty { Issue.record("\(what()): \(error)") }
        }
    }

    @Test(arguments: small)
    func everyCutIsSurvived(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let decoder = Self.decoder
        for count in 0..<bytes.count { survive(Array(bytes.prefix(count)), decoder, "\(fixture) cut at \(count)") }
    }

    @Test(arguments: small)
    func everyFlippedByteIsSurvived(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let decoder = Self.decoder
        for index in bytes.indices {
            // All bits, and one that moves with the place, so that small numbers change a little too.
            for mask in [0xFF, 1 << UInt8(index % 8)] as [UInt8] {
                var flipped = bytes
                flipped[index] ^= mask
                survive(flipped, decoder, "\(fixture) with byte \(index) ^ \(mask)")
            }
        }
    }

    @Test(arguments: small.filter { $0.animation != nil })
    func everyCutAndFlipOfAnAnimationIsSurvived(_ fixture: Fixture) throws {
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
    func everyCutOfABadFileFailsWithACode(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let decoder = Self.decoder
        for count in 0..<bytes.count { survive(Array(bytes.prefix(count)), decoder, "\(fixture) cut at \(count)") }
    }
}
