#if Loader
internal import Dispatch
internal import Logging
internal import PlatformImage
internal import Synchronization

/// Hands events and records to whoever operates the loader, on a queue of its own.
///
/// Nobody's closure runs where a report is made: no lock is held around a sink, no load waits for one, and a sink may use
/// the loader. Reports wait in a bounded line; those that find it full are counted and left out.
final class LoadReporter: Sendable {
    /// What a report is delivered by; changes act at once, also on reports that wait.
    struct Settings: Sendable {
        let categories: LoaderEvent.Categories
        let eventSink: (@Sendable (LoaderEvent) -> Void)?
        let recordSink: (@Sendable (LoadRecord) -> Void)?
        let logger: Logger?
        let logCacheMisses: Bool
        let logResponseWarnings: Bool
        let redactURL: (@Sendable (String) -> String)?

        /// Bits of what anybody wants to hear of.
        fileprivate var interest: UInt16 {
            let events = eventSink == nil && logger == nil ? 0 : UInt16(categories.rawValue)
            return events | (recordSink == nil ? 0 : LoadReporter.recordBit)
        }
    }

    /// With the address as it is.
    private enum Report: Sendable {
        case event(LoaderEvent.Kind, url: String?)
        case record(LoadRecord)
    }

    private struct State {
        var settings: Settings
        /// Of the configuration that the settings are of.
        var number: UInt64
        var waiting: [Report] = []
        var isDelivering = false
        var dropped = 0
        /// Dropped reports that nobody was told of yet.
        var untold = 0
    }

    let counters = LoadCounters()
    private let state: Mutex<State>
    private let interest: Atomic<UInt16>
    /// Hashes of the addresses whose servers were warned of.
    private let warned = MemoryCache<Int, Bool>(maxBytes: maxWarned, maxCount: maxWarned)
    private let queue = DispatchQueue(label: "ImageLoader.reports")

    fileprivate static let recordBit: UInt16 = 0x100
    /// Reports that wait at once.
    static let maxWaiting = 8_192
    /// Addresses that are remembered so as to be warned of once; the least recent are forgotten.
    static let maxWarned = 4_096

    init(_ settings: Settings, number: UInt64) {
        interest = Atomic(settings.interest)
        state = Mutex(State(settings: settings, number: number))
    }

    /// Goes by other settings from now on, unless later ones have come already.
    func configure(_ settings: Settings, number: UInt64) {
        state.locked(in: self) { state in
            guard state.number <= number else { return }
            state.settings = settings
            state.number = number
            interest.store(settings.interest, ordering: .relaxed)
        }
    }

    /// True when somebody hears of this category.
    func wants(_ category: LoaderEvent.Categories) -> Bool {
        interest.load(ordering: .relaxed) & UInt16(category.rawValue) != 0
    }

    /// True when somebody gets records.
    var wantsRecords: Bool { interest.load(ordering: .relaxed) & Self.recordBit != 0 }

    /// Reports that were left out so far.
    var droppedCount: Int { state.locked(in: self) { $0.dropped } }

    /// Tells of an event, if anybody hears of its category.
    ///
    /// - Parameter url: As it is; it is redacted before anybody sees it.
    func report(_ kind: LoaderEvent.Kind, url: String? = nil) {
        guard wants(kind.category) else { return }
        enqueue(.event(kind, url: url))
    }

    /// Gives a record, whose address is as it is, if anybody gets records.
    func report(_ record: LoadRecord) {
        guard wantsRecords else { return }
        enqueue(.record(record))
    }

    /// True the first time for an address, as far as is remembered.
    func isFirstWarning(of url: String) -> Bool {
        guard warned.value(for: url.hashValue) == nil else { return false }
        return warned.insert(true, for: url.hashValue, cost: 1)
    }

    /// Returns when everything reported so far has been delivered.
    func delivered() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    private func enqueue(_ report: Report) {
        let begins = state.locked(in: self) { state in
            guard state.waiting.count < Self.maxWaiting else {
                state.dropped += 1
                state.untold += 1
                return false
            }
            state.waiting.append(report)
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        if begins { queue.async { self.deliver() } }
    }

    private func deliver() {
        while true {
            let (reports, untold, settings): ([Report], Int, Settings) = state.locked(in: self) { state in
                let taken = (state.waiting, state.untold, state.settings)
                state.waiting = []
                state.untold = 0
                if taken.0.isEmpty { state.isDelivering = false }
                return taken
            }
            if reports.isEmpty { return }
            for report in reports {
                switch report {
                case .event(let kind, let url): Self.deliver(kind, url, settings)
                case .record(var record):
                    record.url = Self.shown(record.url, settings)
                    settings.recordSink?(record)
                }
            }
            if untold > 0 { Self.deliver(.reportsDropped(count: untold), nil, settings) }
        }
    }

    private static func deliver(_ kind: LoaderEvent.Kind, _ url: String?, _ settings: Settings) {
        guard settings.categories.contains(kind.category) else { return }
        let event = LoaderEvent(kind: kind, url: url.map { shown($0, settings) })
        settings.eventSink?(event)
        switch kind {
        case .cacheMiss where !settings.logCacheMisses, .cachePolicyWarning where !settings.logResponseWarnings: break
        default: settings.logger?.log(level: event.level, event.message, metadata: event.metadata, source: "Loader")
        }
    }

    private static func shown(_ url: String, _ settings: Settings) -> String {
        guard let redact = settings.redactURL else { return Redaction.shown(url) }
        // Whatever the hook returns, it is one line and has no user information.
        return Redaction.showingQueries(redact(Redaction.showingQueries(url)))
    }
}
#endif
