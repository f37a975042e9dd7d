import PlatformImage
import PlatformImageToolSupport

/// Output path for an input, as a template with `{dir}`, `{name}`, `{w}`, `{h}` and `{ext}`.
struct OutputTemplate {
    private enum Part: Equatable {
        case text(String)
        /// Folder of the input, `.` when its path has no folder.
        case dir
        /// File name of the input without its last extension.
        case name
        case width, height
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
            case "ext": parts.append(.ext)
            case let other:
                throw Malformed(reason: "unknown placeholder {\(other)}; expected {dir}, {name}, {w}, {h} or {ext}")
            }
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    /// Template for one file per input in `folder`; the folder's name is used literally.
    init(folder: String) {
        let folder = folder.hasSuffix("/") ? folder : folder + "/"
        text = folder + "{name}.{ext}"
        parts = [.text(folder), .name, .text("."), .ext]
    }

    struct Malformed: Error { let reason: String }

    /// True when the template contains `{name}`, so that the output path depends on the name of the input.
    var containsName: Bool { parts.contains(.name) }

    /// Output format if the template ends with the extension `png`, `apng`, `jpg`, `jpeg`, `webp` or `gif`; otherwise
    /// `nil`.
    var format: EncodedFormat? {
        switch literalExtension {
        case "png", "apng": .png
        case "jpg", "jpeg": .jpeg
        case "webp": .webp
        case "gif": .gif
        default: nil
        }
    }

    /// Extension at the end of the template if it is that of an image format that cannot be written, such as `avif`;
    /// otherwise `nil`.
    var unsupportedExtension: String? {
        let foreign = ["avif", "bmp", "heic", "heif", "ico", "jp2", "jxl", "svg", "tif", "tiff"]
        return literalExtension.flatMap { foreign.contains($0) ? $0 : nil }
    }

    private var literalExtension: String? {
        guard case .text(let end)? = parts.last, let dot = end.lastIndex(of: ".") else { return nil }
        return end[end.index(after: dot)...].lowercased()
    }

    /// False when text, such as a folder, precedes `{dir}` in the template and the folder of `input` contains `..`: the
    /// output path could then leave the preceding folder.
    func staysInsideFolder(_ input: String) -> Bool {
        guard let dir = parts.firstIndex(of: .dir), dir > 0 else { return true }
        return !parentFolder(of: input).pathComponents.contains("..")
    }

    /// Output path for an input; `nil` when `size` is `nil` and the template contains `{w}` or `{h}`, or when `format`
    /// is `nil` and the template contains `{ext}`.
    func path(for input: String, size: (width: Int, height: Int)?, format: EncodedFormat?) -> String? {
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
