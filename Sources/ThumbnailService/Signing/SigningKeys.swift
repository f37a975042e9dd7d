#if Service
import Crypto

/// The keys of signed targets: the first one signs, every one verifies, so that a key can be replaced without breaking
/// the addresses that are out.
public struct SigningKeys: Sendable {
    /// How the rest of a target becomes a signature.
    public enum Algorithm: String, CaseIterable, Hashable, Sendable {
        /// HMAC-SHA1, 28 characters: what thumbor and its clients have.
        case sha1
        /// HMAC-SHA256, 44 characters.
        case sha256

        /// Bytes of a code.
        fileprivate var codeBytes: Int { self == .sha1 ? 20 : 32 }
    }

    /// Bytes that every key of the service has at least: 128 bits, which cannot be searched. A shorter key can be found
    /// from one signed target without any request to the service.
    public static let minKeyBytes = 16

    private let keys: [SymmetricKey]
    private let algorithms: [Algorithm]

    /// - Parameters:
    ///   - keys: At least one.
    ///   - algorithms: Those that are accepted, at least one; the first one signs.
    ///   - minKeyBytes: Bytes that each key has at least, 1 or more. Lower it only to sign for another server that
    ///     accepts shorter keys.
    /// - Throws: ``KeyError`` for no key, a key that is empty or shorter than `minKeyBytes`, and no algorithm.
    public init(
        _ keys: [[UInt8]], algorithms: [Algorithm] = [.sha1, .sha256], minKeyBytes: Int = Self.minKeyBytes
    ) throws(KeyError) {
        guard !keys.isEmpty else { throw KeyError("there is no signing key") }
        for (index, key) in keys.enumerated() where key.count < max(1, minKeyBytes) {
            throw KeyError(
                "signing key \(index + 1) of \(keys.count) has \(key.count) bytes; a key has at least \(minKeyBytes)")
        }
        guard !algorithms.isEmpty else { throw KeyError("no signing algorithm is allowed") }
        self.keys = keys.map { SymmetricKey(data: $0) }
        self.algorithms = algorithms
    }

    /// Why there are no keys.
    public struct KeyError: Error, Hashable, Sendable, CustomStringConvertible {
        /// One line of English.
        public let description: String

        init(_ description: String) { self.description = description }
    }

    /// The target with its signature, `/{signature}/{rest}`.
    ///
    /// - Parameter rest: What follows the signature and its slash, byte for byte as it will be sent.
    public func signed(_ rest: String) -> String {
        let message = Array(rest.utf8)
        let codes: [[UInt8]] = keys.prefix(1).map { key in
            algorithms[0] == .sha1
                ? Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
                : Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
        }
        return "/\(Base64URL.encode(codes[0]))/\(rest)"
    }

    /// True when one of the keys gives that code for the message. Looks at every key and every byte, whatever it finds.
    func verify(_ code: [UInt8], of message: some Sequence<UInt8>) -> Bool {
        guard let algorithm = algorithms.first(where: { $0.codeBytes == code.count }) else { return false }
        let bytes = Array(message)
        var isValid = false
        for key in keys {
            let isKeys =
                algorithm == .sha1
                ? HMAC<Insecure.SHA1>.isValidAuthenticationCode(code, authenticating: bytes, using: key)
                : HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: bytes, using: key)
            // No short circuit: the time says nothing about which key it was.
            isValid = isKeys ? true : isValid
        }
        return isValid
    }
}
#endif
