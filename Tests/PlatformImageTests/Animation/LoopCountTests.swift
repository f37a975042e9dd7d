import PlatformImage
import PlatformImageTestSupport
import Testing

/// `loopCount` is the number of plays in every format; 0 is infinite.
@Suite struct LoopCountTests {
    private static let frames = [SampleImage.sevenColors, .twoColors].map {
        AnimationFrame($0.bitmap(5, 5), delay: FrameDelay(numerator: 1, denominator: 10))
    }

    private static let formats = EncodedFormat.allCases.filter { $0 != .jpeg && $0.isAvailable }

    /// The number in the loop extension of a GIF; nil without the extension.
    private static func netscapeNumber(_ file: [UInt8]) -> Int? {
        let name = Array("NETSCAPE2.0".utf8)
        guard let at = file.indices.first(where: { file[$0...].starts(with: name) }) else { return nil }
        return Int(file[at + 13]) | Int(file[at + 14]) << 8
    }

    /// An animated GIF whose loop extension contains `number`; without the extension for nil.
    private static func gif(_ number: Int?) throws -> [UInt8] {
        let file = try ImageEncoder().encodeAnimation(frames, as: .gif, loopCount: number == nil ? 1 : 3)
        guard let number else { return file }
        let name = Array("NETSCAPE2.0".utf8)
        let at = try #require(file.indices.first { file[$0...].starts(with: name) })
        var changed = file
        changed[at + 13] = UInt8(truncatingIfNeeded: number)
        changed[at + 14] = UInt8(truncatingIfNeeded: number >> 8)
        return changed
    }

    @Test(
        .requirement("B5"),
        arguments: [(nil, nil), (0, 0), (1, 2), (2, 3), (65_534, 65_535), (65_535, 65_536)]
            as [(Int?, Int?)])
    func numberInAGIFMeansOneMorePlay(stored: Int?, plays: Int?) throws {
        #expect(try ImageDecoder().header(of: Self.gif(stored)).loopCount == plays)
    }

    @Test(
        .requirement("B5"),
        arguments: [(0, 0), (1, nil), (2, 1), (3, 2), (65_536, 65_535), (65_537, 65_535), (.max, 65_535)]
            as [(Int, Int?)])
    func gifStoresThePlaysAfterTheFirstOne(plays: Int, stored: Int?) throws {
        let file = try ImageEncoder().encodeAnimation(Self.frames, as: .gif, loopCount: plays)

        #expect(Self.netscapeNumber(file) == stored)
    }

    @Test(.requirement("B5"), arguments: formats, formats)
    func playsAreKeptBetweenAllFormats(from: EncodedFormat, to: EncodedFormat) throws {
        for plays in [0, 1, 2, 3, 100, 65_535] {
            let source = try ImageEncoder().encodeAnimation(Self.frames, as: from, loopCount: plays)
            let read = try ImageDecoder().header(of: source).loopCount ?? 1
            let copy = try ImageEncoder().encodeAnimation(Self.frames, as: to, loopCount: read)

            #expect(try ImageDecoder().header(of: copy).loopCount ?? 1 == plays, "\(plays) plays")
        }
    }
}
