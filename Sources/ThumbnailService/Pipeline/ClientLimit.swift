import PlatformImage
import Synchronization

/// Rate limit of new renders per client (SV24 in Docs/service-security.md): one token bucket per IPv4 address
/// or IPv6 /64 network.
///
/// The 65,536 most recent clients are tracked; any other client has a full bucket.
final class ClientLimit: Sendable {
    private struct Bucket {
        var tokens: Double
        var filledAt: ContinuousClock.Instant
    }

    private let perMinute: Double
    private let buckets = Mutex(RecentTable<IPAddress, Bucket>(capacity: 65_536))

    /// Creates a rate limit.
    ///
    /// - Parameter rendersPerMinute: Capacity of a bucket, and its refill per minute; at least 1.
    init(rendersPerMinute: Int) { perMinute = Double(max(1, rendersPerMinute)) }

    /// Removes a token from the bucket of a client.
    ///
    /// - Throws: `clientLimit` with the seconds until the next token.
    func acquire(for client: IPAddress, now: ContinuousClock.Instant = .now) throws(ServiceError) {
        let network = client.clientNetwork
        let missing: Double? = buckets.locked(in: self) { buckets in
            var bucket = buckets[network] ?? Bucket(tokens: perMinute, filledAt: now)
            let minutes = max(.zero, now - bucket.filledAt) / .seconds(60)
            bucket.tokens = min(perMinute, bucket.tokens + minutes * perMinute)
            bucket.filledAt = now
            defer { buckets[network] = bucket }
            guard bucket.tokens >= 1 else { return 1 - bucket.tokens }
            bucket.tokens -= 1
            return nil
        }
        guard let missing else { return }
        let seconds = Int((missing / perMinute * 60).rounded(.up))
        throw ServiceError(
            .clientLimit, retryAfter: max(1, seconds),
            "the client exceeds the limit of \(Int(perMinute)) new renders per minute (limits.rendersPerClient)")
    }
}
