import PlatformImage

/// Parser of the arguments of one filter, in order; errors contain the name of the filter.
struct FilterArguments {
    let name: String
    private let arguments: [ArraySlice<UInt8>]
    private var next = 0

    /// Splits the text at commas outside of single quotes and trims blanks around each argument.
    ///
    /// - Throws: `malformed` for an unterminated quote.
    init(of name: String, _ text: ArraySlice<UInt8>) throws(ServiceError) {
        self.name = name
        var arguments: [ArraySlice<UInt8>] = []
        var (start, isQuoted) = (text.startIndex, false)
        for index in text.indices {
            if text[index] == UInt8(ascii: "'") { isQuoted.toggle() }
            guard text[index] == UInt8(ascii: ","), !isQuoted else { continue }
            arguments.append(text[start..<index].trimmingASCIIBlanks())
            start = index + 1
        }
        guard !isQuoted else { throw .malformed("the filter \(name) has an unterminated quote") }
        let last = text[start...].trimmingASCIIBlanks()
        if !last.isEmpty || !arguments.isEmpty { arguments.append(last) }
        self.arguments = arguments
    }

    var count: Int { arguments.count }
    /// True when arguments are left.
    var hasMore: Bool { next < arguments.count }

    var malformed: ServiceError { .malformed("the filter \(name) has invalid arguments") }

    /// Returns the next argument without its quotes.
    ///
    /// - Throws: `malformed` when no argument is left or the argument is empty.
    mutating func text() throws(ServiceError) -> ArraySlice<UInt8> {
        guard hasMore else { throw malformed }
        var argument = arguments[next]
        next += 1
        if argument.count > 2, argument.first == UInt8(ascii: "'"), argument.last == UInt8(ascii: "'") {
            argument = argument.dropFirst().dropLast()
        }
        guard !argument.isEmpty else { throw malformed }
        return argument
    }

    mutating func integer(_ range: ClosedRange<Int>) throws(ServiceError) -> Int {
        guard let value = Number.signed(try text()), range.contains(value) else { throw malformed }
        return value
    }

    mutating func decimal(_ range: ClosedRange<FixedDecimal>) throws(ServiceError) -> FixedDecimal {
        guard let value = Number.decimal(try text()), range.contains(value) else { throw malformed }
        return value
    }

    /// Parses `true`, `True`, `1` or `false`, `False`, `0`.
    mutating func boolean() throws(ServiceError) -> Bool {
        let argument = try text()
        if ["true", "True", "1"].contains(where: { argument.elementsEqual($0.utf8) }) { return true }
        if ["false", "False", "0"].contains(where: { argument.elementsEqual($0.utf8) }) { return false }
        throw malformed
    }

    /// Checks that all arguments were parsed.
    ///
    /// - Throws: `malformed` when arguments are left.
    func end() throws(ServiceError) { if hasMore { throw malformed } }
}
