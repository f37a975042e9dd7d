import PlatformImageTestSupport
import Testing

@testable import PlatformImageHTTPServer

@Suite struct BodyDecoderTests {
    /// Decodes a body in parts of `step` bytes.
    ///
    /// - Returns: The data, and the bytes of the body; nil if its end is missing.
    private static func decode(
        _ bytes: [UInt8], _ framing: BodyFraming, step: Int
    ) throws(RequestRejection) -> (data: [UInt8], length: Int?) {
        var decoder = BodyDecoder(framing)
        var data: [UInt8] = []
        var start = 0
        while start < bytes.count {
            let part = Array(bytes[start..<min(start + step, bytes.count)])
            var offset = 0
            loop: while true {
                switch try decoder.next(part.span, from: offset) {
                case .data(let range):
                    data += part[range]
                    offset = range.upperBound
                case .end(let position): return (data, start + position)
                case .needsMore: break loop
                }
            }
            start += step
        }
        return (data, nil)
    }

    @Test(.requirement("HS12", "HS16", "HS30"), arguments: 1...40)
    func bodyInPartsOfEverySizeIsDecodedToItsDataAndEnd(step: Int) throws {
        let data = Array("0123456789abcdef".utf8)
        let chunked = Array("3\r\n012\r\n1;x\r\n3\r\nC \t;a=\"\u{E4}\"\r\n456789abcdef\r\n0\r\nA:b\r\n\r\n".utf8)
        for (bytes, framing) in [(data, BodyFraming.length(16)), (chunked, .chunked)] {
            let result = try Self.decode(bytes + Array("GET".utf8), framing, step: step)
            #expect(result.data == data)
            #expect(result.length == bytes.count)
            let cut = try Self.decode(bytes.dropLast(), framing, step: step)
            #expect(cut.length == nil)
        }
    }

    @Test(.requirement("HS16")) func largestChunkSizesAreAcceptedOrRejectedWithoutOverflow() throws {
        for (size, isValid) in [
            ("7fffffffffffffff", true), ("8000000000000000", false), ("FFFFFFFFFFFFFFFF", false),
            ("0000000000000001", true), ("00000000000000001", false), ("fffffffffffffff", true),
        ] {
            let bytes = Array("\(size)\r\nx".utf8)
            if isValid {
                #expect(try Self.decode(bytes, .chunked, step: 3).data == [0x78])
            } else {
                #expect(throws: RequestRejection.self) { try Self.decode(bytes, .chunked, step: 3) }
            }
        }
    }

    @Test(.requirement("HS16")) func chunkLinesThatAreLargerThanTheDataAreLimited() throws {
        let tiny = Array("1\r\nx\r\n".utf8)
        #expect(throws: RequestRejection.self) {
            try Self.decode((0..<70_000).flatMap { _ in tiny }, .chunked, step: 1_000)
        }
        #expect(try Self.decode((0..<60_000).flatMap { _ in tiny }, .chunked, step: 1_000).data.count == 60_000)
        // Chunks that are larger than their lines have no limit.
        let small = Array("a\r\n0123456789\r\n".utf8)
        let result = try Self.decode((0..<100_000).flatMap { _ in small }, .chunked, step: 4_096)
        #expect(result.data.count == 1_000_000)
    }
}
