internal import Dispatch
internal import PlatformImage
internal import Synchronization

/// Delivers events and records to the sinks of the application, on a serial dispatch queue.
///
/// Sinks run only on this dispatch queue, and no lock is held while they run: no load waits for a sink, and a sink may
/// use the loader. Reports wait in a bounded buffer; when it is full, further reports are counted and dropped.
final class LoadReporter: Sendable {
    /// Sinks and filters. Changes also apply to queued reports, except to the batch whose delivery has begun.
    struct Settings: Sendable {
        let categories: LoaderEvent.Categories
        let eventSink: (@Sendable (LoaderEvent) -> Void)?
        let recordSink: (@Sendable (LoadRecord) -> Void)?
        let logCacheMisses: Bool
        let logResponseWarnings: Bool
        let redactURL: (@Sendable (String) -> String)?

        /// Bits of the categories, and of records, that have a receiver.
        fileprivate var receiverMask: UInt16 {
            let events = eventSink == nil ? 0 : UInt16(categories.rawValue)
            return events | (recordSink == nil ? 0 : LoadReporter.recordBit)
        }
    }

    /// A queued report, with the unredacted URL.
    private enum Report: Sendable {
        case event(LoaderEvent.Kind, url: String?)
        case record(LoadRecord)
    }

    private struct State {
        var settings: Settings
        /// Number of the configuration that the settings belong to.
        var number: UInt64
        var waiting: [Report] = []
        var isDelivering = false
        var dropped = 0
        /// Number of dropped reports that no event has reported yet.
        var unreportedDrops = 0
    }

    let counters = LoadCounters()
    private let state: Mutex<State>
    private let receiverMask: Atomic<UInt16>
    /// Hashes of the URLs for which a cache policy warning was reported.
    private let warnedURLs = MemoryCache<Int, Bool>(maxBytes: maxWarnedURLs, maxCount: maxWarnedURLs)
    private let queue = DispatchQueue(label: "ImageLoader.reports")

    fileprivate static let recordBit: UInt16 = 0x100
    /// Maximum number of queued reports.
    static let maxWaiting = 8_192
    /// Maximum number of URLs that are stored so that each warning is reported once; the least recently used are
    /// evicted.
    static let maxWarnedURLs = 4_096

    init(_ settings: Settings, number: UInt64) {
        receiverMask = Atomic(settings.receiverMask)
        state = Mutex(State(settings: settings, number: number))
    }

    /// Applies the settings, unless those of a later configuration have been applied already.
    func configure(_ settings: Settings, number: UInt64) {
        state.locked(in: self) { state in
            guard state.number <= number else { return }
            state.settings = settings
            state.number = number
            receiverMask.store(settings.receiverMask, ordering: .relaxed)
        }
    }

    /// Returns true when events of this category have a receiver.
    func wants(_ category: LoaderEvent.Categories) -> Bool {
        receiverMask.load(ordering: .relaxed) & UInt16(category.rawValue) != 0
    }

    /// True when records have a receiver.
    var wantsRecords: Bool { receiverMask.load(ordering: .relaxed) & Self.recordBit != 0 }

    /// Number of reports dropped so far.
    var droppedCount: Int { state.locked(in: self) { $0.dropped } }

    /// Reports an event, if its category has a receiver.
    ///
    /// - Parameter url: The unredacted URL; it is redacted before delivery.
    func report(_ kind: LoaderEvent.Kind, url: String? = nil) {
        guard wants(kind.category) else { return }
        enqueue(.event(kind, url: url))
    }

    /// Reports a record, whose URL is still unredacted, if records have a receiver.
    func report(_ record: LoadRecord) {
        guard wantsRecords else { return }
        enqueue(.record(record))
    }

    /// Returns true for the first warning about a URL. A URL that was evicted from the table counts as new.
    func isFirstWarning(of url: String) -> Bool {
        guard warnedURLs.value(for: url.hashValue) == nil else { return false }
        return warnedURLs.insert(true, for: url.hashValue, cost: 1)
    }

    /// Waits until everything reported so far has been delivered.
    func delivered() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    private func enqueue(_ report: Report) {
        let starts = state.locked(in: self) { state in
            guard state.waiting.count < Self.maxWaiting else {
                state.dropped += 1
                state.unreportedDrops += 1
                return false
            }
            state.waiting.append(report)
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        if starts { queue.async { self.deliver() } }
    }

    private func deliver() {
        while true {
            let (reports, unreportedDrops, settings): ([Report], Int, Settings) = state.locked(in: self) { state in
                let batch = (state.waiting, state.unreportedDrops, state.settings)
                state.waiting = []
                state.unreportedDrops = 0
                if batch.0.isEmpty { state.isDelivering = false }
                return batch
            }
            if reports.isEmpty { return }
            for report in reports {
                switch report {
                case .event(let kind, let url): Self.deliver(kind, url, settings)
                case .record(var record):
                    record.url = Self.redacted(record.url, settings)
                    settings.recordSink?(record)
                }
            }
            if unreportedDrops > 0 { Self.deliver(.reportsDropped(count: unreportedDrops), nil, settings) }
        }
    }

    private static func deliver(_ kind: LoaderEvent.Kind, _ url: String?, _ settings: Settings) {
        guard settings.categories.contains(kind.category) else { return }
        let isLogged =
            switch kind {
            case .cacheMiss: settings.logCacheMisses
            case .cachePolicyWarning: settings.logResponseWarnings
            default: true
            }
        settings.eventSink?(LoaderEvent(kind: kind, url: url.map { redacted($0, settings) }, isLogged: isLogged))
    }

    private static func redacted(_ url: String, _ settings: Settings) -> String {
        guard let redact = settings.redactURL else { return Redaction.masked(url) }
        // `redactURL` may return any text: reduce it to one line without user information.
        return Redaction.showingQueries(redact(Redaction.showingQueries(url)))
    }
}
