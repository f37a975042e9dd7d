/// The identity of a decoded image: where its bytes come from and how they are decoded.
///
/// The hash is made once, with the key: keep a key as long as you need it, and no look-up hashes the text again. Two
/// keys are equal when the bytes of their texts are; `é` as one scalar and as two are different names.
public struct ImageCacheKey: Hashable, Sendable, CustomStringConvertible {
    /// Source and variant, one after the other: one string to keep, copy and compare.
    @usableFromInline let text: String
    /// SipHash with the seed of this process, so that nobody can send URLs that collide.
    @usableFromInline let hash: Int
    /// Bytes of the source.
    @usableFromInline let sourceLength: UInt32
    /// Equal strings of ASCII have equal bytes; others may be equal as text only.
    @usableFromInline let isASCII: Bool

    /// - Parameters:
    ///   - source: Names the source, a URL for example; less than 4 GiB. Nothing in it is normalised.
    ///   - variant: Names every choice that changes the pixels, as ``DecodeOptions/cacheVariant`` does; empty for the
    ///     defaults.
    public init(_ source: String, variant: String = "") {
        text = variant.isEmpty ? source : source + variant
        sourceLength = UInt32(source.utf8.count)
        var hasher = Hasher()
        isASCII = hasher.combine(bytesOf: text) < 0x80
        if !variant.isEmpty { hasher.combine(sourceLength) }
        hash = hasher.finalize()
    }

    /// Names the source, a URL for example.
    public var source: String { String(Substring(text.utf8.prefix(Int(sourceLength)))) }

    /// Names how it was decoded; empty for the defaults.
    public var variant: String { String(Substring(text.utf8.dropFirst(Int(sourceLength)))) }

    @inlinable
    public static func == (a: Self, b: Self) -> Bool {
        a.hash == b.hash && a.sourceLength == b.sourceLength && a.text == b.text && (a.isASCII || a.hasBytes(of: b))
    }

    @usableFromInline
    func hasBytes(of other: Self) -> Bool { text.utf8.elementsEqual(other.text.utf8) }

    /// The stored hash; the standard library's own would hash it again.
    @inlinable
    public var hashValue: Int { hash }

    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// The source, and the variant in brackets when there is one.
    public var description: String { text.utf8.count == sourceLength ? text : "\(source) [\(variant)]" }
}

extension Hasher {
    /// Feeds the text's UTF-8 and returns all its bytes or-ed together.
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
