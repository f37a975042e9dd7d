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
        guard let format = Self.formats[contentType.description] else { return nil }
        self = format
    }

    /// The registered content type.
    public var contentType: ContentType { facts.contentType }

    private static let formats: [String: ImageFormat] = {
        let types = allCases.flatMap { format in
            [(format.contentType.description, format)] + format.facts.aliases.map { ($0, format) }
        }
        return Dictionary(uniqueKeysWithValues: types)
    }()
}

extension ImageFormat {
    private struct Facts {
        let contentType: ContentType
        /// Other names of the content type that servers send.
        let aliases: [String]
        let fileExtensions: [String]
        var isAnimatable = false
        /// Greatest numerator of the delay of a frame.
        var maxFrameDelay = Int(UInt16.max)
        var isBuiltIn = true
    }

    private var facts: Facts { Self.table[self] ?? row }

    private static let table = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.row) })

    /// All facts about a format that are not in its codec.
    private var row: Facts {
        switch self {
        case .png:
            Facts(
                contentType: .png,
                aliases: [
                    "image/apng", "image/x-png", "image/x-apng", "image/vnd.mozilla.apng", "image/x-citrix-png",
                    "application/png", "application/x-png",
                ],
                fileExtensions: ["png", "apng"], isAnimatable: true)
        case .jpeg:
            Facts(
                contentType: .jpeg,
                aliases: [
                    "image/jpg", "image/jpe", "image/jfif", "image/pjpeg", "image/pjpg", "image/x-jpeg", "image/x-jpg",
                    "image/x-pjpeg", "image/x-citrix-jpeg", "image/vnd.swiftview-jpeg", "application/jpg",
                    "application/x-jpg",
                ],
                fileExtensions: ["jpg", "jpeg", "jpe", "jfif"])
        case .gif:
            Facts(
                contentType: .gif,
                aliases: [
                    "image/x-gif", "image/vnd.gif", "image/x-citrix-gif", "application/gif", "application/x-gif",
                ],
                fileExtensions: ["gif"], isAnimatable: true)
        case .tiff:
            Facts(
                contentType: .tiff,
                aliases: [
                    "image/tif", "image/tiff-fx", "image/x-tiff", "image/x-tif", "application/tiff", "application/tif",
                ],
                fileExtensions: ["tif", "tiff"])
        case .bmp:
            Facts(
                contentType: .bmp,
                aliases: [
                    "image/x-bmp", "image/x-ms-bmp", "image/ms-bmp", "image/x-windows-bmp", "image/vnd.ms-bmp",
                    "image/x-bitmap", "image/x-win-bitmap", "image/x-dib", "application/bmp", "application/x-bmp",
                ],
                fileExtensions: ["bmp", "dib"])
        case .webp:
            // Delays have 24 bits.
            Facts(
                contentType: .webp, aliases: ["image/x-webp"], fileExtensions: ["webp"], isAnimatable: true,
                maxFrameDelay: 0xFF_FFFF, isBuiltIn: Self.hasWebP)
        }
    }

    #if WebP
    private static let hasWebP = true
    #else
    private static let hasWebP = false
    #endif

    /// True for formats that can contain an animation.
    package var isAnimatable: Bool { facts.isAnimatable }

    /// Greatest numerator of the delay of a frame that a file can contain.
    var maxFrameDelay: Int { facts.maxFrameDelay }

    /// False when this build has no decoder for the format: ``webp`` without the trait `WebP`.
    package var isBuiltIn: Bool { facts.isBuiltIn }

    /// All file name extensions in use for the format, in lower case and without a dot; the first is the usual one.
    package var fileExtensions: [String] { facts.fileExtensions }

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
