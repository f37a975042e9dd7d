import PlatformImage

/// Reads the next bytes of a request body; nil at its end.
typealias BodySource = @Sendable () async throws -> [UInt8]?

/// Reads a POST body within a size limit. The memory is reserved in the budget of ``BodyBudget`` before it is used.
struct RequestBodyReader {
    let maxBytes: Int
    let reservation: BodyReservation

    /// Reads the whole body.
    ///
    /// - Parameters:
    ///   - length: Value of Content-Length; nil for an unknown length.
    ///   - next: Reads the next bytes.
    /// - Throws: `tooLarge`, `overloaded` when the budget is exhausted, `malformed` when the body ends early.
    func read(length: Int?, _ next: BodySource) async throws(ServiceError) -> [UInt8] {
        var bytes: [UInt8] = []
        var reserved = 0
        if let length, length > 0 {
            guard length <= maxBytes else { throw tooLarge }
            try reservation.acquire(length)
            bytes.reserveCapacity(length)
            reserved = length
        }
        while let chunk = try await Self.next(next) {
            let count = bytes.count.addingClamped(chunk.count)
            guard count <= maxBytes else { throw tooLarge }
            if count > reserved {
                // Doubling must not exceed the budget while the received bytes fit.
                let capacity = max(count, min(maxBytes, reservation.maxBytes, reserved.multipliedClamped(by: 2)))
                try reservation.acquire(capacity - reserved)
                bytes.reserveCapacity(capacity)
                reserved = capacity
            }
            bytes.append(contentsOf: chunk)
        }
        return bytes
    }

    private static func next(_ next: BodySource) async throws(ServiceError) -> [UInt8]? {
        do {
            return try await next()
        } catch {
            throw ServiceError(.malformed, "the request body is incomplete")
        }
    }

    private var tooLarge: ServiceError { ServiceError(.tooLarge, "the body is larger than \(maxBytes) bytes") }
}
