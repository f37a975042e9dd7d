import PlatformImage
import PlatformImageTestSupport
import Testing

/// Warnings of libjpeg do not end decoding, unless `strictness` is `.corrupt` or `maxScanSamples` is exceeded. Warnings
/// of empty scans count towards this limit.
@Suite(.requirement("D2")) struct DamagedJPEGTests {
    private static let paths = ["jpeg/restart-stray-bytes.jpg", "jpeg/restart-stray-bytes-progressive.jpg"]

    /// Removes the twelve bytes 0x11 before each restart marker; `removed` counts the markers that had them.
    private func withoutStrayBytes(_ bytes: [UInt8]) -> (bytes: [UInt8], removed: Int) {
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let marks = index + 1 < bytes.count && byte == 0xFF && (0xD0...0xD7).contains(bytes[index + 1])
            if marks, result.suffix(12) == [UInt8](repeating: 0x11, count: 12)[...] { result.removeLast(12) }
            result.append(byte)
        }
        return (result, (bytes.count - result.count) / 12)
    }

    @Test(arguments: paths, [1, 2, 4, 8])
    func imageWithMoreThan100LibjpegWarningsHasThePixelsOfTheIntactImage(_ path: String, _ denominator: Int) throws {
        let damaged = try Fixture.named(path).load()
        let (intact, removed) = withoutStrayBytes(damaged)
        var options = DecodeOptions.asStored
        options.scaleDenominator = denominator
        let decoder = ImageDecoder(options: options)

        let image = try decoder.decode(damaged)
        let expected = try decoder.decode(intact)

        #expect(removed > 100)
        #expect(image.bitmap.copyBytes() == expected.bitmap.copyBytes())
        #expect("\(image.status)" == "corrupt([marker])" && expected.status == .complete)
    }

    @Test(arguments: paths)
    func thumbnailOfAFileWithManyWarningsEqualsThatOfTheIntactFile(_ path: String) throws {
        let damaged = try Fixture.named(path).load()

        let image = try ShrinkOnLoad.decode(damaged, options: .asStored, width: 26, height: 20)
        let expected = try ShrinkOnLoad.decode(
            withoutStrayBytes(damaged).bytes, options: .asStored, width: 26, height: 20)

        #expect(image.pixels == expected.pixels)
        #expect("\(image.status)" == "corrupt([marker])")
    }

    @Test(arguments: paths)
    func strictDecodingThrowsMalformedAtTheFirstWarning(_ path: String) throws {
        let damaged = try Fixture.named(path).load()
        var options = DecodeOptions.asStored
        options.strictness = .corrupt

        let error = #expect(throws: DecodeError.self) { try ImageDecoder(options: options).decode(damaged) }

        #expect(error?.code == .malformed && error?.message.contains("marker") == true)
    }

    @Test func warningsOfEmptyScansCountTowardsMaxScanSamples() throws {
        // 64 x 64 blocks, a restart interval of one block, and no data: one warning per block and scan.
        let file = EmptyScans(side: 512, scans: 20).bytes
        let samples = 20 * 512 * 512
        var options = DecodeOptions.asStored
        options.limits.maxScanSamples = samples * 2

        let error = #expect(throws: DecodeError.self) { try ImageDecoder(options: options).decode(file) }
        options.limits.maxScanSamples = samples * 4
        let image = try ImageDecoder(options: options).decode(file)

        #expect(error?.code == .limitExceeded && error?.detail == "maxScanSamples")
        #expect(image.status != .complete)
    }
}

/// A progressive gray JPEG with a restart interval of one block, but without restart markers and data.
private struct EmptyScans {
    let side: Int
    let scans: Int

    var bytes: [UInt8] {
        let size = [UInt8(side >> 8), UInt8(side & 255)]
        var file: [UInt8] = [0xFF, 0xD8]
        file += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        file += segment(0xC2, [8] + size + size + [1, 1, 0x11, 0])
        let oneCode: [UInt8] = [1] + [UInt8](repeating: 0, count: 15) + [0]
        file += segment(0xC4, [0x00] + oneCode) + segment(0xC4, [0x10] + oneCode)
        file += segment(0xDD, [0, 1])
        file += segment(0xDA, [1, 1, 0, 0, 0, 0])
        for scan in 1..<scans { file += segment(0xDA, [1, 1, 0, UInt8(scan), UInt8(scan), 0]) }
        return file + [0xFF, 0xD9]
    }

    private func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
    }
}
