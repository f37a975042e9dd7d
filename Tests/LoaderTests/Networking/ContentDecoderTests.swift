import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite struct ContentDecoderTests {
    private static let content = TestImage.first + Array(repeating: 7, count: 3_000) + TestImage.second

    /// The content in each encoding that a server may use, with the value of `Content-Encoding`.
    private static let forms: [(field: String, bytes: [UInt8])] = [
        ("gzip", CodedBody.gzip(content)), ("x-gzip", CodedBody.gzip(content, level: 1)),
        ("GZIP", CodedBody.gzip(content, level: 0)), ("deflate", CodedBody.zlib(content)),
        ("deflate", CodedBody.bare(content)), ("deflate", CodedBody.bare(content, level: 0)),
        ("deflate", CodedBody.zlib(content, level: 0)), ("identity", content), ("", content),
        ("deflate, gzip", CodedBody.gzip(CodedBody.zlib(content))),
        ("gzip,, identity , deflate", CodedBody.bare(CodedBody.gzip(content))),
        ("gzip, gzip, gzip, gzip", CodedBody.gzip(CodedBody.gzip(CodedBody.gzip(CodedBody.gzip(content))))),
        // Consecutive gzip members decode to one concatenated body (RFC 1952 §2.2).
        (
            "gzip",
            CodedBody.gzip(Array(content.prefix(1_000))) + CodedBody.gzip([])
                + CodedBody.gzip(Array(content.dropFirst(1_000)))
        ),
    ]

    private func decoded(
        _ bytes: [UInt8], _ field: String, by size: Int, maxBytes: Int = 1 << 20
    ) -> Result<[UInt8], ContentCodingError> {
        Result { () throws(ContentCodingError) in
            let codings = try ContentCoding.codings(of: ["Content-Encoding": field])
            guard !codings.known.isEmpty else {
                try codings.check(bytes)
                return bytes
            }
            let decoder = ContentDecoder(codings.known, maxBytes: maxBytes)
            do throws(ContentCodingError) {
                for start in stride(from: 0, to: bytes.count, by: size) {
                    try decoder.append(Array(bytes[start..<min(start + size, bytes.count)]))
                }
                try decoder.finish()
            } catch {
                throw codings.cause(error)
            }
            try codings.check(decoder.content)
            return decoder.content
        }
    }

    @Test func bodyOfEveryContentCodingIsDecodedWithAnyChunkSize() {
        for (field, bytes) in Self.forms {
            for size in [1, 2, 7, 100, 4_096, bytes.count] {
                #expect(decoded(bytes, field, by: size) == .success(Self.content), "\(field) by \(size)")
            }
        }
    }

    @Test func bodyBelowOrAtOrAboveTheDecoderBufferSizeIsDecodedCompletely() {
        // Lengths at, just below and above the size of the decoder's output buffer.
        for count in [65_535, 65_536, 65_537, 131_072, 200_000] {
            let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
            for coded in [CodedBody.gzip(content), CodedBody.gzip(CodedBody.gzip(content))] {
                let field = coded == CodedBody.gzip(content) ? "gzip" : "gzip, gzip"
                #expect(decoded(coded, field, by: coded.count) == .success(content), "\(field) \(count)")
                #expect(decoded(coded, field, by: 1_000) == .success(content), "\(field) \(count)")
            }
        }
    }

    @Test func encodedBodyTruncatedAtAnyLengthIsAnError() {
        let small = Array("a small content, a small content".utf8)
        for (field, coded) in [
            ("gzip", CodedBody.gzip(small)), ("deflate", CodedBody.zlib(small)), ("deflate", CodedBody.bare(small)),
            ("gzip, deflate", CodedBody.zlib(CodedBody.gzip(small))),
        ] {
            for count in 0..<coded.count {
                for size in [1, max(1, count)] {
                    let end = decoded(Array(coded.prefix(count)), field, by: size)
                    #expect(end == .failure(.truncated), "\(field) \(count) of \(coded.count)")
                }
            }
        }
    }

    @Test func bytesAfterTheEndOfAnEncodedBodyAreAnError() {
        let small = Array("content".utf8)
        for (field, coded) in [
            ("gzip", CodedBody.gzip(small)), ("deflate", CodedBody.zlib(small)), ("deflate", CodedBody.bare(small)),
        ] {
            for junk in [[0], [1, 2, 3], Array(repeating: 0, count: 512)] as [[UInt8]] {
                for size in [1, coded.count, coded.count + junk.count] {
                    guard case .failure(.damaged) = decoded(coded + junk, field, by: size) else {
                        Issue.record("\(field) accepts \(junk.count) bytes after its end")
                        continue
                    }
                }
            }
            // An incomplete second member is truncated input.
            if field == "gzip" {
                #expect(decoded(coded + coded.prefix(5), field, by: 3) == .failure(.truncated))
            }
        }
    }

    @Test func encodedBodyWithAFlippedBitNeverDecodesToOtherBytes() {
        let small = Array("content that is checked, content that is checked".utf8)
        for (field, coded) in [("gzip", CodedBody.gzip(small)), ("deflate", CodedBody.zlib(small))] {
            for bit in 0..<(coded.count * 8) {
                var damaged = coded
                damaged[bit / 8] ^= 1 << (bit % 8)
                // A flipped bit outside the compressed data, such as in the date of the gzip header, may leave the
                // content unchanged.
                if case .success(let content) = decoded(damaged, field, by: 16) {
                    #expect(content == small, "\(field) bit \(bit)")
                }
            }
        }
    }

    @Test func randomInputDoesNotCrashTheDecoder() {
        var random = SplitMix(seed: 4)
        for round in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0..<64, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let field = ["gzip", "deflate", "deflate, gzip"][round % 3]
            let head: [UInt8] = field.hasSuffix("gzip") ? [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] : []
            let (one, all) = (decoded(head + bytes, field, by: 1), decoded(head + bytes, field, by: 100))
            // The result does not depend on the chunk size.
            #expect((try? one.get()) == (try? all.get()))
        }
    }

    @Test func unknownContentCodingIsRejectedWithItsName() {
        for (field, name) in [
            ("br", "br"), ("zstd", "zstd"), ("gzip, BR", "br"), ("compress", "compress"), ("x-compress", "x-compress"),
            ("gzip;q=1", "gzip;q=1"), ("gzip gzip", "gzip gzip"),
            (Array(repeating: "gzip", count: 5).joined(separator: ","), "5 codings, the limit is 4"),
        ] {
            #expect(decoded([1], field, by: 1) == .failure(.unknown(name)), "\(field)")
        }
    }

    @Test func zlibPresetDictionaryIsRejected() {
        // The flag FDICT of RFC 1950 with a valid FCHECK.
        guard case .failure(.damaged) = decoded([0x78, 0x20, 1, 2, 3, 4, 5], "deflate", by: 7) else {
            Issue.record("a preset dictionary is not rejected")
            return
        }
    }

    @Test(.requirement("O92")) func decodedByteLimitIsExactAndStopsADecompressionBomb() {
        let coded = CodedBody.gzip(Self.content)
        #expect(decoded(coded, "gzip", by: 50, maxBytes: Self.content.count) == .success(Self.content))
        #expect(decoded(coded, "gzip", by: 50, maxBytes: Self.content.count - 1) == .failure(.tooLarge))

        // A megabyte of zeros in about a kilobyte, 1,024 times: a gigabyte.
        let block = CodedBody.blocks(Array(repeating: 0, count: 1 << 20), level: 9)
        let bomb = Array(repeatElement(block, count: 1_024).joined())
        #expect(bomb.count < 2 << 20)
        let decoder = ContentDecoder([.deflate], maxBytes: 3 << 20)
        #expect(throws: ContentCodingError.tooLarge) { try decoder.append(bomb) }
        #expect(decoder.content.count == 3 << 20)
    }

    @Test(.requirement("O92")) func intermediateDataOfNestedCodingsOverTheByteLimitFailsWithTooLarge() {
        // The intermediate data is larger than the limit and decodes to nothing: empty deflate blocks.
        let empty = CodedBody.blocks([], level: 9)
        let inner = Array(repeatElement(empty, count: (4 << 20) / empty.count).joined())
        let coded = CodedBody.gzip(inner, level: 9)
        let decoder = ContentDecoder([.deflate, .gzip], maxBytes: 1 << 20)
        #expect(throws: ContentCodingError.tooLarge) { try decoder.append(coded) }
        #expect(decoder.content.isEmpty)
    }
}
