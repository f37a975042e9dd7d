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
