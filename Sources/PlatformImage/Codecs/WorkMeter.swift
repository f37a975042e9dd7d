import Synchronization

/// The work of all calls for one file, in the unit of ``DecodeLimits/maxWork``.
///
/// The calls for one file share an object: its header, the counting of frames, and the decode or all frames of an
/// animation. They run one after another.
final class WorkMeter: Sendable {
    private let units = Atomic<UInt64>(0)
    private let bound = Atomic<UInt64>(0)

    /// The work so far. The codecs in C add to a copy, which is stored after their call.
    var total: UInt64 {
        get { units.load(ordering: .relaxed) }
        set { units.store(newValue, ordering: .relaxed) }
    }

    /// Upper bound of work that the codecs did not count, because it is within the limit anyway.
    var notCounted: UInt64 {
        get { bound.load(ordering: .relaxed) }
        set { bound.store(newValue, ordering: .relaxed) }
    }

    /// Adds the work of a step in Swift.
    ///
    /// - Throws: `limitExceeded` with the detail `maxWork` when the sum exceeds the limit.
    func charge(_ count: Int, _ limits: DecodeLimits, format: ImageFormat?) throws(DecodeError) {
        let (sum, overflows) = total.addingReportingOverflow(UInt64(max(0, count)))
        total = overflows ? .max : sum
        guard let limit = limits.maxWork, total > UInt64(max(1, limit)) else { return }
        throw DecodeError(
            .limitExceeded, format: format, detail: "maxWork",
            "an estimated work of \(total / 1_000_000) ms exceeds the limit of \(limit / 1_000_000) ms")
    }
}
