#if Service
/// What a request is called in logs and answers.
enum RequestIdentifier {
    /// The client's own name for it when that is harmless, else a new one.
    static func of(_ given: String?) -> String {
        guard let given, (1...64).contains(given.utf8.count), given.utf8.allSatisfy(\.isIdentifierByte) else {
            // One number and not eight bytes: each is a call of the system.
            let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return given
    }
}

extension UInt8 {
    fileprivate var isIdentifierByte: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
#endif
