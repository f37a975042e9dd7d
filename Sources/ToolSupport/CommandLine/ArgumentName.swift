/// One name of an option or flag.
enum ArgumentName: Hashable, Sendable {
    /// `--name`
    case long(String)
    /// `-n`
    case short(Character)
    /// `-name`; only the command `help` declares one.
    case singleDash(String)

    /// The name as it is written on the command line.
    var text: String {
        switch self {
        case .long(let name): "--" + name
        case .short(let letter): "-" + String(letter)
        case .singleDash(let name): "-" + name
        }
    }

    /// The name without dashes.
    var bare: String {
        switch self {
        case .long(let name), .singleDash(let name): name
        case .short(let letter): String(letter)
        }
    }

    var isShort: Bool { if case .short = self { true } else { false } }
}

/// Names that a property declares: `.shortAndLong`, or a list such as `[.short, .customLong("size")]`.
package struct NameSpecification: ExpressibleByArrayLiteral, Sendable {
    private enum Element { case long, short, named(ArgumentName) }

    private let elements: [Element]

    private init(elements: [Element]) { self.elements = elements }

    package init(arrayLiteral elements: Self...) { self.elements = elements.flatMap(\.elements) }

    /// `--` and the property's name in lower case with dashes: `maxBytes` becomes `--max-bytes`.
    package static let long = Self(elements: [.long])
    /// `-` and the first letter of the property's name.
    package static let short = Self(elements: [.short])
    package static let shortAndLong = Self(elements: [.short, .long])
    package static func customLong(_ name: String) -> Self { Self(elements: [.named(.long(name))]) }
    package static func customShort(_ letter: Character) -> Self { Self(elements: [.named(.short(letter))]) }
    static func customSingleDash(_ name: String) -> Self { Self(elements: [.named(.singleDash(name))]) }

    /// The names for a property.
    func names(ofProperty property: String) -> [ArgumentName] {
        elements.map { element in
            switch element {
            case .long: .long(property.dashed)
            case .short: .short(property.first ?? "_")
            case .named(let name): name
            }
        }
    }
}

extension String {
    /// The words of a Swift name in lower case, with dashes between them: `publicURL` becomes `public-url`.
    ///
    /// Only ASCII letters begin words; the conversion runs for every property whenever arguments are parsed.
    var dashed: String {
        let bytes = Array(utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 4)
        for (index, byte) in bytes.enumerated() {
            guard byte.isASCIIUppercase else {
                result.append(byte)
                continue
            }
            let endsAcronym = index + 1 < bytes.count && bytes[index + 1].isASCIILowercase
            if index > 0, !bytes[index - 1].isASCIIUppercase || endsAcronym { result.append(UInt8(ascii: "-")) }
            result.append(byte | 0x20)
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isASCIIUppercase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
    fileprivate var isASCIILowercase: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) }
}
