internal import CPlatformImageDigests

/// A SHA-256 computation (FIPS 180-4), by libcrypto.
package struct SHA256: ~Copyable {
    /// Size of a digest in bytes.
    package static let byteCount = 32
    private let state: OpaquePointer

    /// Starts a computation of no bytes.
    package init() {
        guard let state = pidg_sha256_new() else { preconditionFailure("libcrypto provides no SHA-256") }
        self.state = state
    }

    deinit { pidg_sha256_free(state) }

    /// Adds bytes to the message.
    package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

    /// Adds the bytes of a buffer to the message.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        let isAdded = pidg_sha256_update(state, bytes.baseAddress, bytes.count)
        precondition(isAdded, "libcrypto failed to compute a SHA-256 digest")
    }

    /// Returns the digest of 32 bytes.
    package consuming func finalize() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { digest, count in
            let isFinished = pidg_sha256_finish(state, digest.baseAddress)
            precondition(isFinished, "libcrypto failed to compute a SHA-256 digest")
            count = Self.byteCount
        }
    }

    /// Returns the digest of a message: 32 bytes.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finalize()
    }
}

/// A computation of a keyed message authentication code (HMAC, RFC 2104), by libcrypto.
package struct HMAC: ~Copyable {
    /// A hash function.
    package enum Function: Sendable {
        /// SHA-1, codes of 20 bytes; only for URL signatures that thumbor's clients compute.
        case sha1
        /// SHA-256, codes of 32 bytes.
        case sha256
    }

    private let state: OpaquePointer
    private let byteCount: Int

    /// Starts a computation of no bytes.
    ///
    /// - Parameter key: Any number of bytes.
    package init(_ function: Function, key: [UInt8]) {
        let code = function == .sha1 ? PIDG_HMAC_SHA1 : PIDG_HMAC_SHA256
        guard let state = key.withUnsafeBytes({ pidg_hmac_new(code, $0.baseAddress, $0.count) }) else {
            preconditionFailure("libcrypto provides no HMAC")
        }
        self.init(state: state, byteCount: function == .sha1 ? Int(PIDG_SHA1_BYTES) : Int(PIDG_SHA256_BYTES))
    }

    private init(state: OpaquePointer, byteCount: Int) {
        self.state = state
        self.byteCount = byteCount
    }

    deinit { pidg_hmac_free(state) }

    /// Adds bytes to the message.
    package mutating func update(_ bytes: [UInt8]) {
        let isAdded = bytes.withUnsafeBytes { pidg_hmac_update(state, $0.baseAddress, $0.count) }
        precondition(isAdded, "libcrypto failed to compute an HMAC")
    }

    /// Returns the code: 20 or 32 bytes.
    package consuming func finalize() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { code, count in
            let isFinished = pidg_hmac_finish(state, code.baseAddress)
            precondition(isFinished, "libcrypto failed to compute an HMAC")
            count = byteCount
        }
    }

    /// Returns the code of a message: 20 or 32 bytes.
    package static func code(_ function: Function, key: [UInt8], message: [UInt8]) -> [UInt8] {
        var hmac = HMAC(function, key: key)
        hmac.update(message)
        return hmac.finalize()
    }
}

/// Returns true when two byte strings are equal. The time depends only on their lengths, so that it reveals no prefix
/// of a secret code.
package func isEqualInConstantTime(_ first: [UInt8], _ second: [UInt8]) -> Bool {
    first.count == second.count
        && first.withUnsafeBytes { first in
            second.withUnsafeBytes { pidg_equal(first.baseAddress, $0.baseAddress, first.count) }
        }
}

/// Returns random bytes for keys and tokens, from libcrypto's generator.
package func secureRandomBytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
        let isFilled = pidg_random(bytes.baseAddress, count)
        precondition(isFilled, "libcrypto's random generator failed")
        initialized = count
    }
}
