#if Service
import PlatformImage

/// Targets of the IIIF Image API 3.0 (SERVICE 3). They are unsigned: the map from identifiers to sources is the list of
/// what is allowed.
struct IIIFDialect: Hashable, Sendable {
    static let prefix = "/iiif/3/"

    /// 1 to 100.
    var defaultQuality = 80
    /// What the built-in encoders can write.
    var formats: Set<OutputWish.Format> = [.jpeg, .png]

    /// What a target asks for.
    enum Target: Hashable, Sendable {
        case image(ThumbnailRequest)
        /// `info.json`; the identifier as it was sent, for the `id` that answers.
        case info(ThumbnailRequest, rawIdentifier: String)
        /// The base address alone: answered with 303 to this path.
        case redirect(String)
    }

    /// Reads a target, every segment percent-decoded once.
    ///
    /// - Throws: `targetTooLong`, `queryRefused`, `notFound` for an identifier with a slash that is not escaped or with
    ///   an empty or dot segment, or `malformed` for what the API has no meaning for.
    func parse(_ target: [UInt8]) throws(ServiceError) -> Target {
        let segments = try segments(of: target)
        guard let raw = segments.first, let identifier = Self.identifier(raw) else {
            throw .malformed("the identifier is empty, or has control characters or brackets")
        }
        guard IIIFIdentifier.staysBelowPrefix(Array(identifier.utf8)) else {
            throw ServiceError(.notFound, "an identifier has no empty segment and no dot segment")
        }
        if segments.count == 5 {
            return .image(try image(identifier, segments.dropFirst().map { PercentEncoding.decode($0)[...] }))
        }
        guard segments.count < 6 else {
            throw ServiceError(.notFound, "there is no such identifier; a slash inside one is written %2F")
        }
        if segments.count == 1 || (segments.count == 2 && segments[1].isEmpty) {
            return .redirect("\(Self.prefix)\(Self.text(raw))/info.json")
        }
        guard segments.count == 2, PercentEncoding.decode(segments[1]).elementsEqual("info.json".utf8) else {
            throw .malformed("a target of IIIF has region, size, rotation and quality.format, or info.json")
        }
        var operations = Operations()
        operations.size = .iiif(.init())
        let output = OutputWish(quality: defaultQuality, kind: .iiifInfo)
        let request = ThumbnailRequest(source: .identifier(identifier), operations: operations, output: output)
        return .info(request, rawIdentifier: Self.text(raw))
    }

    /// What stands between the slashes after the prefix; one more than a request has tells that there are too many.
    private func segments(of target: [UInt8]) throws(ServiceError) -> [ArraySlice<UInt8>] {
        guard target.count <= ThumborDialect.maxTargetBytes else {
            throw ServiceError(.targetTooLong, "a target has at most \(ThumborDialect.maxTargetBytes) bytes")
        }
        guard target.starts(with: Self.prefix.utf8) else {
            throw .malformed("a target of IIIF begins with \(Self.prefix)")
        }
        guard !target.contains(UInt8(ascii: "?")) else {
            throw ServiceError(.queryRefused, "a target of IIIF has no query")
        }
        return target.dropFirst(Self.prefix.utf8.count).split(
            separator: UInt8(ascii: "/"), maxSplits: 5, omittingEmptySubsequences: false)
    }

    private func image(
        _ identifier: String, _ segments: [ArraySlice<UInt8>]
    ) throws(ServiceError) -> ThumbnailRequest {
        var operations = Operations()
        operations.region = try Self.region(segments[0])
        operations.size = .iiif(try Self.size(segments[1]))
        let rotation = try Self.rotation(segments[2])
        operations.flipsHorizontally = rotation.isMirrored
        if rotation.quarterTurns > 0 { operations.filters.append(.rotate(quarterTurns: rotation.quarterTurns)) }
        let output = try self.output(segments[3], &operations)
        return ThumbnailRequest(source: .identifier(identifier), operations: operations, output: output)
    }

    /// `quality.format`.
    private func output(
        _ segment: ArraySlice<UInt8>, _ operations: inout Operations
    ) throws(ServiceError) -> OutputWish {
        let names = segment.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard names.count == 2 else { throw .malformed("the last part is quality.format") }
        switch String(decoding: names[0], as: UTF8.self) {
        case "default", "color": break
        case "gray": operations.filters.append(.pixels(.grayscale))
        case "bitonal": operations.filters.append(.pixels(.bitonal))
        default: throw .malformed("the quality is none of default, color, gray and bitonal")
        }
        let suffix = String(decoding: names[1], as: UTF8.self)
        guard let format = formats.first(where: { $0.iiifSuffix == suffix }) else {
            throw .malformed("the format is none that this service writes")
        }
        return OutputWish(format: format, quality: defaultQuality)
    }

    /// Nil for an empty one, one with control characters or brackets, and one that is not UTF-8.
    private static func identifier(_ raw: ArraySlice<UInt8>) -> String? {
        guard !raw.contains(where: { "[]".utf8.contains($0) }) else { return nil }
        let decoded = PercentEncoding.decode(raw)
        guard !decoded.isEmpty, !decoded.contains(where: \.isASCIIControl) else { return nil }
        return String(validating: decoded, as: UTF8.self)
    }

    /// The segment as it was sent, with what a URI may not have escaped.
    private static func text(_ raw: ArraySlice<UInt8>) -> String {
        String(decoding: PercentEncoding.encode(raw, allowed: .pathSegment, keepsEscapes: true), as: UTF8.self)
    }
}

/// Rules for identifiers of IIIF. They are unsigned, so the folder or prefix that they are mapped to is the only bound.
enum IIIFIdentifier {
    /// Times that an identifier may be percent-encoded on top of the encoding of the target.
    static let maxEncodings = 4

    /// Returns false for an identifier that an origin might resolve to a path outside the prefix.
    ///
    /// Every segment needs a name other than `.` and `..` (RFC 3986 section 5.2.4) in front of `;`, where some servers
    /// cut parameters off before they resolve dot segments. A backslash separates segments too, as some servers have it.
    /// The rules hold again after each further decoding, because an origin or a proxy may decode once more.
    ///
    /// - Parameter identifier: Percent-decoded once.
    static func staysBelowPrefix(_ identifier: [UInt8]) -> Bool {
        var bytes = identifier
        for _ in 0...maxEncodings {
            guard hasOnlyNamedSegments(bytes) else { return false }
            let decoded = PercentEncoding.decode(bytes)
            if decoded == bytes { return true }
            bytes = decoded
        }
        return false
    }

    private static func hasOnlyNamedSegments(_ bytes: [UInt8]) -> Bool {
        bytes.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            .allSatisfy { segment in
                // NUL ends a path for servers written in C.
                let name = segment.prefix { $0 != UInt8(ascii: ";") && $0 != 0 }
                return !name.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8)
            }
    }
}
#endif
