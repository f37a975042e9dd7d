import CPlatformImageContentCoding

@testable import PlatformImageLoader

/// Encodes bodies with the library that also decodes them.
enum CodedBody {
    static func gzip(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] { encoded(bytes, PICC_GZIP, PICC_FRAMED, level) }

    static func zlib(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] { encoded(bytes, PICC_DEFLATE, PICC_FRAMED, level) }

    /// Raw deflate, without zlib header and checksum.
    static func bare(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] { encoded(bytes, PICC_DEFLATE, PICC_RAW, level) }

    /// Raw deflate without a final block, so that more blocks may follow.
    static func blocks(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] {
        encoded(bytes, PICC_DEFLATE, PICC_BLOCKS, level)
    }

    private static func encoded(
        _ bytes: [UInt8], _ format: picc_format, _ frame: picc_frame, _ level: Int32
    ) -> [UInt8] {
        // Capacity for data that cannot be compressed: 5 bytes for the header of a stored block in each 8,000 bytes,
        // and 64 bytes, of which the gzip header and trailer use 18.
        [UInt8](unsafeUninitializedCapacity: bytes.count + bytes.count / 8_000 * 5 + 64) { output, count in
            count = picc_encode(format, frame, level, bytes, bytes.count, output.baseAddress, output.count)
            precondition(count > 0, "the encoded bytes do not fit into the output")
        }
    }
}

extension ScriptedReply {
    /// A response with an encoded image; `Content-Length` counts the encoded bytes.
    static func coded(
        _ name: String, _ bytes: [UInt8], maxAge: Int? = nil, etag: String? = nil, type: String? = "image/png"
    ) -> Self {
        var reply = image(bytes, maxAge: maxAge, etag: etag)
        reply.fields.append("Content-Encoding", name)
        if type != "image/png" { reply.fields.removeAll(named: "Content-Type") }
        if let type, type != "image/png" { reply.fields.append("Content-Type", type) }
        return reply
    }
}
