import PlatformImage
import PlatformImageLoader
import Synchronization

/// Minimum transfer rate of a body (SV20 in Docs/service-security.md). Without it, a fetch from an origin that sends
/// single bytes would end only at the time limit for the complete fetch.
struct TransferRate: Hashable, Sendable {
    /// Minimum rate; 0 disables the check, and only the other timeouts apply.
    var bytesPerSecond = 1_000
    /// Time over which the rate is measured.
    var window = Duration.seconds(5)

    /// Bytes and waiting time since the last measurement.
    struct Meter: Sendable {
        private let rate: TransferRate
        private var bytes = 0
        private var waited = Duration.zero

        init(_ rate: TransferRate) { self.rate = rate }

        /// Adds bytes and the time waited for them.
        ///
        /// - Returns: False when a window has passed and the rate in it was below the minimum.
        mutating func add(_ bytes: Int, waited: Duration) -> Bool {
            self.bytes += bytes
            self.waited += waited
            guard self.waited >= rate.window, self.waited > .zero else { return true }
            let isFast = Double(self.bytes) >= Double(rate.bytesPerSecond) * (self.waited / .seconds(1))
            (self.bytes, self.waited) = (0, .zero)
            return isFast
        }
    }

    /// Wraps a body so that it fails when it arrives too slowly. Only the time that the reader waits for bytes is
    /// counted.
    func limiting(_ body: HTTPBody) -> HTTPBody {
        let meter = SharedMeter(self)
        return HTTPBody {
            let begin = ContinuousClock.now
            var chunks = body.makeAsyncIterator()
            guard let chunk = try await chunks.next() else { return nil }
            guard meter.add(chunk.count, waited: .now - begin) else {
                let error = ServiceError(
                    .originTimeout, code: "minRate", "the origin sent less than \(bytesPerSecond) bytes per second")
                throw LoadError.transport(error.message, isTimeout: true, cause: error)
            }
            return chunk
        }
    }
}

private final class SharedMeter: Sendable {
    private let meter: Mutex<TransferRate.Meter>

    init(_ rate: TransferRate) { meter = Mutex(TransferRate.Meter(rate)) }

    func add(_ bytes: Int, waited: Duration) -> Bool { meter.locked(in: self) { $0.add(bytes, waited: waited) } }
}
