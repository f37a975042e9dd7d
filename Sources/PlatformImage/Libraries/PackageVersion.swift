/// The version of a distribution's package, ordered as dpkg and rpm order versions.
///
/// `[epoch:]upstream[-revision]` (Debian Policy 5.6.12). The order is that of the Debian algorithm: parts without
/// digits are compared with letters before other characters and `~` before everything, even the end; parts of digits as
/// numbers. rpm's order agrees with it for the versions of numbers, dots and letters that the table holds.
package struct PackageVersion: Hashable, Comparable, Sendable {
    /// The version as the package database spells it. Versions are equal when they are spelled equally.
    package let text: String

    package init(_ text: String) { self.text = text }

    /// The version of the software, without epoch and revision: `1.6.39` of `1:1.6.39-2+deb12u6`.
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

    /// Less than 0, 0 or more than 0.
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

    /// `~` before the end and digits, these before letters, letters before the rest.
    private static func rank(_ byte: UInt8?) -> Int {
        switch byte {
        case nil: 0
        case UInt8(ascii: "~")?: -1
        case let digit? where digit.isASCIIDigit: 0
        case let letter? where letter.isASCIILetter: Int(letter)
        case let other?: Int(other) + 256
        }
    }

    /// The number at the front, without leading zeros: of any length, so that no number is too large.
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
