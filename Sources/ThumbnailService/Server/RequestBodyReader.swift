import HTTPTypes
import Hummingbird
import NIOCore

/// Reads the body of a request into one array and reserves its bytes in advance.
struct RequestBodyReader {
    /// Maximum size of a body in bytes.
    let maxBytes: Int
    let reservation: BodyReservation

    /// Reads the complete body.
    ///
    /// With a `Content-Length`, all bytes are reserved before the first read; without one, bytes are reserved whenever
    /// the array grows.
    ///
    /// - Throws: `tooLarge` when the body has more than ``maxBytes`` bytes, `malformed` when it is incomplete; the
    ///   errors of ``BodyReservation/acquire(_:)``.
    func read(_ request: Request) async throws(ServiceError) -> [UInt8] {
        var bytes: [UInt8] = []
        var reserved = 0
        if let length = request.headers[.contentLength].flatMap({ Int($0) }) {
            guard length <= maxBytes else { throw tooLarge }
            try reservation.acquire(length)
            bytes.reserveCapacity(length)
            reserved = length
        }
        var chunks = request.body.makeAsyncIterator()
        while let chunk = try await Self.next(&chunks) {
            let count = bytes.count + chunk.readableBytes
            guard count <= maxBytes else { throw tooLarge }
            if count > reserved {
                // Doubling must not exceed the budget while the received bytes fit.
                let capacity = max(count, min(maxBytes, reservation.maxBytes, 2 * reserved))
                try reservation.acquire(capacity - reserved)
                bytes.reserveCapacity(capacity)
                reserved = capacity
            }
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        return bytes
    }

    private static func next(_ chunks: inout RequestBody.AsyncIterator) async throws(ServiceError) -> ByteBuffer? {
        do {
            return try await chunks.next()
        } catch {
            throw ServiceError(.malformed, "the request body is incomplete")
        }
    }

    private var tooLarge: ServiceError { ServiceError(.tooLarge, "the body is larger than \(maxBytes) bytes") }
}
