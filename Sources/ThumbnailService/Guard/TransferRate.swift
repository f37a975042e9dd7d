#if Service
import PlatformImage
import PlatformImageLoader
import Synchronization

/// How slow a body may come (SERVICE.md SV20): an origin that sends a byte now and then would hold its request for as
/// long as it likes.
struct TransferRate: Hashable, Sendable {
    /// 0 for as slowly as the other timeouts allow.
    var bytesPerSecond = 1_000
    /// The time over which the rate is measured.
    var window = Duration.seconds(5)

    /// What was waited for since the last measurement.
    struct Meter: Sendable {
        private let rate: TransferRate
        private var bytes = 0
        private var waited = Duration.zero

        init(_ rate: TransferRate) { self.rate = rate }

        /// Counts bytes and how long they were waited for.
        ///
        /// - Returns: False when a window is over and less came in it than the rate allows.
        mutating func count(_ bytes: Int, waited: Duration) -> Bool {
            self.bytes += bytes
            self.waited += waited
            guard self.waited >= rate.window, self.waited > .zero else { return true }
            let isFast = Double(self.bytes) >= Double(rate.bytesPerSecond) * (self.waited / .seconds(1))
            (self.bytes, self.waited) = (0, .zero)
            return isFast
        }
    }

    /// The same body, which fails when it comes too slowly. Time that its reader takes does not count.
    func timing(_ body: HTTPBody) -> HTTPBody {
        let meter = SharedMeter(self)
        return HTTPBody {
            let begin = ContinuousClock.now
            var chunks = body.makeAsyncIterator()
            guard let chunk = try await chunks.next() else { return nil }
            guard meter.count(chunk.count, waited: .now - begin) else {
                let error = ServiceError(.originTimeout, "the origin sends less than \(bytesPerSecond) bytes a second")
                throw LoadError.transport(error.message, isTimeout: true, cause: error)
            }
            return chunk
        }
    }
}

private final class SharedMeter: Sendable {
    private let meter: Mutex<TransferRate.Meter>

    init(_ rate: TransferRate) { meter = Mutex(TransferRate.Meter(rate)) }

    func count(_ bytes: Int, waited: Duration) -> Bool { meter.locked(in: self) { $0.count(bytes, waited: waited) } }
}
#endif
