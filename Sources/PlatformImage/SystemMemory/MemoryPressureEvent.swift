/// A source of memory pressure events.
public enum MemoryPressureSource: Hashable, Sendable, CaseIterable {
    /// Pressure stall information (PSI): tasks on the machine waited for memory (`/proc/pressure/memory`).
    case systemStalls
    /// The process's cgroup or an ancestor reached a limit (`memory.events.local` of cgroups version 2, or
    /// `memory.events` before Linux 5.2).
    ///
    /// At `memory.max` the kernel first reclaims file cache. Therefore a process that reads many files receives these
    /// events even when its anonymous memory is far below the limit.
    case cgroupEvents
}

/// A report that memory is scarce.
public struct MemoryPressureEvent: Hashable, Sendable {
    /// The source of the event.
    public let source: MemoryPressureSource
    /// Number of times that usage exceeded `memory.high` since the last event; 0 with
    /// ``MemoryPressureSource/systemStalls``.
    public var highCount: Int { counters.high }
    /// Number of times that usage was about to exceed `memory.max` since the last event; 0 with
    /// ``MemoryPressureSource/systemStalls``.
    public var maxCount: Int { counters.max }
    /// Number of times that an allocation was about to fail since the last event; 0 with
    /// ``MemoryPressureSource/systemStalls``.
    public var oomCount: Int { counters.oom }

    let counters: MemoryEventCounters

    init(_ source: MemoryPressureSource, _ counters: MemoryEventCounters = MemoryEventCounters()) {
        self.source = source
        self.counters = counters
    }
}

/// The error of a watcher that could not start. Errors are equal when their codes are equal.
public struct MemoryPressureError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure; branch on this.
    public let code: Code
    /// The sources that were tried, in order, with the reasons.
    public let attempts: [Attempt]
    /// One line of English for a log.
    public let message: String

    init(_ code: Code, attempts: [Attempt] = [], _ message: String) {
        self.code = code
        self.attempts = attempts
        self.message = message
    }

    /// `code: message`.
    public var description: String { "\(code): \(message)" }

    /// True when the codes are equal; attempts and messages are not compared.
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
    /// Hashes only the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// A source that could not be used.
    public struct Attempt: Hashable, Sendable {
        /// The source.
        public let source: MemoryPressureSource
        /// The file and the system's error text.
        public let message: String
    }

    /// The kind of failure. A minor version may add codes: a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name, such as `noSource`.
        public let description: String

        /// The system provides none of the sources to this process; ``MemoryPressureError/attempts`` contains the
        /// reasons.
        public static var noSource: Self { Self(description: "noSource") }
        /// No thread or file descriptor is available to the process.
        public static var noResources: Self { Self(description: "noResources") }
    }
}

/// The counters of a cgroup's `memory.events` that report a reached limit (kernel document admin-guide/cgroup-v2).
struct MemoryEventCounters: Hashable, Sendable {
    var high = 0
    var max = 0
    var oom = 0

    var isZero: Bool { self == Self() }

    /// Reads the counters from lines such as `high 12`. Other lines are ignored; a counter without a line does not
    /// change.
    mutating func update(from text: [UInt8]) {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard fields.count == 2, let value = Int(asciiDigits: fields[1]) else { continue }
            if fields[0].elementsEqual("high".utf8) { high = value }
            if fields[0].elementsEqual("max".utf8) { max = value }
            if fields[0].elementsEqual("oom".utf8) { oom = value }
        }
    }

    /// The increase of each counter; 0 for a counter that decreased, as after a reset.
    func increase(since old: Self) -> Self {
        // Counters are never negative, so the differences cannot overflow.
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
