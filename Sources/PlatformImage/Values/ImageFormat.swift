/// A format that this package decodes; ``webp`` only if it is built with the trait `WebP`, which is on by default.
///
/// A minor version may add cases: a `switch` in another package needs `@unknown default`.
@nonexhaustive
public enum ImageFormat: String, CaseIterable, Sendable {
    /// PNG and APNG.
    case png
    case jpeg
    case gif
    /// TIFF and BigTIFF.
    case tiff
    case bmp
    /// WebP, lossy and lossless, still and animated.
    case webp

    /// The format of a content type, including aliases (`image/jpg`, `image/x-ms-bmp`, `image/apng`); nil for other
    /// types.
    public init?(_ contentType: ContentType) {
        switch contentType.description {
        case "image/png", "image/apng", "image/x-png", "image/x-apng", "image/vnd.mozilla.apng", "image/x-citrix-png":
            self = .png
        case "image/jpeg", "image/jpg", "image/jpe", "image/jfif", "image/pjpeg", "image/pjpg", "image/x-jpeg",
            "image/x-jpg", "image/x-pjpeg", "image/x-citrix-jpeg", "image/vnd.swiftview-jpeg", "application/jpg",
            "application/x-jpg":
            self = .jpeg
        case "image/gif", "image/x-gif", "image/vnd.gif", "image/x-citrix-gif": self = .gif
        case "image/tiff", "image/tif", "image/tiff-fx", "image/x-tiff", "image/x-tif", "application/tiff",
            "application/tif":
            self = .tiff
        case "image/bmp", "image/x-bmp", "image/x-ms-bmp", "image/ms-bmp", "image/x-windows-bmp", "image/vnd.ms-bmp",
            "image/x-bitmap", "image/x-win-bitmap", "image/x-dib", "application/bmp", "application/x-bmp":
            self = .bmp
        case "image/webp", "image/x-webp": self = .webp
        case "application/png", "application/x-png": self = .png
        case "application/gif", "application/x-gif": self = .gif
        default: return nil
        }
    }

    /// The registered content type.
    public var contentType: ContentType {
        switch self {
        case .png: .png
        case .jpeg: .jpeg
        case .gif: .gif
        case .tiff: .tiff
        case .bmp: .bmp
        case .webp: .webp
        }
    }
}

extension ImageFormat {
    /// True for formats that can contain an animation.
    package var isAnimatable: Bool { self == .gif || self == .png || self == .webp }
}

extension ImageFormat {
    /// False when this build has no decoder for the format: ``webp`` without the trait `WebP`.
    package var isBuiltIn: Bool {
        #if WebP
        true
        #else
        self != .webp
        #endif
    }

    /// All file name extensions in use for the format, in lower case and without a dot; the first is the usual one.
    package var fileExtensions: [String] {
        switch self {
        case .png: ["png", "apng"]
        case .jpeg: ["jpg", "jpeg", "jpe", "jfif"]
        case .gif: ["gif"]
        case .tiff: ["tif", "tiff"]
        case .bmp: ["bmp", "dib"]
        case .webp: ["webp"]
        }
    }

    /// The format whose ``fileExtensions`` contain the extension of a file name, in upper or lower case; nil for other
    /// names. The format need not be built in, and the content of the file can have another one.
    package init?(ofFileNamed path: String) {
        guard let text = path.fileExtension,
            let format = Self.allCases.first(where: { $0.fileExtensions.contains(text) })
        else { return nil }
        self = format
    }
}

extension EncodedFormat {
    /// The format that a file name extension names, in lower case and without a dot; nil for other extensions.
    package init?(fileExtension: String) {
        guard let format = ImageFormat.allCases.first(where: { $0.fileExtensions.contains(fileExtension) }),
            let encoded = Self(rawValue: format.rawValue)
        else { return nil }
        self = encoded
    }
}

extension String {
    /// The part of the last path component after its last dot, with ASCII letters in lower case; nil without a dot and
    /// for a component that only begins with one, such as `.png`.
    package var fileExtension: String? {
        let name = utf8.lastIndex(of: UInt8(ascii: "/")).map { utf8[utf8.index(after: $0)...] } ?? utf8[...]
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
        return String(decoding: name[name.index(after: dot)...].map(\.lowercasedASCII), as: UTF8.self)
    }
}
