import PlatformImageTestSupport
import Testing

@testable import PlatformImage

@Suite struct ShrinkMemoryTests {
    private func source(_ bytes: [UInt8], maxMemory: Int?) throws(DecodeError) -> SourceImage {
        var options = DecodeOptions.asStored
        options.limits.maxMemory = maxMemory
        return try SourceImage(bytes.span, declared: nil, options: options, resamples: true)
    }

    private func request(_ source: SourceImage) -> ResampleRequest {
        let (width, height) = source.pixelSize(orientedBy: .up)
        return ResampleRequest(sourceWidth: width, sourceHeight: height, width: 12, height: 9, filter: .lanczos3)
    }

    private func shrink(_ bytes: [UInt8], maxMemory: Int?) throws(DecodeError) {
        var source = try source(bytes, maxMemory: maxMemory)
        guard let small = PixelStorage(byteCount: 12 * 9 * 4, zeroed: false) else { return }
        try source.decode(bytes.span, resampledBy: request(source), into: small, nil)
    }

    /// The estimate for the budget is sufficient. If the format streams rows, the estimate is much smaller than the
    /// memory of a full decode.
    @Test(arguments: Fixture.all.filter { $0.path.hasPrefix("demo/") && $0.expect.error == nil })
    func estimatedByteCountIsEnoughForShrinkOnLoad(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let source = try source(bytes, maxMemory: nil)
        let (width, height) = source.pixelSize(orientedBy: .up)

        let estimate = source.resampledByteCount(request(source))

        #expect(estimate > 0 && estimate < .max)
        #expect(throws: Never.self) { try shrink(bytes, maxMemory: estimate + 12 * 9 * 4) }
        let whole = width * height * 4 + source.header.workByteCount
        switch fixture.format {
        case "gif": #expect(estimate > whole)
        case "webp": #expect(estimate > whole)  // these fixtures are smaller than the buffer of rows
        case "bmp": #expect(estimate > whole)  // this fixture is run-length encoded
        default: #expect(estimate < whole - width * height * 3)
        }
    }

    @Test(arguments: Fixture.all.filter { $0.path.hasPrefix("demo/") && $0.expect.error == nil })
    func maxMemoryTooSmallForShrinkOnLoadThrowsLimitExceeded(_ fixture: Fixture) throws {
        let bytes = try fixture.load()

        let error = #expect(throws: DecodeError.self) { try shrink(bytes, maxMemory: 3_000) }

        #expect(error?.code == .limitExceeded)
        #expect(error?.detail == "maxMemory")
    }

    /// The image has 80 MB of pixels and is read row by row; `maxMemory` is 4 MiB.
    @Test func shrinkOnLoadOfAnImageLargerThanMaxMemorySucceeds() {
        let bytes = BMPFile.monochrome(width: 10_000, height: 2_000)

        #expect(throws: Never.self) { try shrink(bytes, maxMemory: 4 << 20) }

        let error = #expect(throws: DecodeError.self) {
            var options = DecodeOptions.asStored
            options.limits.maxMemory = 4 << 20
            return try ImageDecoder(options: options).decode(bytes)
        }
        #expect(error?.detail == "maxMemory")
    }
}
