import PlatformImage

/// Parses comma-separated `name`, `name=token` and `name="quoted \" string"` members in linear time.
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

/// A line and the parser's position in it.
private struct Line {
    let bytes: [UInt8]
    var position = 0
    /// True after the first unterminated quote. From there on quotes are ordinary bytes, so that restricting directives
    /// after it still count and no byte is scanned more than twice.
    var hasOpenString = false

    init(bytes: [UInt8]) { self.bytes = bytes }

    var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Advances to the first byte of the next non-empty member; returns false at the end.
    mutating func skipToMember() -> Bool {
        while let byte = current, byte == 0x2C || byte.isASCIIBlank { position += 1 }
        return current != nil
    }

    /// Parses a directive; nil when the member does not start with a name.
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

    /// Parses the quoted string at the position and advances past it; nil when it is unterminated.
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

    /// Parses bytes up to a comma, quote or blank. Leading blanks are not skipped: `max-age= 1` has an empty value.
    private mutating func token() -> [UInt8] {
        let start = position
        while let byte = current, byte != 0x2C, byte != 0x22 || hasOpenString, !byte.isASCIIBlank { position += 1 }
        return Array(bytes[start..<position])
    }

    /// Advances to the comma that ends the member; commas in quoted strings do not count.
    mutating func skipToComma() {
        while let byte = current, byte != 0x2C {
            if byte != 0x22 || quotedString() == nil { position += 1 }
        }
    }
}
