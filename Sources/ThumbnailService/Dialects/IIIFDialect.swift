import PlatformImage

/// Parser of IIIF Image API 3.0 targets (Docs/service-rules.md 3). They are unsigned: the map from identifiers to
/// sources is the allow list.
struct IIIFDialect: Hashable, Sendable {
    static let prefix = "/iiif/3/"

    /// Quality of JPEG and WebP results, 1 to 100.
    var defaultQuality = 80
    /// Metadata of results.
    var metadata = MetadataPolicy.strip
    /// Formats of the built-in encoders.
    var formats = OutputFormatRequest.Format.encodable

    /// A parsed target.
    enum Target: Hashable, Sendable {
        case image(ThumbnailRequest)
        /// A request for `info.json`. The `id` of the response contains the raw identifier, as the client sent it.
        case info(ThumbnailRequest, rawIdentifier: String)
        /// A request for the base URI of an image. The response has status 303 and redirects to the associated value,
        /// the path of `info.json`.
        case redirect(String)
    }

    /// Parses a target; every segment is percent-decoded once.
    ///
    /// - Throws: `targetTooLong`; `queryRefused`; `notFound` for more than five segments, as with an unescaped slash in
    ///   an identifier, and for an identifier that ``IIIFIdentifier`` rejects; `malformed` for other invalid targets.
    func parse(_ target: [UInt8]) throws(ServiceError) -> Target {
        let segments = try segments(of: target)
        guard let raw = segments.first, let identifier = Self.identifier(raw) else {
            throw .malformed("the identifier is empty, is not UTF-8, or contains control characters or brackets")
        }
        guard IIIFIdentifier.staysBelowPrefix(Array(identifier.utf8)) else {
            throw ServiceError(.notFound, "the identifier contains an empty segment or a dot segment")
        }
        if segments.count == 5 {
            return .image(try image(identifier, segments.dropFirst().map { PercentEncoding.decode($0)[...] }))
        }
        guard segments.count < 6 else {
            throw ServiceError(
                .notFound,
                "an IIIF target has at most 5 segments after \(Self.prefix); "
                    + "a slash in an identifier must be written as %2F")
        }
        if segments.count == 1 || (segments.count == 2 && segments[1].isEmpty) {
            return .redirect("\(Self.prefix)\(Self.text(raw))/info.json")
        }
        guard segments.count == 2, PercentEncoding.decode(segments[1]).elementsEqual("info.json".utf8) else {
            throw .malformed("an IIIF target requires region, size, rotation and quality.format, or info.json")
        }
        var operations = Operations()
        operations.size = .iiif(.init())
        let output = OutputFormatRequest(quality: defaultQuality, kind: .iiifInfo)
        let request = ThumbnailRequest(source: .identifier(identifier), operations: operations, output: output)
        return .info(request, rawIdentifier: Self.text(raw))
    }

    /// Splits the target after the prefix at slashes, into at most six segments: one more than a valid target can have,
    /// so that surplus segments are detected.
    private func segments(of target: [UInt8]) throws(ServiceError) -> [ArraySlice<UInt8>] {
        guard target.count <= ThumborDialect.maxTargetBytes else {
            throw ServiceError(.targetTooLong, "the target is longer than \(ThumborDialect.maxTargetBytes) bytes")
        }
        guard target.starts(with: Self.prefix.utf8) else {
            throw .malformed("an IIIF target must begin with \(Self.prefix)")
        }
        guard !target.contains(UInt8(ascii: "?")) else {
            throw ServiceError(.queryRefused, "an IIIF target must not have a query")
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

    /// Parses `quality.format`.
    private func output(
        _ segment: ArraySlice<UInt8>, _ operations: inout Operations
    ) throws(ServiceError) -> OutputFormatRequest {
        let names = segment.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard names.count == 2 else { throw .malformed("the last segment must have the form quality.format") }
        switch String(decoding: names[0], as: UTF8.self) {
        case "default", "color": break
        case "gray": operations.filters.append(.pixels(.grayscale))
        case "bitonal": operations.filters.append(.pixels(.bitonal))
        default: throw .malformed("invalid quality; expected default, color, gray or bitonal")
        }
        let suffix = String(decoding: names[1], as: UTF8.self)
        guard let format = formats.first(where: { $0.iiifSuffix == suffix }) else {
            throw .malformed("the output format is not supported")
        }
        // A region of an animation, like a tile of a viewer, is one image.
        let isStill = format == .gif || format == .webp
        return OutputFormatRequest(
            format: format, quality: defaultQuality, isStill: isStill, metadata: OutputMetadata(metadata))
    }

    /// Decodes an identifier; nil when it is empty, contains control characters or unescaped brackets, or is not UTF-8.
    private static func identifier(_ raw: ArraySlice<UInt8>) -> String? {
        guard !raw.contains(where: { "[]".utf8.contains($0) }) else { return nil }
        let decoded = PercentEncoding.decode(raw)
        guard !decoded.isEmpty, !decoded.contains(where: \.isASCIIControl) else { return nil }
        return String(validating: decoded, as: UTF8.self)
    }

    /// Returns the segment as it was sent, with those characters percent-encoded that a URI path does not allow.
    private static func text(_ raw: ArraySlice<UInt8>) -> String {
        String(decoding: PercentEncoding.encode(raw, allowed: .pathSegment, keepsEscapes: true), as: UTF8.self)
    }
}

/// Path traversal checks for IIIF identifiers. IIIF targets have no signature, so only these checks prevent access to
/// paths outside the mapped directory or URL prefix.
enum IIIFIdentifier {
    /// Maximum number of nested percent-encodings that an identifier may still contain after the target was decoded
    /// once. An identifier with more is refused.
    static let maxEncodings = 4

    /// Returns false for an identifier that an origin might resolve to a path outside the prefix.
    ///
    /// In every segment, the text before the first `;` must not be empty, `.` or `..` (RFC 3986 §5.2.4): some servers
    /// remove the parameters after a `;` before they resolve dot segments. Backslashes separate segments too, as on
    /// some servers. The rules apply again after each further decoding, because an origin or a proxy may decode once
    /// more.
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
                // NUL ends a path in servers written in C.
                let name = segment.prefix { $0 != UInt8(ascii: ";") && $0 != 0 }
                return !name.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8)
            }
    }
}
