import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Oversized, truncated or malicious responses of origins.
@Suite struct OriginResponseTests {
    /// Framings of a body of 1 MB; the limit is 100 kB.
    private static let framings: [OriginResponse.Framing] = [.length, .chunked, .untilClose, .declared(50_000)]

    @Test(.requirement("SV8"), arguments: framings)
    func bodyOverTheLimitIsRejectedWith413InEveryFraming(_ framing: OriginResponse.Framing) async throws {
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(body: Array(repeating: 0x89, count: 1_000_000))
            response.framing = framing
            response.chunkSize = 10_000
            response.closesConnection = true
            return .response(response)
        }
        try await withService(origin: origin) {
            $0.limits.sourceBytes = 100_000
        } _: { service in
            let reply = try await service.send("/unsafe/8x8/127.0.0.1:\(origin.port)/a.png")
            // A body that is longer than its Content-Length is truncated and is not an image.
            #expect(reply.status == (framing == .declared(50_000) ? 415 : 413))
        }
        await origin.stop()
    }

    @Test(.requirement("SV8")) func bodyShorterThanItsContentLengthIs502() async throws {
        let image = try Bitmap.landscape(40, 30).png()
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(body: image)
            response.framing = .declared(image.count + 1)
            response.failure = (image.count, .close)
            return .response(response)
        }
        try await withService(origin: origin) { service in
            let reply = try await service.send("/unsafe/8x8/127.0.0.1:\(origin.port)/a.png")
            #expect(reply.status == 502)
        }
        await origin.stop()
    }

    @Test(.requirement("SV8"), arguments: [false, true])
    func gzipBodyIsLimitedByItsDecompressedSize(isBomb: Bool) async throws {
        let image = try Bitmap.landscape(40, 30).png()
        let coded = isBomb ? GzipFile.zeros(matches: 40_000) : GzipFile.stored(image)
        let origin = try await LoopbackOrigin { _ in .ok(coded, [OriginField("Content-Encoding", "gzip")]) }
        try await withService(origin: origin) {
            $0.limits.sourceBytes = 1_000_000
        } _: { service in
            let reply = try await service.send("/unsafe/8x8/127.0.0.1:\(origin.port)/a.png")
            #expect(reply.status == (isBomb ? 413 : 200))
            #expect(origin.requests.first?["Accept-Encoding"] == "identity")
        }
        #expect(coded.count < 100_000)
        await origin.stop()
    }

    @Test(
        .requirement("SV10"),
        arguments: [
            "<!DOCTYPE html><script>echoed()</script>",
            "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"echoed()\"/>",
            "<?xml version=\"1.0\"?><svg>echoed()</svg>", "GIF89a<script>echoed()</script>", "\u{89}PNG echoed()",
            "%PDF-1.7 echoed()", "#!/bin/sh\nechoed()",
        ])
    func nonImageBodyIs415AndIsNotEchoed(_ text: String) async throws {
        let origin = try await LoopbackOrigin { _ in
            .ok(Array(text.utf8), [OriginField("Content-Type", "image/jpeg")])
        }
        try await withService(origin: origin) { service in
            for options in ["8x8", "meta/8x8"] {
                let reply = try await service.send("/unsafe/\(options)/127.0.0.1:\(origin.port)/a.jpg")
                #expect(reply.status == 415)
                #expect(reply["Content-Type"] == "application/problem+json")
                #expect(reply["X-Content-Type-Options"] == "nosniff")
                #expect(reply["Content-Security-Policy"] == "default-src 'none'; sandbox")
                #expect(!reply.text.contains("echoed"))
            }
        }
        await origin.stop()
    }

    @Test(.requirement("SV10")) func sourceFormatIsDetectedFromBytesAndNotFromContentType() async throws {
        let image = try Bitmap.landscape(40, 30).png()
        let origin = try await LoopbackOrigin { _ in .ok(image, [OriginField("Content-Type", "text/html")]) }
        try await withService(origin: origin) { service in
            let reply = try await service.send("/unsafe/8x8/127.0.0.1:\(origin.port)/a.html")
            #expect(reply.status == 200)
            #expect(reply["Content-Type"] == "image/png")
        }
        await origin.stop()
    }

    /// Bytes that an HTTP parser may accept in a field value.
    private static let values: [[UInt8]] = [
        Array("\"a\tb\"".utf8), [0x22, 0xFF, 0xFE, 0x22], Array("\"ü\u{2028}\"".utf8),
        Array("<http://inside.example>".utf8),
        Array("Mon, 99 Foo 2026 99:99:99 GMT".utf8), Array(repeating: 0x41, count: 4_000),
    ]

    @Test(.requirement("SV19"), arguments: values.indices)
    func responseFieldsOfTheOriginAreNotForwarded(row: Int) async throws {
        let image = try Bitmap.landscape(40, 30).png()
        let value = Self.values[row]
        let names = ["ETag", "Last-Modified", "Link", "Content-Disposition", "X-Secret", "Server", "Content-Language"]
        let origin = try await LoopbackOrigin { _ in .ok(image, names.map { OriginField($0, bytes: value) }) }
        try await withService(origin: origin) { service in
            let reply = try await service.send("/unsafe/8x8/127.0.0.1:\(origin.port)/a.png")
            #expect(reply.status == 200)
            let text = String(decoding: value, as: UTF8.self)
            for (name, value) in reply.fields {
                #expect(!value.contains(text), "\(name)")
                #expect(value.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "\(name)")
            }
            #expect(reply["X-Secret"] == nil)
            #expect(reply["Last-Modified"] == nil)
        }
        await origin.stop()
    }
}

/// Writes gzip files (RFC 1952).
private enum GzipFile {
    private static let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

    /// One uncompressed block of at most 65,535 bytes.
    static func stored(_ content: [UInt8]) -> [UInt8] {
        let count = UInt16(content.count)
        let size = [UInt8(truncatingIfNeeded: count), UInt8(count >> 8)]
        return head + [1] + size + size.map { ~$0 } + content + tail(content)
    }

    /// A literal zero, then `matches` DEFLATE matches of 258 zeros; each match has 13 bits (RFC 1951 §3.2.6). The gzip
    /// trailer is zero, because the service stops at its limit of decompressed bytes, before it reads the trailer.
    static func zeros(matches: Int) -> [UInt8] {
        var bits: [Bool] = [true, true, false]  // the last block, fixed codes
        bits += [false, false, true, true, false, false, false, false]  // the literal 0
        let match = [true, true, false, false, false, true, false, true] + [Bool](repeating: false, count: 5)
        for _ in 0..<matches { bits += match }
        bits += [Bool](repeating: false, count: 7)
        var bytes = head
        for start in stride(from: 0, to: bits.count, by: 8) {
            var byte: UInt8 = 0
            for (place, bit) in bits[start..<min(start + 8, bits.count)].enumerated() where bit { byte |= 1 << place }
            bytes.append(byte)
        }
        return bytes + [UInt8](repeating: 0, count: 8)
    }

    private static func tail(_ content: [UInt8]) -> [UInt8] {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in content {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
        }
        return [~crc, UInt32(content.count)].flatMap { word in
            [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }
}
