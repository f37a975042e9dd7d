internal import PlatformImage

/// Checks content types against the accepted ones (O43).
struct ContentTypeFilter: Sendable {
    private let accepted: Set<ContentType>?

    /// - Parameter accepted: Accepted content types; empty accepts any image, nil accepts any content.
    init(_ accepted: Set<ContentType>?) { self.accepted = accepted.map { Set($0.map(Self.withoutAlias)) } }

    /// True when types are checked and the header declares no usable type, so that the first bytes of the body are
    /// needed.
    func needsPrefix(_ fields: HeaderFields) -> Bool { accepted != nil && Self.declared(fields) == nil }

    /// The rejected type, `unknown` for unrecognised bytes; nil when the response is accepted.
    ///
    /// - Parameter prefix: The first bytes of the body; at most 1,024 are used.
    func rejectedType(_ fields: HeaderFields, prefix: [UInt8]) -> String? {
        guard accepted != nil else { return nil }
        if let declared = Self.declared(fields) { return accepts(declared) ? nil : declared.description }
        switch ImageSignature(of: prefix.span) {
        case .decodable(let format): return accepts(format.contentType) ? nil : format.contentType.description
        // When any image is accepted, the filter accepts this format, and the decoder reports that it is not supported.
        case .refused(let name): return accepts(ContentType("image/\(name)")) ? nil : "image/\(name)"
        case .unknown: return "unknown"
        }
    }

    func accepts(_ type: ContentType?) -> Bool {
        guard let accepted else { return true }
        guard let type else { return false }
        let name = Self.withoutAlias(type).description
        let family = ContentType(name.prefix { $0 != "/" } + "/*")
        if accepted.isEmpty { return family?.description == "image/*" }
        return accepted.contains(Self.withoutAlias(type)) || family.map(accepted.contains) == true
    }

    /// The declared type, from the last `Content-Type` line; nil when it is missing, invalid, or declares no format,
    /// such as `application/octet-stream`.
    static func declared(_ fields: HeaderFields) -> ContentType? {
        guard let line = fields[lines: "Content-Type"].last else { return nil }
        return ContentType(String(decoding: line, as: UTF8.self))?.format
    }

    /// The declared type as decoders get it: nil also for a type of more than 255 bytes, which is longer than any
    /// registered one (RFC 6838 §4.2), because it becomes part of messages to workers.
    static func declaredToDecoder(_ fields: HeaderFields) -> ContentType? {
        declared(fields).flatMap { $0.description.utf8.count <= 255 ? $0 : nil }
    }

    /// Replaces an alias of a format's type, such as `image/jpg` or `image/x-png`, by the registered type.
    private static func withoutAlias(_ type: ContentType) -> ContentType {
        ImageFormat(type)?.contentType ?? type
    }

    /// True when an image in memory is accepted, by the type that its response declares or otherwise by its format.
    func accepts(_ cachedImage: ImageMemoryCache.CachedImage, with fields: HeaderFields) -> Bool {
        accepts(cachedImage.content.image?.header, with: fields)
    }

    /// True when an image with this header is accepted, by the type that its response declares or otherwise by its
    /// format; nil accepts a response without a declared type.
    func accepts(_ header: ImageHeader?, with fields: HeaderFields) -> Bool {
        guard Self.declared(fields) == nil else { return rejectedType(fields, prefix: []) == nil }
        return header.map { accepts($0.format.contentType) } ?? true
    }
}
