import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite(.requirement("C15")) struct LimitTests {
    /// Decodes with each limit equal to the size of the fixture, and with each limit one below that size.
    @Test(arguments: Fixture.small().filter { $0.width != nil && $0.format != nil })
    func limitsJustBelowTheImageSizeThrowLimitExceeded(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let (width, height) = (try #require(fixture.width), try #require(fixture.height))
        func decode(_ change: (inout DecodeLimits) -> Void) -> DecodeError? {
            var decoder = ImageDecoder()
            change(&decoder.options.limits)
            do throws(DecodeError) {
                _ = try decoder.decode(bytes)
                return nil
            } catch {
                return error
            }
        }

        #expect(decode { $0.maxPixels = width * height }.map { $0.detail == "maxPixels" } ?? true)
        if width * height > 1 {
            #expect(decode { $0.maxPixels = width * height - 1 }?.code == .limitExceeded)
        }
        if max(width, height) > 1 {
            #expect(decode { $0.maxSide = max(width, height) - 1 }?.detail == "maxSide")
        }
        #expect(decode { $0.maxInputBytes = bytes.count - 1 }?.detail == "maxInputBytes")
        #expect(decode { $0.maxMemory = width * height * 4 - 1 }?.code == .limitExceeded)
    }

    @Test(arguments: Fixture.all.filter { $0.expect.error == "limitExceeded" })
    func decodingADecompressionBombTakesLessThan64MiBAnd10SecondsOfCPUTime(_ fixture: Fixture) async {
        let path = fixture.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let bytes = try Fixture.file(path)
            let before = ResidentMemory.peakBytes
            // CPU time of this process in microseconds; elapsed time would depend on the load of the machine.
            let start = clock()
            _ = try? ImageDecoder().decode(bytes)
            precondition(ResidentMemory.peakBytes - before < 64 << 20)
            precondition(clock() - start < 10_000_000)
        }
    }

    /// The image has four planes of 2^62 bytes each; their sum overflows 64 bits to 0.
    @Test func tileSizesWhoseSumOverflows64BitsThrowOutOfMemory() {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        // Tag, type (3: 16 bits, 4: 32 bits), count, value or offset (TIFF 6.0, section 2).
        let tags = [
            (256, 4, 1, 16), (257, 4, 1, 16), (258, 3, 4, 16), (259, 3, 1, 8), (262, 3, 1, 2), (277, 3, 1, 4),
            (284, 3, 1, 2), (322, 4, 1, 1 << 31), (323, 4, 1, 1 << 31), (324, 4, 4, 24), (325, 4, 4, 24),
            (338, 3, 1, 2),
        ]
        var file: [UInt8] = Array("II".utf8) + little(42, 2) + little(40, 4) + little(0, 8)
        file += [8, 8, 8, 8].flatMap { little($0, 2) } + [8, 8, 8, 8].flatMap { little($0, 4) }
        file += little(tags.count, 2)
        for tag in tags { file += little(tag.0, 2) + little(tag.1, 2) + little(tag.2, 4) + little(tag.3, 4) }
        file += little(0, 4)
        var decoder = ImageDecoder()
        decoder.options.limits = .unlimited

        let error = #expect(throws: DecodeError.self) { try decoder.decode(file) }

        #expect(error?.code == .outOfMemory)
    }

    @Test func decodeLimitPresetsHaveTheDocumentedValues() {
        let limits = DecodeLimits()
        let service = DecodeLimits.thumbnailService

        #expect(limits.maxPixels == 100_000_000 && service.maxPixels == 50_000_000)
        #expect(limits.maxMemory == 512 << 20 && service.maxMemory == 256 << 20)
        #expect(limits.maxFrames == 2_000 && service.maxFrames == 1)
        #expect(limits.maxScans == 100 && limits.maxScanSamples == 6_400_000_000)
        #expect(limits.maxWork == 20_000_000_000 && service.maxWork == 2_000_000_000)
        #expect(DecodeLimits.unlimited.maxMemory == nil && DecodeLimits.unlimited.maxWork == nil)
    }

    @Test func formatThatIsNotAllowedThrowsUnsupported() throws {
        for fixture in Fixture.small(400) {
            var decoder = ImageDecoder()
            decoder.options.allowedFormats = []
            let bytes = try fixture.load()
            let error = #expect(throws: DecodeError.self) { try decoder.decode(bytes) }
            #expect(error?.code == .unsupported)
            #expect(error?.detail == fixture.format)
        }
    }
}
