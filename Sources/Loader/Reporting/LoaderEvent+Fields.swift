import PlatformImage

extension LoaderEvent {
    /// The log level of the event.
    public var level: Level {
        switch kind {
        case .cacheMiss, .requestSent, .responseReceived: .debug
        case .imageRemoved, .filesRemoved, .memoryPurged, .memoryRelieved: .info
        case .retrying: .notice
        case .cachePolicyWarning, .contentCodingIgnored, .diskCacheUnlimited, .reportsDropped: .warning
        case .failed, .diskFault: .error
        }
    }

    /// The message of the event in a log, one of a fixed set; variable values are in ``fields``.
    public var message: String {
        switch kind {
        case .cacheMiss: "cache miss"
        case .cachePolicyWarning: "response lacks caching headers"
        case .requestSent: "request sent"
        case .contentCodingIgnored: "unknown content coding ignored"
        case .responseReceived: "response received"
        case .retrying: "request failed, retry scheduled"
        case .failed: "load failed"
        case .imageRemoved: "image removed"
        case .filesRemoved: "files removed from the disk cache"
        case .memoryPurged: "memory cache purged"
        case .memoryRelieved: "memory cache trimmed"
        case .diskFault: "disk cache fault"
        case .diskCacheUnlimited: "disk cache has no size limit"
        case .reportsDropped: "events and load records dropped"
        }
    }

    /// The values of the event as names and texts, each name once; the redacted URL, if any, is first. Durations are in
    /// milliseconds.
    public var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        func add(_ name: String, _ value: some CustomStringConvertible) { fields.append((name, value.description)) }
        if let url { add("url", url) }
        switch kind {
        case .cacheMiss, .imageRemoved: break
        case .cachePolicyWarning(let warning): add("warning", warning.rawValue)
        case .requestSent(let attempt): add("attempt", attempt)
        case .contentCodingIgnored(let coding): add("coding", coding)
        case .responseReceived(let status, let bytes, let duration):
            add("status", status)
            add("bytes", bytes)
            add("ms", duration.millisecondCount)
        case .retrying(let attempt, let delay, let code):
            add("attempt", attempt)
            add("delayMs", delay.millisecondCount)
            add("code", code)
        case .failed(let code, let status, let isFatal, let text):
            add("code", code)
            if let status { add("status", status) }
            add("fatal", isFatal)
            add("error", text)
        case .filesRemoved(let count, let bytes), .memoryPurged(let count, let bytes):
            add("count", count)
            add("bytes", bytes)
        case .memoryRelieved(let bytes): add("bytes", bytes)
        case .diskFault(let fault, let directory, let text):
            add("fault", fault.rawValue)
            add("directory", directory)
            add("error", text)
        case .diskCacheUnlimited(let directory): add("directory", directory)
        case .reportsDropped(let count): add("count", count)
        }
        return fields
    }
}
