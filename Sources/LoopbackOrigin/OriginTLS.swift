internal import CPlatformImageOriginProtocols

/// Certificate and protocols of a TLS server.
final class OriginTLSContext {
    fileprivate let pointer: OpaquePointer

    /// - Parameter speaksHTTP2: True offers h2 by ALPN, preferred to http/1.1.
    init(_ certificate: OriginCertificate, speaksHTTP2: Bool) throws {
        let (der, key) = (certificate.der, certificate.key)
        guard let pointer = piop_tls_context_new(der, der.count, key, key.count, speaksHTTP2) else {
            throw OriginError("OpenSSL does not accept the certificate")
        }
        self.pointer = pointer
    }

    deinit { piop_tls_context_free(pointer) }
}

/// The TLS state of one connection. It has no socket: the connection moves the encrypted bytes.
final class OriginTLS {
    private let pointer: OpaquePointer

    /// Returns nil when memory is exhausted.
    init?(_ context: OriginTLSContext) {
        guard let pointer = piop_tls_new(context.pointer) else { return nil }
        self.pointer = pointer
    }

    deinit { piop_tls_free(pointer) }

    /// True after the handshake.
    var isReady: Bool { piop_tls_is_ready(pointer) }
    /// True when the client and the origin have agreed on h2.
    var speaksHTTP2: Bool { piop_tls_speaks_http2(pointer) }

    /// Adds bytes from the client.
    func add(received bytes: UnsafeRawBufferPointer) -> Bool {
        piop_tls_add_received(pointer, bytes.baseAddress, bytes.count)
    }

    /// Decrypts into the buffer and returns the number of bytes: 0 when more received bytes are necessary, and less
    /// when the connection has ended or failed.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        piop_tls_read(pointer, buffer.baseAddress, buffer.count)
    }

    /// Encrypts bytes for the client.
    func write(_ bytes: UnsafeRawBufferPointer) -> Bool { piop_tls_write(pointer, bytes.baseAddress, bytes.count) }

    /// Adds the alert close_notify (RFC 8446 §6.1) to the encrypted bytes.
    func close() { piop_tls_close(pointer) }

    /// Moves the encrypted bytes for the client to the end of an array.
    func take(into outgoing: inout [UInt8]) {
        withUnsafeTemporaryAllocation(byteCount: 17_000, alignment: 16) { buffer in
            while true {
                let count = piop_tls_take(pointer, buffer.baseAddress, buffer.count)
                if count == 0 { return }
                outgoing.append(contentsOf: buffer[..<count])
            }
        }
    }
}
