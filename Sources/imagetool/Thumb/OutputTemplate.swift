import PlatformImage
import PlatformImageToolSupport

/// Output path for an input, as a template with `{dir}`, `{name}`, `{size}`, `{w}`, `{h}` and `{ext}`.
struct OutputTemplate {
    private enum Part: Equatable {
        case text(String)
        /// Folder of the input, `.` when its path has no folder.
        case dir
        /// File name of the input without its last extension.
        case name
        case width, height
        /// The text of `--size` without its suffix.
        case size
        /// Default file extension of the output format.
        case ext
    }

    /// Template text as given.
    let text: String
    private let parts: [Part]

    /// Parses a template.
    ///
    /// - Throws: ``Malformed`` for an unknown name in braces or a missing closing brace.
    init(_ text: String) throws(Malformed) {
        self.text = text
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            guard let close = rest[open...].firstIndex(of: "}") else { throw Malformed(reason: "a { has no closing }") }
            switch rest[rest.index(after: open)..<close] {
            case "dir": parts.append(.dir)
            case "name": parts.append(.name)
            case "w": parts.append(.width)
            case "h": parts.append(.height)
            case "size": parts.append(.size)
            case "ext": parts.append(.ext)
            case let other:
                throw Malformed(
                    reason: "unknown placeholder {\(other)}; expected {dir}, {name}, {size}, {w}, {h} or {ext}")
            }
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    /// Template for one file per input and size in `folder`; the folder's name is used literally.
    ///
    /// - Parameter severalSizes: The names contain the size.
    init(folder: String, severalSizes: Bool = false) {
        let folder = folder.hasSuffix("/") ? folder : folder + "/"
        text = folder + Self.fileName(severalSizes: severalSizes)
        parts = [.text(folder), .name] + (severalSizes ? [.text("-"), .size] : []) + [.text("."), .ext]
    }

    /// Template of the file names in a folder.
    static func fileName(severalSizes: Bool) -> String { severalSizes ? "{name}-{size}.{ext}" : "{name}.{ext}" }

    struct Malformed: Error { let reason: String }

    /// True when the template contains `{name}`, so that the output path depends on the name of the input.
    var containsName: Bool { parts.contains(.name) }

    /// True when the template contains `{size}`.
    var containsSize: Bool { parts.contains(.size) }

    /// True when the template contains `{w}` or `{h}`.
    var containsSide: Bool { parts.contains(.width) || parts.contains(.height) }

    /// True for a path without placeholders and without the extension of an image: with several inputs, a folder.
    var canBeFolder: Bool {
        guard parts.allSatisfy({ if case .text = $0 { true } else { false } }) else { return false }
        return format == nil && unsupportedExtension == nil
    }

    /// Output format if the template ends with an extension of a format that can be written, such as `png` or `jpeg`;
    /// otherwise `nil`.
    var format: EncodedFormat? { literalExtension.flatMap { EncodedFormat(fileExtension: $0) } }

    /// Extension at the end of the template if it is that of an image format that cannot be written, such as `avif`;
    /// otherwise `nil`.
    var unsupportedExtension: String? {
        literalExtension.flatMap { OutputExtension.unsupported.contains($0) ? $0 : nil }
    }

    private var literalExtension: String? {
        guard case .text(let end)? = parts.last else { return nil }
        // A dot at the beginning of the text can follow a placeholder.
        return ("x" + end.lastPathComponent).fileExtension
    }

    /// False when text, such as a folder, precedes `{dir}` in the template and the folder of `input` contains `..`: the
    /// output path could then leave the preceding folder.
    func staysInsideFolder(_ input: String) -> Bool {
        guard let dir = parts.firstIndex(of: .dir), dir > 0 else { return true }
        return !parentFolder(of: input).pathComponents.contains("..")
    }

    /// Output path for an input; `nil` when `size` is `nil` and the template contains `{w}` or `{h}`, or when `format`
    /// is `nil` and the template contains `{ext}`.
    ///
    /// - Parameter sizeText: Text for `{size}`; `nil` for `{w}x{h}`.
    func path(
        for input: String, size: (width: Int, height: Int)?, format: EncodedFormat?, sizeText: String? = nil
    ) -> String? {
        var path = ""
        for part in parts {
            switch part {
            case .text(let text): path += text
            case .dir: path += parentFolder(of: input)
            case .name: path += Self.stem(of: input)
            case .width:
                guard let size else { return nil }
                path += String(size.width)
            case .height:
                guard let size else { return nil }
                path += String(size.height)
            case .size:
                guard let text = sizeText ?? size.map({ "\($0.width)x\($0.height)" }) else { return nil }
                path += text
            case .ext:
                guard let format else { return nil }
                path += format.fileExtension
            }
        }
        return path
    }

    static func stem(of path: String) -> String {
        if path == "-" { return "stdin" }
        let name = path.lastPathComponent
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return String(name) }
        return String(name[..<dot])
    }
}

/// File name extensions of `--output`.
enum OutputExtension {
    /// Extensions of image formats and documents that this program does not write, in lower case.
    static let unsupported: Set<String> = InputPaths.unsupportedExtensions.union([
        "bmp", "cur", "dds", "dib", "dng", "emf", "eps", "exr", "hdr", "icns", "jpf", "jpm", "jxr", "pcx", "pdf", "ps",
        "qoi", "svg", "svgz", "tga", "tif", "tiff", "wdp", "wmf", "xcf",
    ])
}
