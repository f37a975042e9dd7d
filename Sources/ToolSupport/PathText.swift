import PlatformImage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// File names are bytes, and need not be UTF-8. The tools keep paths as `String`: each byte that is not part of valid
/// UTF-8 is one of the scalars U+10FF80 to U+10FFFF, the last private use characters, and a name that contains one of
/// these characters itself has its four bytes converted in the same way. So every path has exactly one text, and every
/// text the path that it was made from.
///
/// Paths enter the program through ``Swift/String/init(pathBytes:)`` and reach system calls through
/// ``Swift/String/cPath``; in JSON they are ``JSON/path(_:_:)`` and on a terminal ``Swift/String/printable``.
private enum PathScalar {
    /// The first two bytes in UTF-8 of all scalars that stand for a byte; the third is `BE` or `BF`.
    static let prefix: (UInt8, UInt8) = (0xF4, 0x8F)

    static func scalar(for byte: UInt8) -> Unicode.Scalar {
        // Bytes below 0x80 are always valid UTF-8, and the sum is below 0x110000.
        Unicode.Scalar(0x10FF00 + UInt32(byte)) ?? "\u{FFFD}"
    }

    static func isByte(_ scalar: Unicode.Scalar) -> Bool { scalar.value >= 0x10FF80 }
}

extension String {
    /// Creates the text of a path.
    ///
    /// - Parameter bytes: Bytes of the path, without the zero at the end of a C string.
    package init(pathBytes bytes: some Collection<UInt8>) {
        if let text = String(validating: bytes, as: UTF8.self), !text.hasPathBytes {
            self = text
            return
        }
        let bytes = Array(bytes)
        self = ""
        var index = 0
        while index < bytes.count {
            let length = Self.scalarLength(in: bytes[index...])
            if length > 0, let text = String(validating: bytes[index..<index + length], as: UTF8.self),
                !text.hasPathBytes
            {
                self += text
                index += length
            } else {
                unicodeScalars.append(PathScalar.scalar(for: bytes[index]))
                index += 1
            }
        }
    }

    /// Number of bytes of the scalar at the beginning of the bytes; 0 when they begin with invalid UTF-8.
    private static func scalarLength(in bytes: ArraySlice<UInt8>) -> Int {
        (1...4).first { length in
            length <= bytes.count && String(validating: bytes.prefix(length), as: UTF8.self) != nil
        } ?? 0
    }

    /// Creates the text of a path from a zero-terminated string.
    package init(cPath path: UnsafePointer<CChar>) {
        var bytes: [UInt8] = []
        var at = path
        while at.pointee != 0 {
            bytes.append(UInt8(bitPattern: at.pointee))
            at += 1
        }
        self.init(pathBytes: bytes)
    }

    private var hasPathBytes: Bool {
        guard utf8.contains(PathScalar.prefix.0) else { return false }
        return unicodeScalars.contains(where: PathScalar.isByte)
    }

    /// Bytes of the path with this text.
    package var pathBytes: [UInt8] {
        guard hasPathBytes else { return Array(utf8) }
        var bytes: [UInt8] = []
        for scalar in unicodeScalars {
            if PathScalar.isByte(scalar) {
                bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                bytes += UTF8.encode(scalar).map { Array($0) } ?? []
            }
        }
        return bytes
    }

    /// The path for a system call, zero-terminated.
    package var cPath: [CChar] { pathBytes.map { CChar(bitPattern: $0) } + [0] }

    /// False for the path of a name that is not UTF-8.
    package var isUTF8Path: Bool { !hasPathBytes || String(validating: pathBytes, as: UTF8.self) != nil }

    /// The text with `\xNN` for each byte of a path that is not UTF-8.
    package var printable: String {
        guard hasPathBytes else { return self }
        if let text = String(validating: pathBytes, as: UTF8.self) { return text }
        var text = ""
        for scalar in unicodeScalars {
            if PathScalar.isByte(scalar) {
                text += "\\x" + String(scalar.value & 0xFF, radix: 16, uppercase: true)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension JSON {
    /// Member for a path: its text if it is UTF-8; otherwise, under another name, its bytes in Base64.
    ///
    /// - Parameters:
    ///   - name: Name of the member with text: `file` or `input` for the path that the object is about, which becomes
    ///     `pathBase64`, or another name such as `output`, which becomes `outputPathBase64`.
    ///   - path: Text of the path.
    package static func path(_ name: String, _ path: String) -> (String, JSON) {
        if path.isUTF8Path { return (name, .string(String(decoding: path.pathBytes, as: UTF8.self))) }
        return (base64Name(name), .string(Data(path.pathBytes).base64EncodedString()))
    }

    /// Text of the path that ``path(_:_:)`` wrote; `nil` without the member and for invalid Base64.
    package func path(_ name: String) -> String? {
        if let text = self[name]?.string { return String(pathBytes: text.utf8) }
        return self[Self.base64Name(name)]?.string.flatMap { Data(base64Encoded: $0) }.map { String(pathBytes: $0) }
    }

    private static func base64Name(_ name: String) -> String {
        ["file", "input", "path"].contains(name) ? "pathBase64" : name + "PathBase64"
    }
}

/// Arguments of the process without the name of the program. `CommandLine.arguments` replaces bytes that are not UTF-8.
package func processArguments() -> [String] {
    let pointers = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    return pointers.dropFirst().compactMap { $0.map { String(cPath: $0) } }
}
