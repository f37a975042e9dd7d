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
    private var cursor: ByteCursor
    /// True after the first unterminated quote. From there on quotes are ordinary bytes, so that restricting directives
    /// after it still count and no byte is scanned more than twice.
    var hasOpenString = false

    init(bytes: [UInt8]) {
        self.bytes = bytes
        cursor = ByteCursor(bytes.span)
    }

    private var current: UInt8? { cursor.peek(bytes.span) }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
        let bytes = bytes
        cursor.skip(bytes.span, while: isSkipped)
    }

    /// Advances to the first byte of the next non-empty member; returns false at the end.
    mutating func skipToMember() -> Bool {
        skip { $0 == 0x2C || $0.isASCIIBlank }
        return current != nil
    }

    /// Parses a directive; nil when the member does not start with a name.
    mutating func directive() -> CacheControl.Directive? {
        let start = cursor.position
        skip { $0 != 0x2C && $0 != 0x3D && $0 != 0x22 && !$0.isASCIIBlank }
        guard cursor.position > start else { return nil }
        let name = bytes.span.copy(cursor.range(from: start)).map(\.lowercasedASCII)
        var directive = CacheControl.Directive(name: String(decoding: name, as: UTF8.self), value: nil)
        if current == 0x3D {
            cursor.skip(1)
            let string = current == 0x22 ? quotedString() : nil
            directive.value = string ?? token()
        }
        skip(while: \.isASCIIBlank)
        directive.isWellFormed = current == nil || current == 0x2C
        return directive
    }

    /// Parses the quoted string at the position and advances past it; nil when it is unterminated.
    private mutating func quotedString() -> [UInt8]? {
        guard !hasOpenString else { return nil }
        var value: [UInt8] = []
        var next = cursor
        next.skip(1)
        while let byte = next.next(bytes.span) {
            if byte == 0x22 {
                cursor = next
                return value
            }
            // A backslash at the end of the line stands for itself.
            value.append(byte == 0x5C ? next.next(bytes.span) ?? byte : byte)
        }
        hasOpenString = true
        return nil
    }

    /// Parses bytes up to a comma, quote or blank. Leading blanks are not skipped: `max-age= 1` has an empty value.
    private mutating func token() -> [UInt8] {
        let (start, hasOpenString) = (cursor.position, hasOpenString)
        skip { $0 != 0x2C && ($0 != 0x22 || hasOpenString) && !$0.isASCIIBlank }
        return bytes.span.copy(cursor.range(from: start))
    }

    /// Advances to the comma that ends the member; commas in quoted strings do not count.
    mutating func skipToComma() {
        while let byte = current, byte != 0x2C {
            if byte != 0x22 || quotedString() == nil { cursor.skip(1) }
        }
    }
}
