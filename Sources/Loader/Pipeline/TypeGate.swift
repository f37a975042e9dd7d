#if Loader
internal import PlatformImage

/// Which content types may come in (O43).
struct TypeGate: Sendable {
    private let accepted: Set<ContentType>?

    /// - Parameter accepted: Empty for any image, nil for anything.
    init(_ accepted: Set<ContentType>?) { self.accepted = accepted.map { Set($0.map(Self.withoutAlias)) } }

    /// True when the bytes must be looked at, because the header says nothing.
    func needsStart(_ fields: HeaderFields) -> Bool { accepted != nil && Self.declared(fields) == nil }

    /// The type that is refused, `unknown` for bytes that nobody knows; nil when the response may come in.
    ///
    /// - Parameter start: The first bytes of the body, at most 1,024 of them matter.
    func refusal(_ fields: HeaderFields, start: [UInt8]) -> String? {
        guard accepted != nil else { return nil }
        if let declared = Self.declared(fields) { return accepts(declared) ? nil : declared.description }
        switch ImageSignature(of: start.span) {
        case .decodable(let format): return accepts(format.contentType) ? nil : format.contentType.description
        // A set of everything lets it in, and the decoder says what it lacks.
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

    /// The declared type; nil for none, for several lines, and for the one that says nothing.
    static func declared(_ fields: HeaderFields) -> ContentType? {
        guard let line = fields[lines: "Content-Type"].last else { return nil }
        let type = ContentType(String(decoding: line, as: UTF8.self))
        return type == .octetStream ? nil : type
    }

    /// `image/jpg` is what many servers call `image/jpeg`.
    private static func withoutAlias(_ type: ContentType) -> ContentType { type == .jpg ? .jpeg : type }

    /// True when a picture in memory may come in by what its response declares, or else by its format.
    func accepts(_ picture: PictureMemory.Picture, with fields: HeaderFields) -> Bool {
        guard Self.declared(fields) == nil else { return refusal(fields, start: []) == nil }
        return picture.content.image.map { accepts($0.header.format.contentType) } ?? true
    }
}
#endif
