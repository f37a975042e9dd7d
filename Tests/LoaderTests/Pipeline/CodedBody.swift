#if Loader
import CPlatformImageContentCoding

@testable import PlatformImageLoader

/// Codes bodies with the library that decodes them.
enum CodedBody {
    static func gzip(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] { encoded(bytes, PICC_GZIP, PICC_FRAMED, level) }

    static func zlib(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] { encoded(bytes, PICC_DEFLATE, PICC_FRAMED, level) }

    /// Deflate without the header and the checksum.
    static func bare(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] { encoded(bytes, PICC_DEFLATE, PICC_BARE, level) }

    /// Bare as well, without an end, so that more may follow.
    static func blocks(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] {
        encoded(bytes, PICC_DEFLATE, PICC_BLOCKS, level)
    }

    private static func encoded(
        _ bytes: [UInt8], _ format: picc_format, _ frame: picc_frame, _ level: Int32
    ) -> [UInt8] {
        // Stored blocks add five bytes to 65,535 each, and the frame eighteen.
        [UInt8](unsafeUninitializedCapacity: bytes.count + bytes.count / 8_000 * 5 + 64) { output, count in
            count = picc_encode(format, frame, level, bytes, bytes.count, output.baseAddress, output.count)
            precondition(count > 0, "the room is enough for whatever the library makes of it")
        }
    }
}

extension ScriptedReply {
    /// A picture's bytes as they are coded, with the lengths of the coded form.
    static func coded(
        _ name: String, _ bytes: [UInt8], maxAge: Int? = nil, etag: String? = nil, type: String? = "image/png"
    ) -> Self {
        var reply = picture(bytes, maxAge: maxAge, etag: etag)
        reply.fields.append("Content-Encoding", name)
        if type != "image/png" { reply.fields.removeAll(named: "Content-Type") }
        if let type, type != "image/png" { reply.fields.append("Content-Type", type) }
        return reply
    }
}
#endif
