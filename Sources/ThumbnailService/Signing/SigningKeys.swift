import PlatformImageLoader

/// Keys of signed targets. The first key creates signatures, and signatures of every key are accepted, so that keys can
/// be rotated without breaking published URLs.
public struct SigningKeys: Sendable {
    /// Message authentication code of a signature.
    public enum Algorithm: String, CaseIterable, Hashable, Sendable {
        /// HMAC-SHA1, 28 characters, as in thumbor and its clients.
        case sha1
        /// HMAC-SHA256, 44 characters.
        case sha256

        /// Length of the authentication code in bytes.
        fileprivate var codeBytes: Int { self == .sha1 ? 20 : 32 }

        fileprivate var function: HMAC.Function { self == .sha1 ? .sha1 : .sha256 }
    }

    /// Minimum length of a key of the service in bytes: 128 bits prevent an exhaustive search. A shorter key can be
    /// found offline from one signed target.
    public static let minKeyBytes = 16

    private let keys: [[UInt8]]
    private let algorithms: [Algorithm]

    /// Creates a key set.
    ///
    /// - Parameters:
    ///   - keys: At least one key.
    ///   - algorithms: Accepted algorithms, at least one; the first one is used to create signatures.
    ///   - minKeyBytes: Minimum bytes of each key, 1 or more. Lower it only to sign for another server that accepts
    ///     shorter keys.
    /// - Throws: ``KeyError`` for no key, a key that is empty or shorter than `minKeyBytes`, and no algorithm.
    public init(
        _ keys: [[UInt8]], algorithms: [Algorithm] = [.sha1, .sha256], minKeyBytes: Int = Self.minKeyBytes
    ) throws(KeyError) {
        guard !keys.isEmpty else { throw KeyError("at least one signing key is required") }
        for (index, key) in keys.enumerated() where key.count < max(1, minKeyBytes) {
            throw KeyError(
                "signing key \(index + 1) of \(keys.count) has \(key.count) bytes; at least \(minKeyBytes) are required"
            )
        }
        guard !algorithms.isEmpty else { throw KeyError("at least one signature algorithm is required") }
        self.keys = keys
        self.algorithms = algorithms
    }

    /// Error for invalid keys or algorithms.
    public struct KeyError: Error, Hashable, Sendable, CustomStringConvertible {
        /// Description of the error in one line of English.
        public let description: String

        init(_ description: String) { self.description = description }
    }

    /// Returns the target with its signature, `/{signature}/{rest}`.
    ///
    /// - Parameter rest: The part after the signature and its slash, byte for byte as it will be sent.
    public func signed(_ rest: String) -> String {
        let message = Array(rest.utf8)
        let codes: [[UInt8]] = keys.prefix(1).map { key in
            HMAC.code(algorithms[0].function, key: key, message: message)
        }
        return "/\(Base64URL.encode(codes[0]))/\(rest)"
    }

    /// Returns true when one of the keys yields `code` for the message. Runs in constant time over all keys and bytes.
    func verify(_ code: [UInt8], of message: some Sequence<UInt8>) -> Bool {
        guard let algorithm = algorithms.first(where: { $0.codeBytes == code.count }) else { return false }
        let bytes = Array(message)
        var isValid = false
        for key in keys {
            let isKeys = isEqualInConstantTime(HMAC.code(algorithm.function, key: key, message: bytes), code)
            // No short circuit, so that the time does not reveal which key matched.
            isValid = isKeys ? true : isValid
        }
        return isValid
    }
}
