import PlatformImage

/// The version of a distribution package, ordered as by dpkg and rpm.
///
/// `[epoch:]upstream[-revision]` (Debian Policy 5.6.12), ordered by the Debian algorithm: non-digit parts compare
/// letters before other characters, and `~` before everything, even before the end of the text; digit parts compare as
/// numbers. For the upstream versions of ``LibraryTable/fixes`` (numbers, dots and letters), the order of rpm is
/// identical.
package struct PackageVersion: Hashable, Comparable, Sendable {
    /// The version as spelled in the package database. Versions are equal when their spellings are equal.
    package let text: String

    package init(_ text: String) { self.text = text }

    /// The upstream version, without epoch and revision: `1.6.39` of `1:1.6.39-2+deb12u6`.
    package var upstream: String {
        let tail = text.firstIndex(of: ":").map { text[text.index(after: $0)...] } ?? text[...]
        return String(tail.lastIndex(of: "-").map { tail[..<$0] } ?? tail)
    }

    private var epoch: String { text.firstIndex(of: ":").map { String(text[..<$0]) } ?? "0" }

    private var revision: String {
        guard let dash = text.lastIndex(of: "-") else { return "0" }
        return String(text[text.index(after: dash)...])
    }

    package static func < (a: Self, b: Self) -> Bool {
        for (left, right) in [(a.epoch, b.epoch), (a.upstream, b.upstream), (a.revision, b.revision)] {
            let order = compare(left, right)
            if order != 0 { return order < 0 }
        }
        return false
    }

    /// Negative, 0 or positive, as `a` is less than, equal to or greater than `b`.
    private static func compare(_ a: String, _ b: String) -> Int {
        var left = Array(a.utf8)[...]
        var right = Array(b.utf8)[...]
        while !left.isEmpty || !right.isEmpty {
            while left.first?.isASCIIDigit == false || right.first?.isASCIIDigit == false {
                let difference = rank(left.first) - rank(right.first)
                if difference != 0 { return difference }
                left = left.dropFirst()
                right = right.dropFirst()
            }
            let difference = compareNumbers(digits(of: &left), digits(of: &right))
            if difference != 0 { return difference }
        }
        return 0
    }

    /// Sort order: `~`, then the end and digits, then letters, then other bytes.
    private static func rank(_ byte: UInt8?) -> Int {
        switch byte {
        case nil: 0
        case UInt8(ascii: "~")?: -1
        case let digit? where digit.isASCIIDigit: 0
        case let letter? where letter.isASCIILetter: Int(letter)
        case let other?: Int(other) + 256
        }
    }

    /// Removes the digits at the front and returns them without leading zeros. They are compared as text, so that long
    /// numbers do not overflow.
    private static func digits(of bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let number = bytes.prefix(while: \.isASCIIDigit)
        bytes = bytes.dropFirst(number.count)
        return number.drop { $0 == UInt8(ascii: "0") }
    }

    private static func compareNumbers(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Int {
        if a.count != b.count { return a.count - b.count }
        return a.elementsEqual(b) ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }
}
