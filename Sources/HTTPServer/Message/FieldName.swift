/// The name of a header field. Names are constants of the program, so that they cannot come from outside.
package struct FieldName: Sendable {
    let text: StaticString

    /// Creates a name.
    ///
    /// - Parameter text: A token; another text is a programming error and traps.
    package init(_ text: StaticString) {
        let isToken = text.withUTF8Buffer { bytes in unsafe !bytes.isEmpty && bytes.allSatisfy(\.isTokenByte) }
        precondition(isToken, "a field name must be a token")
        self.text = text
    }

    /// The bytes of the name.
    func append(to bytes: inout [UInt8]) {
        text.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    }

    /// True if the bytes of a range are this name, in letters of any case.
    func matches(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        bytes.matches(range, text)
    }
}

extension FieldName: Equatable, CustomStringConvertible {
    /// Length in bytes.
    package var byteCount: Int { text.utf8CodeUnitCount }

    /// The name as the program wrote it.
    package var description: String { text.description }

    /// True if a text is this name, in letters of any case.
    package func matches(_ name: String) -> Bool {
        guard name.utf8.count == byteCount else { return false }
        let bytes = Array(name.utf8)
        return matches(bytes.span, 0..<bytes.count)
    }

    package static func == (first: Self, second: Self) -> Bool {
        guard first.byteCount == second.byteCount else { return false }
        return first.text.withUTF8Buffer { first in
            second.text.withUTF8Buffer { second in
                if unsafe first.baseAddress == second.baseAddress { return true }
                return unsafe first.elementsEqual(second) { $0.lowercased == $1.lowercased }
            }
        }
    }
}
