/// A media type in lower case without parameters, such as `image/png` (RFC 9110, section 8.3.1).
public struct ContentType: Hashable, Sendable, CustomStringConvertible {
    /// `type/subtype` in lower case.
    public let description: String

    /// Parses a `Content-Type` field value: the result for `"Image/PNG; q=1"` is `image/png`.
    ///
    /// Nil when the value has no `type/subtype` of token characters (RFC 9110, section 5.6.2). `type/*` is accepted.
    public init?(_ fieldValue: String) {
        let value = fieldValue.utf8.prefix { $0 != UInt8(ascii: ";") }
        var name: [UInt8] = []
        for byte in value.trimmingASCIIBlanks() {
            guard byte == UInt8(ascii: "/") || Self.tokenBytes.contains(byte) else { return nil }
            name.append(byte.lowercasedASCII)
        }
        let parts = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        description = String(decoding: name, as: UTF8.self)
    }

    private init(known: String) { description = known }

    /// The characters of a token (`tchar`, RFC 9110, section 5.6.2).
    private static let tokenBytes = ASCIISet.alphanumerics.union("!#$%&'*+-.^_`|~")

    /// `image/png`, for APNG too.
    public static var png: Self { Self(known: "image/png") }
    /// `image/jpeg`.
    public static var jpeg: Self { Self(known: "image/jpeg") }
    /// `image/jpg`: not registered, but servers send it.
    public static var jpg: Self { Self(known: "image/jpg") }
    /// `image/gif`.
    public static var gif: Self { Self(known: "image/gif") }
    /// `image/tiff`.
    public static var tiff: Self { Self(known: "image/tiff") }
    /// `image/bmp`.
    public static var bmp: Self { Self(known: "image/bmp") }
    /// `image/webp`.
    public static var webp: Self { Self(known: "image/webp") }
    /// `application/octet-stream`: declares no format; the signature determines the format.
    public static var octetStream: Self { Self(known: "application/octet-stream") }
}

extension ContentType {
    /// True for a type that declares no format, so that the signature of the content determines it:
    /// `application/octet-stream`, names for downloads and for unknown or binary content that servers send in its
    /// place, and all types below a top-level type that is not registered, such as `binary/octet-stream`.
    package var declaresNoFormat: Bool {
        let parts = description.utf8.split(separator: UInt8(ascii: "/"))
        guard let top = parts.first, let name = parts.last, parts.count == 2 else { return true }
        guard Self.topLevelTypes.contains(String(decoding: top, as: UTF8.self)) else { return true }
        let subtype = String(decoding: name, as: UTF8.self)
        if subtype == "*" || subtype == "unknown" || subtype == "x-unknown" { return true }
        guard top.elementsEqual("application".utf8) else { return false }
        let words = subtype.split { $0 == "-" || $0 == "." || $0 == "_" }
        return words.contains { Self.wordsWithoutFormat.contains(String($0)) }
    }

    /// The type, or nil when it declares no format.
    package var format: Self? { declaresNoFormat ? nil : self }

    /// The registered top-level types (RFC 6838, section 4.2).
    private static let topLevelTypes: Set<String> = [
        "application", "audio", "font", "haptics", "image", "message", "model", "multipart", "text", "video",
    ]
    /// Words in subtypes of `application` that say how to handle content, and not what it is.
    private static let wordsWithoutFormat: Set<String> = [
        "octet", "octetstream", "octets", "download", "forcedownload", "save", "attachment", "unknown", "binary", "bin",
        "file",
    ]
}

extension ContentType {
    /// `image/jpeg` for a file whose name ends with `.jpg`, `.jpeg`, `.jpe` or `.jfif` if its bytes begin with `FF D8`,
    /// but do not have the signature of JPEG, `FF D8 FF`: junk after the first marker, which decoders skip. Nil for all
    /// other files, because the signature of a file determines its format, and not its name.
    package init?(ofFileNamed path: String, _ bytes: Span<UInt8>) {
        guard bytes.count > 2, bytes[0] == 0xFF, bytes[1] == 0xD8, bytes[2] != 0xFF else { return nil }
        guard ImageFormat(ofFileNamed: path) == .jpeg else { return nil }
        self = .jpeg
    }

    /// The declared type, or that of ``init(ofFileNamed:_:)`` when no type is declared.
    static func declared(_ contentType: Self?, ofFileNamed path: String, _ bytes: Span<UInt8>) -> Self? {
        if let declared = contentType?.format { return declared }
        return Self(ofFileNamed: path, bytes) ?? contentType
    }
}
