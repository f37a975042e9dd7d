extension LoadError {
    /// The reason of a `transport`, `tls` or `refused` error of a transport; reasons may be added, so switch over it
    /// with a default.
    public struct TransportReason: Hashable, Sendable, CustomStringConvertible {
        /// The stable name, such as `connectionRefused`.
        public let description: String

        init(_ description: String) { self.description = description }

        /// The DNS look-up found no address of the host.
        public static var unknownHost: Self { Self("unknownHost") }
        /// The host refused the connection (ECONNREFUSED).
        public static var connectionRefused: Self { Self("connectionRefused") }
        /// The system has no route to the host or to its network.
        public static var unreachable: Self { Self("unreachable") }
        /// No connection was made for another reason; the message contains the system's error.
        public static var connectionFailed: Self { Self("connectionFailed") }
        /// The proxy is unknown, refused the connection, or did not open the tunnel.
        public static var proxyFailed: Self { Self("proxyFailed") }
        /// ``TransportTimeouts/connect`` expired.
        public static var connectTimeout: Self { Self("connectTimeout") }
        /// ``TransportTimeouts/idle`` expired.
        public static var idleTimeout: Self { Self("idleTimeout") }
        /// ``TransportTimeouts/total`` expired.
        public static var totalTimeout: Self { Self("totalTimeout") }
        /// The rules of the program do not allow the IP address; no connection was made.
        public static var addressRefused: Self { Self("addressRefused") }

        /// The connection ended before the first byte of the response.
        public static var closedBeforeResponse: Self { Self("closedBeforeResponse") }
        /// The connection ended while the head of the response was received.
        public static var closedInHead: Self { Self("closedInHead") }
        /// The body ended before its end by any criterion of RFC 9112 §8.
        public static var truncatedBody: Self { Self("truncatedBody") }
        /// The server did not process the HTTP/2 stream (REFUSED_STREAM or GOAWAY), also not at the second attempt.
        public static var streamRefused: Self { Self("streamRefused") }
        /// The server reset the HTTP/2 stream.
        public static var streamReset: Self { Self("streamReset") }

        /// The status line or a field line violates RFC 9112 §4 or §5, or the server speaks another protocol.
        public static var invalidHead: Self { Self("invalidHead") }
        /// Content-Length or Transfer-Encoding is invalid, or both are present, or the chunked coding is invalid
        /// (RFC 9112 §6, §7).
        public static var invalidFraming: Self { Self("invalidFraming") }
        /// The heads of the response have more bytes than allowed.
        public static var headTooLarge: Self { Self("headTooLarge") }
        /// The response has more interim responses than allowed.
        public static var tooManyHeads: Self { Self("tooManyHeads") }
        /// The chunked coding has more bytes of extensions, trailers or chunk sizes than allowed.
        public static var framingTooLarge: Self { Self("framingTooLarge") }
        /// The server switched protocols without being asked (status 101).
        public static var unexpectedUpgrade: Self { Self("unexpectedUpgrade") }
        /// The server violated the rules of HTTP/2.
        public static var protocolViolation: Self { Self("protocolViolation") }

        /// The certificate has expired.
        public static var certificateExpired: Self { Self("certificateExpired") }
        /// The certificate is not valid yet.
        public static var certificateNotYetValid: Self { Self("certificateNotYetValid") }
        /// The certificate is signed with its own key and is no trusted root.
        public static var certificateSelfSigned: Self { Self("certificateSelfSigned") }
        /// The chain of issuers does not end at a trusted root.
        public static var certificateUnknownIssuer: Self { Self("certificateUnknownIssuer") }
        /// The certificate is valid for other host names or IP addresses.
        public static var certificateNameMismatch: Self { Self("certificateNameMismatch") }
        /// The certificate is not trusted for another reason; the message contains it.
        public static var certificateRejected: Self { Self("certificateRejected") }
        /// The TLS handshake failed for a reason other than the certificate.
        public static var handshakeFailed: Self { Self("handshakeFailed") }
    }
}
