#if Service
import PlatformImage
import Synchronization

/// Bytes of request bodies that are being read or have been read and are not in the render queue yet.
///
/// They are taken from the budget of the renders, before they are read and never by waiting. Bodies have at most half of
/// that budget at once, or one body of the largest size where that is more: slow uploads leave room to render.
final class BodyBudget: Sendable {
    /// Bytes that bodies may hold at once.
    let maxBytes: Int
    private let budget: DecodeBudget
    private let held = Mutex(0)

    /// - Parameters:
    ///   - budget: What renders take their bytes from.
    ///   - maxBodyBytes: Bytes of the largest body.
    init(_ budget: DecodeBudget, maxBodyBytes: Int) {
        self.budget = budget
        maxBytes = min(budget.maxBytes, max(budget.maxBytes / 2, maxBodyBytes))
    }

    /// Bytes held now.
    var heldBytes: Int { held.locked(in: self) { $0 } }

    /// A reservation that holds nothing yet.
    func reservation() -> BodyReservation { BodyReservation(self) }

    fileprivate func take(_ byteCount: Int) -> Bool {
        held.locked(in: self) { held in
            guard byteCount <= maxBytes - held, budget.takeIfFree(byteCount) else { return false }
            held += byteCount
            return true
        }
    }

    fileprivate func release(_ byteCount: Int) {
        guard byteCount > 0 else { return }
        held.locked(in: self) { $0 -= byteCount }
        budget.giveBack(byteCount)
    }
}

/// The bytes of one request body. They are released once: by ``release()``, or with the reservation itself.
final class BodyReservation: Sendable {
    private let budget: BodyBudget
    private let held = Mutex(0)

    fileprivate init(_ budget: BodyBudget) { self.budget = budget }

    deinit { release() }

    /// Takes more bytes.
    ///
    /// - Throws: `overloaded` when they are not free now, `limit` when they never are.
    func take(_ byteCount: Int) throws(ServiceError) {
        guard byteCount <= budget.maxBytes else {
            throw ServiceError(.limit, "the body has more bytes than may be in flight")
        }
        guard byteCount > 0 else { return }
        guard budget.take(byteCount) else {
            throw ServiceError(.overloaded, retryAfter: 1, "too many bytes of bodies are in flight")
        }
        held.locked(in: self) { $0 += byteCount }
    }

    /// Releases all bytes; does nothing the second time.
    func release() {
        let byteCount = held.locked(in: self) { held in
            defer { held = 0 }
            return held
        }
        budget.release(byteCount)
    }
}
#endif
