import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Scans of progressive JPEGs that thumbnails omit.
@Suite struct OmittedScanTests {
    private let aurora = JPEGPieces((try? Fixture.file("demo/aurora-progressive.jpg")) ?? [0xFF, 0xD8])

    private func shrink(_ bytes: [UInt8], _ quality: ThumbnailQuality) throws -> FullDecodeModel.Outcome {
        try ShrinkOnLoad.decode(bytes, width: 60, height: 45, quality: quality)
    }

    @Test func parsedScansOfTheFixtureAreReassembledToTheOriginalFile() throws {
        #expect(try aurora.bytes == Fixture.file("demo/aurora-progressive.jpg"))
        #expect(aurora.scans.count == 10)
        #expect(aurora.lastRefinement == 9)
    }

    @Test func balancedAndFastThumbnailsHaveAPSNRAbove38DecibelsComparedWithExactOnes() throws {
        let exact = try shrink(aurora.bytes, .exact)
        let balanced = try shrink(aurora.bytes, .balanced)
        let fast = try shrink(aurora.bytes, .fast)

        #expect(exact.pixels != balanced.pixels && balanced.pixels != fast.pixels)
        #expect(balanced.status == .complete && fast.status == .complete)
        #expect(signalToNoise(balanced.pixels, exact.pixels) > 48)
        #expect(signalToNoise(fast.pixels, exact.pixels) > 38)
    }

    @Test func thumbnailEqualsThatOfAFileWithoutTheOmittedScans() throws {
        var withoutLast = aurora
        withoutLast.scans.remove(at: 9)
        #expect(try shrink(aurora.bytes, .balanced).pixels == shrink(withoutLast.bytes, .exact).pixels)

        // Removes the data of all scans except DC, the low band of luma, and the first bits of chroma; retains all
        // tables.
        var low = aurora
        for at in [4, 5, 7, 8, 9] { low.scans[at].data = [] }
        #expect(try shrink(aurora.bytes, .fast).pixels == shrink(low.bytes, .exact).pixels)
    }

    @Test func damageInAnOmittedScanIsNotReported() throws {
        var pieces = aurora
        pieces.scans[9].data.replaceSubrange(20..., with: [UInt8](repeating: 0x55, count: 50))

        #expect(try shrink(pieces.bytes, .balanced) == shrink(aurora.bytes, .balanced))
        #expect(try shrink(pieces.bytes, .exact) != shrink(aurora.bytes, .exact))
    }

    @Test func damageInAScanThatIsReadIsReported() throws {
        var pieces = aurora
        // Damages scan 2, the first scan of the AC coefficients of Cr. `.balanced` and `.exact` both read this scan and
        // its refinement (scan 7), so the damage has the same effect on the status.
        for at in 200..<260 { pieces.scans[2].data[at] = 0x7F }

        let balanced = try shrink(pieces.bytes, .balanced)

        #expect(balanced.status != .complete)
        #expect(balanced.status == (try shrink(pieces.bytes, .exact).status))
        #expect(balanced.pixels != (try shrink(aurora.bytes, .balanced).pixels))
    }

    @Test func thumbnailWithASmallReductionFactorReadsAllScans() throws {
        func decode(_ quality: ThumbnailQuality, _ width: Int, _ height: Int) throws -> FullDecodeModel.Outcome {
            try ShrinkOnLoad.decode(aurora.bytes, width: width, height: height, quality: quality)
        }

        let exact = try decode(.exact, 200, 150)

        #expect(try decode(.balanced, 200, 150) == exact)
        #expect(try decode(.fast, 200, 150) == exact)
        #expect(try decode(.fast, 120, 90) == decode(.balanced, 120, 90))
        #expect(try decode(.balanced, 180, 135) != decode(.exact, 180, 135))
    }

    @Test func reductionFactorAndQualityDetermineWhichScansAreOmitted() {
        let none = SkippedDetail([])
        #expect(SkippedDetail(.exact, reduction: 100) == none)
        #expect(SkippedDetail(.balanced, reduction: 3.99) == none)
        #expect(SkippedDetail(.balanced, reduction: 4) == .lastRefinement)
        #expect(SkippedDetail(.balanced, reduction: 100) == .lastRefinement)
        #expect(SkippedDetail(.fast, reduction: 3.99) == none)
        #expect(SkippedDetail(.fast, reduction: 4) == .lastRefinement)
        #expect(SkippedDetail(.fast, reduction: 8) == .laterScans)
    }

    /// A truncated file has no EOI marker. The decoder omits scans only if it finds EOI, so it omits none here.
    @Test(arguments: [ThumbnailQuality.balanced, .fast])
    func thumbnailOfATruncatedFileReadsAllScans(_ quality: ThumbnailQuality) throws {
        let bytes = aurora.bytes
        for count in stride(from: 700, to: bytes.count, by: 2_711) {
            let cut = Array(bytes[..<count])
            let exact = Result { try shrink(cut, .exact) }
            let less = Result { try shrink(cut, quality) }
            switch (exact, less) {
            case (.success(let a), .success(let b)): #expect(a == b, "\(count)")
            case (.failure(let a as DecodeError), .failure(let b as DecodeError)): #expect(a.code == b.code)
            default: Issue.record("cut to \(count) bytes: exact \(exact), reduced \(less)")
            }
        }
    }

    /// No scan is omitted when scans are moved, duplicated, removed, or have other parameters.
    @Test(arguments: [ThumbnailQuality.balanced, .fast])
    func noScanOfAFileWithAnUnusualScanScriptIsOmitted(_ quality: ThumbnailQuality) throws {
        var odd: [[UInt8]] = []
        var pieces = aurora
        pieces.scans.append(pieces.scans[9])
        odd.append(pieces.bytes)
        pieces = aurora
        pieces.scans.swapAt(5, 9)
        odd.append(pieces.bytes)
        pieces = aurora
        pieces.scans.append(pieces.scans[1])
        odd.append(pieces.bytes)
        pieces = aurora
        pieces.scans.remove(at: 5)
        odd.append(pieces.bytes)
        pieces = aurora
        pieces.scans[5].data[pieces.scans[5].data.startIndex + 9] = 0x31
        odd.append(pieces.bytes)
        pieces = aurora
        pieces.tail = [0xFF, 0xD8] + pieces.tail
        odd.append(pieces.bytes)

        for (index, bytes) in odd.enumerated() {
            #expect(try shrink(bytes, quality) == shrink(bytes, .exact), "case \(index)")
        }
    }

    /// The quality `balanced` omits only the last refinement scan of luma. For files without this scan, its result must
    /// equal the result of `exact`.
    @Test(arguments: Fixture.all.filter { $0.format == "jpeg" && $0.expect.error == nil && $0.bytes < 3000 })
    func balancedQualityEqualsExactForFilesWithoutRefinementScans(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        // The last refinement scan of luma, in SOS: component 1, tables 0, Ss 1, Se 63, Ah 1, Al 0.
        guard bytes.firstRange(of: [0x01, 0x00, 0x01, 0x3F, 0x10]) == nil else { return }

        let exact = try ShrinkOnLoad.decode(bytes, width: 1, height: 1, quality: .exact)
        let balanced = try ShrinkOnLoad.decode(bytes, width: 1, height: 1, quality: .balanced)

        #expect(balanced == exact)
    }

    /// Shrink-on-load that omits scans must neither trap nor hang for any input.
    @Test func shrinkOnLoadOfRandomlyChangedFilesDoesNotTrap() throws {
        let bytes = try Fixture.file("jpeg/progressive-420.jpg")
        var random = SplitMix(seed: 21)
        for _ in 0..<400 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                changed[Int.random(in: 2..<changed.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            for quality in [ThumbnailQuality.balanced, .fast] {
                _ = try? ShrinkOnLoad.decode(changed, width: 1, height: 1, quality: quality)
            }
        }
    }
}

/// Peak signal-to-noise ratio of two RGBA8 buffers in dB.
func signalToNoise(_ a: [UInt8], _ b: [UInt8]) -> Double {
    var sum = 0.0
    for (x, y) in zip(a, b) { sum += Double((Int(x) - Int(y)) * (Int(x) - Int(y))) }
    return sum == 0 ? .infinity : 10 * log10(255 * 255 * Double(a.count) / sum)
}
