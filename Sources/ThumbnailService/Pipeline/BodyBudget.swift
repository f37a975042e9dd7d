import PlatformImage
import Synchronization

/// Memory budget for request bodies until their renders are queued.
///
/// The bytes are acquired from the render budget before they are read, without waiting. Bodies can use at most half of
/// that budget, or one body of the maximum size if that is larger, so that slow uploads leave memory for renders.
final class BodyBudget: Sendable {
    /// Maximum bytes of all bodies together.
    let maxBytes: Int
    private let budget: DecodeBudget
    private let reserved = Mutex(0)

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - budget: Memory budget of the renders.
    ///   - maxBodyBytes: Maximum size of one body in bytes.
    init(_ budget: DecodeBudget, maxBodyBytes: Int) {
        self.budget = budget
        maxBytes = min(budget.maxBytes, max(budget.maxBytes / 2, maxBodyBytes))
    }

    /// Bytes that are reserved now.
    var reservedBytes: Int { reserved.locked(in: self) { $0 } }

    /// Returns an empty reservation.
    func reservation() -> BodyReservation { BodyReservation(self) }

    fileprivate func acquire(_ byteCount: Int) -> Bool {
        reserved.locked(in: self) { reserved in
            guard byteCount <= maxBytes - reserved, budget.tryAcquire(byteCount) else { return false }
            reserved += byteCount
            return true
        }
    }

    fileprivate func release(_ byteCount: Int) {
        guard byteCount > 0 else { return }
        reserved.locked(in: self) { $0 -= byteCount }
        budget.release(byteCount)
    }
}

/// Reserved bytes of one request body. They are released once, by ``release()`` or on deinitialization.
final class BodyReservation: Sendable {
    private let budget: BodyBudget
    private let reserved = Mutex(0)

    fileprivate init(_ budget: BodyBudget) { self.budget = budget }

    deinit { release() }

    /// Maximum bytes of a reservation.
    var maxBytes: Int { budget.maxBytes }

    /// Reserves more bytes.
    ///
    /// - Throws: `limit` when the reservation would exceed the complete budget, `overloaded` when that many bytes are
    ///   not free now.
    func acquire(_ byteCount: Int) throws(ServiceError) {
        let held = reserved.locked(in: self) { $0 }
        guard byteCount <= budget.maxBytes - held else {
            throw ServiceError(
                .limit,
                """
                the body has \(held + byteCount) bytes or more, the memory budget for request bodies is \
                \(budget.maxBytes) bytes
                """)
        }
        guard byteCount > 0 else { return }
        guard budget.acquire(byteCount) else {
            throw ServiceError(.overloaded, retryAfter: 1, "the memory budget for request bodies is exhausted")
        }
        reserved.locked(in: self) { $0 += byteCount }
    }

    /// Releases all bytes; a second call has no effect.
    func release() {
        let byteCount = reserved.locked(in: self) { reserved in
            defer { reserved = 0 }
            return reserved
        }
        budget.release(byteCount)
    }
}
