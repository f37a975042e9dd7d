#if Loader
import PlatformImage

/// Reads `name`, `name=token` and `name="quoted \" string"` between commas, in time linear to the line's length.
struct CacheControlParser {
    private(set) var directives: [CacheControl.Directive] = []
    private(set) var hasOpenString = false

    /// Appends the members of one line.
    mutating func read(_ line: [UInt8]) {
        var line = Line(bytes: line)
        while line.skipToMember() {
            if let directive = line.directive() { directives.append(directive) }
            line.skipToComma()
        }
        if line.hasOpenString { hasOpenString = true }
    }
}

/// A line and how far it is read.
private struct Line {
    let bytes: [UInt8]
    var position = 0
    /// Set by the first quote without a closing one: from there on quotes are ordinary bytes, so that what restricts is
    /// still seen behind it, and that no byte is looked at more than twice.
    var hasOpenString = false

    init(bytes: [UInt8]) { self.bytes = bytes }

    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Goes to the first byte of the next member that is not empty; false at the end.
    mutating func skipToMember() -> Bool {
        while let byte = current, byte == 0x2C || byte.isASCIIBlank { position += 1 }
        return current != nil
    }

    /// A directive; nil when the member does not begin with a name.
    mutating func directive() -> CacheControl.Directive? {
        let start = position
        while let byte = current, byte != 0x2C, byte != 0x3D, byte != 0x22, !byte.isASCIIBlank { position += 1 }
        guard position > start else { return nil }
        let name = String(decoding: bytes[start..<position].map(\.lowercasedASCII), as: UTF8.self)
        var directive = CacheControl.Directive(name: name, value: nil)
        if current == 0x3D {
            position += 1
            let string = current == 0x22 ? quotedString() : nil
            directive.value = string ?? token()
        }
        while let byte = current, byte.isASCIIBlank { position += 1 }
        directive.isWellFormed = current == nil || current == 0x2C
        return directive
    }

    /// What a quoted string at the position means, and goes behind it; nil when it has no end.
    private mutating func quotedString() -> [UInt8]? {
        guard !hasOpenString else { return nil }
        var value: [UInt8] = []
        var index = position + 1
        while index < bytes.count {
            switch bytes[index] {
            case 0x22:
                position = index + 1
                return value
            case 0x5C where index + 1 < bytes.count:
                value.append(bytes[index + 1])
                index += 2
            case let byte:
                value.append(byte)
                index += 1
            }
        }
        hasOpenString = true
        return nil
    }

    /// Bytes up to a comma, a quote or white space. White space in front is left: `max-age= 1` has an empty value.
    private mutating func token() -> [UInt8] {
        let start = position
        while let byte = current, byte != 0x2C, byte != 0x22 || hasOpenString, !byte.isASCIIBlank { position += 1 }
        return Array(bytes[start..<position])
    }

    /// Goes to the comma that ends the member. Commas in quoted strings do not.
    mutating func skipToComma() {
        while let byte = current, byte != 0x2C {
            if byte != 0x22 || quotedString() == nil { position += 1 }
        }
    }
}
#endif
