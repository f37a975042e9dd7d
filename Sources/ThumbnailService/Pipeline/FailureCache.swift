#if Service
import Crypto
import Loader
import Synchronization

/// Sources that failed again and again: they are not asked for anew for a while (SERVICE.md SV24).
///
/// A source that failed 4 times within an hour is answered with its last failure until the first of the four is an hour
/// old; then it is asked once more. A success is a clean sheet. Kept in memory alone, for 4,096 sources at most.
final class FailureCache: Sendable {
    /// Failures within ``window`` that are enough.
    static let maxFailures = 4
    /// Milliseconds.
    static let window: Int64 = 3_600_000

    private struct Record {
        /// The last ones, oldest first, at most ``FailureCache/maxFailures``.
        var times: [WallTime] = []
        var error: ServiceError
    }

    private let records = Mutex(RecentTable<String, Record>(capacity: 4_096))

    /// The failure that a source is answered with; nil when it may be asked for.
    func failure(of source: SourceName, now: WallTime) -> ServiceError? {
        let key = source.failureKey
        return records.withLock { records in
            guard let record = records[key], record.times.count == Self.maxFailures, let first = record.times.first,
                now - first < Self.window
            else { return nil }
            let error = record.error
            guard error.status >= 500 else { return error }
            let left = Int((Self.window - (now - first) + 999) / 1_000)
            return ServiceError(error.reason, status: error.status, retryAfter: left, error.message)
        }
    }

    /// Counts a failure, when it is one of the source and not of the request, the client or the service.
    func count(_ error: ServiceError, of source: SourceName, now: WallTime) {
        guard error.isOfSource else { return }
        let key = source.failureKey
        records.withLock { records in
            var record = records[key] ?? Record(error: error)
            record.times = (record.times + [now]).suffix(Self.maxFailures)
            record.error = error
            records[key] = record
        }
    }

    /// Forgets the failures of a source that is well.
    func forget(_ source: SourceName) {
        let key = source.failureKey
        records.withLock { records in if records[key] != nil { records[key] = nil } }
    }
}

extension ServiceError {
    /// True for what will most likely be the same for every request for that source.
    fileprivate var isOfSource: Bool {
        switch reason {
        case .notFound, .addressRefused, .tooLarge, .notAnImage, .limit, .originFailed, .originTimeout: true
        default: false
        }
    }
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
        return Hexadecimal.text(SHA256.hash(data: Array(text.utf8)))
    }
}
#endif
