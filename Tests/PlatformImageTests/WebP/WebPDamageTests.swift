import PlatformImage
import PlatformImageTestSupport
import Testing

/// The results of `webp_damage.py`'s files, and WebP files that are truncated at every byte or have one wrong byte.
@Suite struct WebPDamageTests {
    private static let intact = Fixture.small(2_048).filter {
        $0.format == "webp" && ($0.status ?? "complete") == "complete"
    }
    private static let stills = intact.filter { $0.animation == nil }
    private static let animations = intact.filter { $0.animation?.status == "complete" }

    /// Pixels, status and warnings of a decode, or its error code.
    private enum Outcome: Equatable {
        case image(FullDecodeModel.Outcome)
        case failure(DecodeError.Code)
    }

    // ------------------------------------------------------------------ the files of webp_damage.py

    /// Status and warnings of still images, and the names of the files in `Fixtures/webp`.
    private static let results: [(result: String, names: [String])] = [
        (
            "complete []",
            [
                "alph-after", "alph-lossless", "alph-no-flag", "alph-raw", "alph-raw-long", "alph-twice",
                "anim-flag-missing", "exif-prefix", "flags-alpha-missing", "flags-alpha-only",
                "flags-metadata-missing", "flags-metadata-only", "flags-reserved", "icc-damaged",
                "no-padding-at-end", "padding-not-zero", "riff-odd", "two-images", "two-images-extended",
                "unknown-100", "unknown-after", "unknown-before", "unknown-empty", "unknown-first", "unknown-simple",
                "vp8x-long", "xmp-damaged",
            ]
        ),
        ("complete [exif]", ["exif-damaged", "exif-empty", "exif-short", "exif-size"]),
        ("complete [metadataIgnored]", ["exif-twice"]),
        ("complete [missingEnd]", ["riff-larger", "riff-maximum"]),
        ("complete [orientation]", ["exif-orientation-9"]),
        ("complete [profileIgnored]", ["icc-after", "icc-empty"]),
        ("complete [trailingData]", ["trailing-bytes"]),
        ("corrupt([chunk]) [chunk]", ["vp8x-after", "vp8x-twice"]),
        ("corrupt([structure]) [structure]", ["riff-0", "riff-smaller"]),
        ("truncated(rows: 11) []", ["chunk-larger"]),
        ("truncated(rows: 32) []", ["truncated-lossless-50"]),
        ("truncated(rows: 55) []", ["truncated-lossy-95"]),
        ("truncated(rows: 64) []", ["truncated-lossless-95"]),
        ("truncated(rows: 7) []", ["truncated-lossy-50"]),
    ]

    /// Number of frames that are returned, status at the end, and names.
    private static let animationResults: [(frames: Int, status: String, names: [String])] = [
        (1, "corrupt([frameRefused])", ["anmf-damaged-middle", "anmf-nested"]),
        (
            2, "corrupt([frameRefused])",
            [
                "anmf-empty", "anmf-other-size", "anmf-outside", "anmf-short", "anmf-signature",
            ]
        ),
        (2, "truncated(rows: 0)", ["animation-cut-between", "animation-cut-in-anmf", "animation-truncated"]),
        (
            3, "complete",
            [
                "anim-late", "anim-missing", "anim-short", "anim-twice", "animation", "anmf-two-images",
                "anmf-unknown",
            ]
        ),
    ]

    @Test(arguments: results.flatMap { row in row.names.map { ($0, row.result) } })
    func webPFileWithDamageHasTheStatusAndWarningsOfTheTable(_ name: String, _ result: String) throws {
        let image = try ImageDecoder(options: .asStored).decode(Fixture.file("webp/\(name).webp"))

        #expect("\(image.status) \(image.header.warnings)" == result)
    }

    @Test(arguments: animationResults.flatMap { row in row.names.map { ($0, row.frames, row.status) } })
    func animationWithDamageEndsWithTheStatusOfTheTable(_ row: (name: String, frames: Int, status: String)) throws {
        let frames = try ImageDecoder(options: .asStored).frames(of: Fixture.file("webp/\(row.name).webp"))

        var count = 0
        while try frames.next() != nil { count += 1 }

        #expect(count == row.frames)
        #expect("\(frames.status)" == row.status)
    }

    @Test func tableHasEveryDecodableFileOfTheScript() {
        let files = Fixture.all.filter { $0.source.hasSuffix("/webp_damage.py") && $0.path.hasPrefix("webp/") }
        let listed = Self.results.flatMap(\.names) + Self.animationResults.flatMap(\.names)

        #expect(files.map(\.path).sorted() == listed.map { "webp/\($0).webp" }.sorted())
    }

    private func outcome(_ body: () throws(DecodeError) -> FullDecodeModel.Outcome) -> Outcome {
        switch Result(catching: body) {
        case .success(let outcome): .image(outcome)
        case .failure(let error): .failure(error.code)
        }
    }

    // ------------------------------------------------------------------ truncation

    @Test(arguments: stills)
    func truncatedWebPKeepsTheRowsBeforeTheCutAndClearsTheOthers(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let decoder = ImageDecoder(options: .asStored)
        let whole = try decoder.decode(bytes).bitmap
        let (pixels, row) = (whole.copyBytes(), whole.width * 4)
        var rowsBefore = 0
        for count in 0..<bytes.count {
            do throws(DecodeError) {
                let image = try decoder.decode(Array(bytes.prefix(count)))
                let rows: Int
                switch image.status {
                case .complete, .corrupt: rows = whole.height
                case .truncated(let complete): rows = complete
                }
                let shown = image.bitmap.copyBytes()
                #expect(rows > 0 && rows >= rowsBefore, "cut at \(count)")
                #expect(shown.prefix(rows * row) == pixels.prefix(rows * row), "cut at \(count)")
                #expect(shown.dropFirst(rows * row).allSatisfy { $0 == 0 }, "cut at \(count)")
                rowsBefore = rows
            } catch {
                // The signature has 12 bytes. A cut before the image in a file with a wrong RIFF size is malformed.
                let codes: [DecodeError.Code] = [.unknownFormat, .truncated, .malformed]
                #expect(codes.contains(error.code) && rowsBefore == 0, "cut at \(count): \(error)")
            }
        }
    }

    @Test(arguments: stills.filter { $0.bytes <= 600 })
    func thumbnailOfATruncatedWebPHasTheResultOfAFullDecode(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        for count in 12..<bytes.count {
            let cut = Array(bytes.prefix(count))

            let expected = outcome { () throws(DecodeError) in try FullDecodeModel.decode(cut, width: 5, height: 3) }
            let actual = outcome { () throws(DecodeError) in try ShrinkOnLoad.decode(cut, width: 5, height: 3) }

            #expect(actual == expected, "cut at \(count)")
        }
    }

    @Test(arguments: animations)
    func truncatedAnimationKeepsTheFramesBeforeTheCut(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let decoder = ImageDecoder(options: .asStored)
        func canvases(_ bytes: [UInt8]) throws(DecodeError) -> (canvases: [[UInt8]], status: DecodeStatus) {
            let frames = try decoder.frames(of: bytes)
            var canvases: [[UInt8]] = []
            while let frame = try frames.next() { canvases.append(frame.bitmap.copyBytes()) }
            return (canvases, frames.status)
        }
        let whole = try canvases(bytes).canvases
        var framesBefore = 0
        for count in 0..<bytes.count {
            guard let cut = try? canvases(Array(bytes.prefix(count))) else {
                #expect(framesBefore == 0, "cut at \(count)")
                continue
            }
            // The last frame may be incomplete.
            let complete = cut.status == .complete ? cut.canvases.count : max(0, cut.canvases.count - 1)
            #expect(cut.canvases.prefix(complete) == whole.prefix(complete), "cut at \(count)")
            #expect(complete >= framesBefore - 1, "cut at \(count)")
            if case .corrupt = cut.status { Issue.record("cut at \(count): \(cut.status)") }
            framesBefore = cut.canvases.count
        }
    }

    // ------------------------------------------------------------------ sizes beyond the file

    /// The offset of the image chunk of a still image.
    private static func imageChunk(of bytes: [UInt8]) -> Int? {
        var at = 12
        while at + 8 <= bytes.count {
            let name = String(decoding: bytes[at..<(at + 4)], as: UTF8.self)
            if name == "VP8 " || name == "VP8L" { return at }
            let size = (0..<4).reduce(0) { $0 | Int(bytes[at + 4 + $1]) << (8 * $1) }
            at += 8 + size + size % 2
        }
        return nil
    }

    private static func setSize(_ size: Int, at offset: Int, of bytes: inout [UInt8]) {
        for n in 0..<4 { bytes[offset + n] = UInt8(truncatingIfNeeded: size >> (8 * n)) }
    }

    /// The rows come from the file, but data of the image chunk is missing.
    @Test(.requirement("E3"), arguments: stills)
    func webPWhoseImageChunkIsLongerThanTheFileIsTruncatedWithAllRows(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let decoder = ImageDecoder(options: .asStored)
        let whole = try decoder.decode(bytes)
        let chunk = try #require(Self.imageChunk(of: bytes))
        for excess in [2, 50, 100_000, 0x7FFF_0000, 0xFFFF_FFFE - bytes.count] {
            for riffSize in [bytes.count - 8, 0xFFFF_FFF6] {
                var larger = bytes
                Self.setSize(bytes.count - chunk - 8 + excess, at: chunk + 4, of: &larger)
                Self.setSize(riffSize, at: 4, of: &larger)

                let image = try decoder.decode(larger)

                #expect(image.status == .truncated(rows: whole.bitmap.height), "\(excess) bytes more")
                #expect(image.bitmap.copyBytes() == whole.bitmap.copyBytes(), "\(excess) bytes more")
            }
        }
    }

    @Test(.requirement("E3"), arguments: stills)
    func truncatedWebPWithSizesBeyondTheFileIsNeverComplete(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let chunk = try #require(Self.imageChunk(of: bytes))
        for count in (chunk + 9)..<bytes.count {
            var cut = Array(bytes.prefix(count))
            Self.setSize(0xFFFF_FFF6, at: 4, of: &cut)
            Self.setSize(0xFFFF_0000, at: chunk + 4, of: &cut)

            let image = try? ImageDecoder(options: .asStored).decode(cut)

            #expect(image?.status != .complete, "cut at \(count)")
        }
    }

    /// The frame itself is complete, so the size of the image chunk in it is wrong.
    @Test(.requirement("E3")) func imageChunkLongerThanItsFrameIsAStructureDefect() throws {
        var bytes = try Fixture.file("webp/animation.webp")
        let name = Array("ANMF".utf8)
        let frame = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
        let image = frame + 8 + 16
        let size = (0..<4).reduce(0) { $0 | Int(bytes[image + 4 + $1]) << (8 * $1) }
        let decoder = ImageDecoder(options: .asStored)
        let whole = try decoder.decode(bytes).bitmap.copyBytes()
        Self.setSize(size + 1_000_000, at: image + 4, of: &bytes)

        let damaged = try decoder.decode(bytes)

        #expect("\(damaged.status)" == "corrupt([structure])")
        #expect(damaged.bitmap.copyBytes() == whole)
    }

    // ------------------------------------------------------------------ wrong bytes

    @Test(arguments: intact.filter { $0.bytes <= 250 })
    func webPWithAWrongByteHasAStatusOfAtMostItsRowsAndTheSameResultAsAThumbnail(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        var options = DecodeOptions.asStored
        options.limits.maxPixels = 100_000
        for index in bytes.indices.dropFirst(12) {
            for mask in [0xFF, 1 << UInt8(index % 8)] as [UInt8] {
                var wrong = bytes
                wrong[index] ^= mask
                let full = outcome { () throws(DecodeError) in
                    try FullDecodeModel.decode(wrong, options: options, width: 3, height: 4)
                }
                let shrunk = outcome { () throws(DecodeError) in
                    try ShrinkOnLoad.decode(wrong, options: options, width: 3, height: 4)
                }
                #expect(shrunk == full, "byte \(index) ^ \(mask)")
                guard let image = try? ImageDecoder(options: options).decode(wrong) else { continue }
                if case .truncated(let rows) = image.status {
                    // All rows are decoded when only the size of the image chunk is wrong.
                    #expect(rows > 0 && rows <= image.header.height, "byte \(index) ^ \(mask)")
                }
            }
        }
    }
}
