import PlatformImage
import PlatformImageToolSupport

/// One answer of `imagetool worker`: a JSON object, and the bytes after it.
struct WorkerAnswer: Sendable {
    /// Result of `decode` or `thumb`.
    enum Body: Sendable {
        case file([UInt8])
        /// Pixels in the format `raw` or `pam`.
        case pixels(Bitmap, PixelFileFormat, isPremultiplied: Bool)

        var byteCount: Int {
            switch self {
            case .file(let bytes): bytes.count
            case .pixels(let bitmap, let format, _): format.byteCount(of: bitmap)
            }
        }

        func write(to output: Output) throws {
            switch self {
            case .file(let bytes): try output.write(bytes.span)
            case .pixels(let bitmap, let format, let isPremultiplied):
                try format.write(bitmap, premultiplied: isPremultiplied, to: output)
            }
        }
    }

    /// Maximum number of Unicode scalars of an error text.
    private static let maxErrorLength = 500

    /// Members after the id and before the duration.
    private let members: [(String, JSON)]
    /// Bytes that follow the line; `nil` when none follow.
    private(set) var body: Body?

    static func info(_ header: ImageHeader, _ exif: EXIF?) -> Self {
        Self(
            members: [("status", .string("complete")), ("code", .null)] + header.facts + EXIF.facts(exif) + [
                ("decodedBytes", .optional(header.decodedByteCount))
            ])
    }

    /// The answer for a result that was written to `output`, or that follows the answer when `output` is `nil`.
    static func result(
        _ body: Body, format: String, width: Int, height: Int, status: DecodeStatus, output: String?
    ) -> Self {
        let damage: [(String, JSON)] =
            switch status {
            case .complete: []
            case .truncated(let rows): [("rows", .integer(rows))]
            case .corrupt(let warnings): [("warnings", .array(warnings.map { .string($0.description) }))]
            }
        return Self(
            members: [("status", .string(status.name)), ("code", .null)] + damage + [
                ("format", .string(format)), ("width", .integer(width)), ("height", .integer(height)),
                JSON.path("output", output ?? "inline"), ("bytes", .integer(body.byteCount)),
            ], body: output == nil ? body : nil)
    }

    /// The answer for a failure; its text is cut, because it can repeat a part of the request.
    static func failed(_ failure: Failure) -> Self {
        // The decoder and the encoder have different codes for a deadline, which is a member of the request here.
        let isDeadline = ["limitExceeded(deadline)", "deadlinePassed"].contains { failure.reason.hasPrefix($0) }
        return Self(members: [
            ("status", .string("failed")), ("code", .string(isDeadline ? "timedOut" : failure.code)),
            ("error", .string(String(failure.reason.unicodeScalars.prefix(maxErrorLength)))),
        ])
    }

    private init(members: [(String, JSON)], body: Body? = nil) {
        self.members = members
        self.body = body
    }

    /// The complete line with its newline.
    ///
    /// - Parameter id: JSON text of the id.
    func line(id: String, duration: Duration) -> [UInt8] {
        let object = JSON.object(
            [("id", .numeral(id))] + members + [("milliseconds", .number(duration / .milliseconds(1)))])
        return Array((object.text + "\n").utf8)
    }
}
