/// The identity of a decoded image: the name of its source and the variant of its decode.
///
/// The hash is computed once, when the key is created: reuse a key, so that look-ups do not hash its text again. Keys
/// are equal when source and variant are equal byte by byte; `é` as one Unicode scalar and as two scalars are different
/// keys.
public struct ImageCacheKey: Hashable, Sendable, CustomStringConvertible {
    /// Source followed by variant, in one string.
    @usableFromInline let text: String
    /// SipHash with a random seed per process, which protects against collision attacks with chosen URLs.
    @usableFromInline let hash: Int
    /// Length of the source in UTF-8 bytes.
    @usableFromInline let sourceLength: UInt32
    /// True when the text is ASCII. When both texts are ASCII, `==` of strings implies equal bytes. Other strings with
    /// different bytes can be equal, because `==` compares canonical equivalence: `K` and the Kelvin sign, for example.
    @usableFromInline let isASCII: Bool

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - source: Identifies the source, a URL for example; less than 4 GiB. It is not normalised.
    ///   - variant: Identifies every option that changes the pixels, as ``DecodeOptions/cacheVariant`` does; empty for
    ///     the defaults.
    public init(_ source: String, variant: String = "") {
        text = variant.isEmpty ? source : source + variant
        sourceLength = UInt32(source.utf8.count)
        var hasher = Hasher()
        isASCII = hasher.combine(bytesOf: text) < 0x80
        if !variant.isEmpty { hasher.combine(sourceLength) }
        hash = hasher.finalize()
    }

    /// The identifier of the source, a URL for example.
    public var source: String { String(Substring(text.utf8.prefix(Int(sourceLength)))) }

    /// The identifier of the decode options; empty for the defaults.
    public var variant: String { String(Substring(text.utf8.dropFirst(Int(sourceLength)))) }

    @inlinable
    public static func == (a: Self, b: Self) -> Bool {
        a.hash == b.hash && a.sourceLength == b.sourceLength && a.isASCII == b.isASCII && a.text == b.text
            && (a.isASCII || a.hasBytes(of: b))
    }

    @usableFromInline
    func hasBytes(of other: Self) -> Bool { text.utf8.elementsEqual(other.text.utf8) }

    /// The stored hash. The default implementation of `hashValue` would compute a hash of the stored hash.
    @inlinable
    public var hashValue: Int { hash }

    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// The source, followed by the variant in brackets if there is one.
    public var description: String { text.utf8.count == sourceLength ? text : "\(source) [\(variant)]" }
}

extension Hasher {
    /// Hashes the text's UTF-8 and returns the bitwise OR of all its bytes.
    fileprivate mutating func combine(bytesOf text: String) -> UInt8 {
        var text = text
        return text.withUTF8 { bytes in
            unsafe combine(bytes: UnsafeRawBufferPointer(bytes))
            var allBits: UInt8 = 0
            for index in bytes.indices { unsafe allBits |= bytes[index] }
            return allBits
        }
    }
}
