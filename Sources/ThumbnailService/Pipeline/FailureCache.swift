import PlatformImage
import PlatformImageLoader
import Synchronization

/// Negative cache of sources that failed repeatedly (SV24 in Docs/service-security.md).
///
/// - A source whose origin failed or timed out 4 times within an hour is retried as ``BackOff`` allows.
/// - A source that was unusable (not an image, over a limit, too large, at a blocked address) 4 times within an hour
///   fails with the last of these errors, without being read, until the first of the four failures is an hour old.
/// - A missing URL is stored at its first failure, for `cache.negativeTTL` (0 disables this). Missing identifiers are
///   not stored.
/// - Local files are cheap to read and can be replaced at any time, so their failures are not stored.
///
/// A successful render removes the record. Records are stored in memory only, for at most 4,096 sources.
final class FailureCache: Sendable {
    /// Number of failures within ``window`` after which a source is blocked.
    static let maxFailures = 4
    /// Milliseconds in which failures are counted.
    static let window: Int64 = 3_600_000

    private struct Record {
        var error: ServiceError
        /// Times of the last failures, oldest first, at most ``FailureCache/maxFailures``, all of the same kind.
        var times: [WallTime] = []
        /// Retry state of a source after ``FailureCache/maxFailures`` failures of its origin; nil otherwise.
        var backOff: BackOff?
        /// Time until which a missing or unusable source is blocked; nil while there are too few failures.
        var until: WallTime?

        /// Adds a failure to those of the last hour.
        mutating func add(_ now: WallTime) {
            times = (times.filter { now - $0 < FailureCache.window } + [now]).suffix(FailureCache.maxFailures)
        }
    }

    private let negativeLifetime: Duration
    private let identifiersAreFiles: Bool
    private let records = Mutex(RecentTable<String, Record>(capacity: 4_096))

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - negativeLifetime: Lifetime of the record of a missing source; 0 disables such records.
    ///   - identifiersAreFiles: True where identifiers refer to local files only.
    init(negativeLifetime: Duration = .seconds(60), identifiersAreFiles: Bool = false) {
        self.negativeLifetime = negativeLifetime
        self.identifiersAreFiles = identifiersAreFiles
    }

    /// Returns the stored failure of a source; nil when the source may be read. If the source is in
    /// back-off and the result is nil, the caller's read is the probe.
    func failure(of source: SourceName, now: WallTime) -> ServiceError? {
        let key = source.failureKey
        return records.locked(in: self) { records in
            guard var record = records[key] else { return nil }
            if let until = record.until {
                // A last failure in the future means that the clock was set back.
                return (record.times.last ?? now) <= now && now < until ? record.error : nil
            }
            let left = record.backOff?.remaining(now: now) ?? 0
            guard left == 0 else { return record.error.withRetryAfter(milliseconds: left) }
            if record.backOff?.admitsProbe(now: now) == true { records[key] = record }
            return nil
        }
    }

    /// Counts a failure of the source; failures of the request, the client or the service are ignored.
    func record(_ error: ServiceError, of source: SourceName, now: WallTime) {
        guard !isLocal(source) else { return }
        let key = source.failureKey
        records.locked(in: self) { records in
            // Errors without a kind are not counted. Neither are errors with a retry time: they come from the cache of
            // failed DNS lookups, and the source was not read.
            guard let kind = error.failureKind, error.retryAfter == nil else {
                records[key]?.backOff?.endProbe(now: now)
                return
            }
            var record = records[key] ?? Record(error: error)
            if record.error.failureKind != kind { record = Record(error: error) }
            record.error = error
            switch kind {
            case .missing:
                // Only for URLs: an identifier may refer to a file. If it refers to a URL, the loader caches the 404
                // response.
                guard case .url = source, negativeLifetime > .zero else { return }
                if let until = record.until, now < until { return }
                record.times = [now]
                record.until = now.adding(milliseconds: min(negativeLifetime.millisecondCount, 1_000_000_000_000_000))
            case .origin:
                record.add(now)
                if record.times.count < Self.maxFailures {
                    record.backOff = nil
                } else {
                    record.backOff = record.backOff ?? BackOff()
                    record.backOff?.fail(now: now)
                }
            case .content:
                record.add(now)
                let isAtLimit = record.times.count == Self.maxFailures
                record.until = isAtLimit ? record.times[0].adding(milliseconds: Self.window) : nil
            }
            records[key] = record
        }
    }

    /// Removes the record of a source after a successful read. If its last failure was detected after a read (not an
    /// image, over a limit), the record remains.
    func recordRead(_ source: SourceName) {
        let key = source.failureKey
        records.locked(in: self) { records in
            if let record = records[key], !record.error.isContentFailure { records[key] = nil }
        }
    }

    /// Removes the failures of a source after a successful render.
    func remove(_ source: SourceName) {
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

    /// Kind of a failure that is likely to recur for the same source; nil for other errors.
    fileprivate var failureKind: FailureKind? {
        switch reason {
        case .notFound: .missing
        case .originFailed, .originTimeout: .origin
        case .addressRefused, .tooLarge, .notAnImage, .limit: .content
        default: nil
        }
    }

    /// True for failures that are detected after a source was read.
    fileprivate var isContentFailure: Bool { reason == .notAnImage || reason == .limit }
}

extension SourceName {
    /// Digest of the source's name, so that the key has a fixed length.
    fileprivate var failureKey: String {
        let text =
            switch self {
            case .url(let url): "url \(url)"
            case .file(let path): "file \(path)"
            case .identifier(let name): "identifier \(name)"
            case .body: "body"
            }
        return String(hexadecimal: SHA256.hash(Array(text.utf8)))
    }
}
