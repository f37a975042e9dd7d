#if Service
import Crypto
import PlatformImage
import PlatformImageLoader
import Synchronization

/// Sources that failed again and again, which are not read again for a while (SERVICE.md SV24).
///
/// - An origin that failed or was too slow 4 times within an hour is asked again as ``BackOff`` allows.
/// - What an origin sent and no request can use (not an image, over a limit, too large, at a blocked address), 4 times
///   within an hour, is answered with that failure until the first of the four is an hour old.
/// - A missing source is remembered from the first time on, for `cache.negativeTTL` (0 for not at all).
/// - Local files are cheap to read and may be replaced at any time: nothing is remembered of them.
///
/// A success is a clean sheet. Kept in memory alone, for 4,096 sources at most.
final class FailureCache: Sendable {
    /// Failures within ``window`` that are enough.
    static let maxFailures = 4
    /// Milliseconds.
    static let window: Int64 = 3_600_000

    private struct Record {
        var error: ServiceError
        /// The last ones, oldest first, at most ``FailureCache/maxFailures``, all of one kind.
        var times: [WallTime] = []
        /// Of an origin that failed often enough.
        var backOff: BackOff?
        /// The end of all other failures; nil before there are enough of them.
        var until: WallTime?

        /// Adds a failure to those of the last hour.
        mutating func count(_ now: WallTime) {
            times = (times.filter { now - $0 < FailureCache.window } + [now]).suffix(FailureCache.maxFailures)
        }
    }

    private let negativeLifetime: Duration
    private let identifiersAreFiles: Bool
    private let records = Mutex(RecentTable<String, Record>(capacity: 4_096))

    /// - Parameters:
    ///   - negativeLifetime: How long a missing source is remembered; 0 for not at all.
    ///   - identifiersAreFiles: True where identifiers name local files alone.
    init(negativeLifetime: Duration = .seconds(60), identifiersAreFiles: Bool = false) {
        self.negativeLifetime = negativeLifetime
        self.identifiersAreFiles = identifiersAreFiles
    }

    /// The failure that a source is answered with; nil when it may be read. After nil for a source that backs off, the
    /// caller has the probe.
    func failure(of source: SourceName, now: WallTime) -> ServiceError? {
        let key = source.failureKey
        return records.locked(in: self) { records in
            guard var record = records[key] else { return nil }
            if let until = record.until {
                // Before the last failure, the clock was set back.
                return (record.times.last ?? now) <= now && now < until ? record.error : nil
            }
            let left = record.backOff?.remaining(now: now) ?? 0
            guard left == 0 else { return record.error.retried(afterMilliseconds: left) }
            if record.backOff?.admitsProbe(now: now) == true { records[key] = record }
            return nil
        }
    }

    /// Counts a failure, when it is one of the source and not of the request, the client or the service.
    func count(_ error: ServiceError, of source: SourceName, now: WallTime) {
        guard !isLocal(source) else { return }
        let key = source.failureKey
        records.locked(in: self) { records in
            // An error with a time to retry was remembered where it comes from: the source was not read.
            guard let kind = error.failureKind, error.retryAfter == nil else {
                records[key]?.backOff?.endProbe(now: now)
                return
            }
            var record = records[key] ?? Record(error: error)
            if record.error.failureKind != kind { record = Record(error: error) }
            record.error = error
            switch kind {
            case .missing:
                // An identifier may be a file too, and the loader remembers what its address was answered with.
                guard case .url = source, negativeLifetime > .zero else { return }
                if let until = record.until, now < until { return }
                record.times = [now]
                record.until = now.adding(milliseconds: min(negativeLifetime.millisecondCount, 1_000_000_000_000_000))
            case .origin:
                record.count(now)
                if record.times.count < Self.maxFailures {
                    record.backOff = nil
                } else {
                    record.backOff = record.backOff ?? BackOff()
                    record.backOff?.fail(now: now)
                }
            case .content:
                record.count(now)
                let isEnough = record.times.count == Self.maxFailures
                record.until = isEnough ? record.times[0].adding(milliseconds: Self.window) : nil
            }
            records[key] = record
        }
    }

    /// Notes that a source was read: what its origin failed with is forgotten, what its content failed with is not.
    func noteRead(_ source: SourceName) {
        let key = source.failureKey
        records.locked(in: self) { records in
            if let record = records[key], !record.error.isOfContent { records[key] = nil }
        }
    }

    /// Forgets the failures of a source that is well.
    func forget(_ source: SourceName) {
        let key = source.failureKey
        records.locked(in: self) { records in if records[key] != nil { records[key] = nil } }
    }

    private func isLocal(_ source: SourceName) -> Bool {
        switch source {
        case .file, .body: true
        case .identifier: identifiersAreFiles
        case .url: false
        }
    }
}

extension ServiceError {
    fileprivate enum FailureKind { case missing, origin, content }

    /// Nil for what need not be the same for the next request for that source.
    fileprivate var failureKind: FailureKind? {
        switch reason {
        case .notFound: .missing
        case .originFailed, .originTimeout: .origin
        case .addressRefused, .tooLarge, .notAnImage, .limit: .content
        default: nil
        }
    }

    /// True for what is found out after a source was read.
    fileprivate var isOfContent: Bool { reason == .notAnImage || reason == .limit }
}

extension SourceName {
    /// As short for a long address as for a short one.
    fileprivate var failureKey: String {
        let text =
            switch self {
            case .url(let url): "url \(url)"
            case .file(let path): "file \(path)"
            case .identifier(let name): "identifier \(name)"
            case .body: "body"
            }
        return String(hexadecimal: SHA256.hash(data: Array(text.utf8)))
    }
}
#endif
