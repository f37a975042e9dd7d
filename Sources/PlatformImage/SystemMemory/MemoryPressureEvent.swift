/// Who tells that memory is short.
public enum MemoryPressureSource: Hashable, Sendable, CaseIterable {
    /// The kernel's pressure stall information: tasks of the machine waited for memory (`/proc/pressure/memory`).
    case systemStalls
    /// The process's cgroup, or one above it, reached a limit (`memory.events` of version 2 of cgroups).
    ///
    /// At `memory.max` the kernel first takes back file cache, so a process that reads many files gets these events
    /// without being short of memory of its own.
    case cgroupEvents
}

/// Memory is short now.
public struct MemoryPressureEvent: Hashable, Sendable {
    /// Who told.
    public let source: MemoryPressureSource
    /// How often use went over `memory.high` since the last event; 0 with ``MemoryPressureSource/systemStalls``.
    public var highCount: Int { counters.high }
    /// How often use was about to go over `memory.max` since the last event; 0 likewise.
    public var maxCount: Int { counters.max }
    /// How often an allocation was about to fail since the last event; 0 likewise.
    public var oomCount: Int { counters.oom }

    let counters: MemoryEventCounters

    init(_ source: MemoryPressureSource, _ counters: MemoryEventCounters = MemoryEventCounters()) {
        self.source = source
        self.counters = counters
    }
}

/// Why memory cannot be watched. Errors are equal when their codes are equal.
public struct MemoryPressureError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure; branch on this.
    public let code: Code
    /// What was tried and why it failed, in the order of trying.
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

    /// True when the codes are equal; attempts and messages do not count.
    public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
    /// Hashes the code alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// A source that could not be used.
    public struct Attempt: Hashable, Sendable {
        /// Which one.
        public let source: MemoryPressureSource
        /// Why: the file and the system's reason.
        public let message: String
    }

    /// What kind of failure; more may be added, so switch over it with a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The stable name, such as `noSource`.
        public let description: String

        /// The system offers none of the sources to this process; ``MemoryPressureError/attempts`` says why.
        public static var noSource: Self { Self(description: "noSource") }
        /// The process may have no further thread or descriptor.
        public static var noResources: Self { Self(description: "noResources") }
    }
}

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
            guard fields.count == 2, let value = Int(asciiDigits: fields[1]) else { continue }
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
