/// The counters of a cgroup's `memory.events` that tell of a limit that was reached (admin-guide/cgroup-v2).
struct MemoryEventCounters: Hashable, Sendable {
    var high = 0
    var max = 0
    var oom = 0

    var isZero: Bool { self == Self() }

    /// Takes over the counters in lines such as `high 12`; others, and what is not in the text, stay as they are.
    mutating func update(from text: [UInt8]) {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard fields.count == 2, let value = Decimal.value(of: fields[1]) else { continue }
            if fields[0].elementsEqual("high".utf8) { high = value }
            if fields[0].elementsEqual("max".utf8) { max = value }
            if fields[0].elementsEqual("oom".utf8) { oom = value }
        }
    }

    /// How far each has risen; a counter that fell, as after a reset, has not.
    func rise(since old: Self) -> Self {
        // No counter is negative, so the differences are in range.
        Self(high: Swift.max(0, high - old.high), max: Swift.max(0, max - old.max), oom: Swift.max(0, oom - old.oom))
    }

    static func += (sum: inout Self, other: Self) {
        sum.high = saturated(sum.high, other.high)
        sum.max = saturated(sum.max, other.max)
        sum.oom = saturated(sum.oom, other.oom)
    }

    private static func saturated(_ a: Int, _ b: Int) -> Int {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}
