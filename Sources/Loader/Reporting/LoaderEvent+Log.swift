#if Loader
internal import Logging
import PlatformImage

extension LoaderEvent {
    /// The log level of the event.
    var level: Logger.Level {
        switch kind {
        case .cacheMiss, .requestSent, .responseReceived: .debug
        case .imageRemoved, .filesRemoved, .memoryPurged, .memoryRelieved: .info
        case .retrying: .notice
        case .cachePolicyWarning, .diskCacheUnlimited, .reportsDropped: .warning
        case .failed, .diskFault: .error
        }
    }

    /// The message, one of a fixed set; variable values are in ``metadata``.
    var message: Logger.Message {
        switch kind {
        case .cacheMiss: "cache miss"
        case .cachePolicyWarning: "response lacks caching headers"
        case .requestSent: "request sent"
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

    /// The event's values; durations are in milliseconds.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [:]
        if let url { metadata["url"] = "\(url)" }
        switch kind {
        case .cacheMiss, .imageRemoved: break
        case .cachePolicyWarning(let warning): metadata["warning"] = "\(warning.rawValue)"
        case .requestSent(let attempt): metadata["attempt"] = "\(attempt)"
        case .responseReceived(let status, let bytes, let duration):
            metadata["status"] = "\(status)"
            metadata["bytes"] = "\(bytes)"
            metadata["ms"] = "\(duration.millisecondCount)"
        case .retrying(let attempt, let delay, let code):
            metadata["attempt"] = "\(attempt)"
            metadata["delayMs"] = "\(delay.millisecondCount)"
            metadata["code"] = "\(code)"
        case .failed(let code, let status, let isFatal, let text):
            metadata["code"] = "\(code)"
            if let status { metadata["status"] = "\(status)" }
            metadata["fatal"] = "\(isFatal)"
            metadata["error"] = "\(text)"
        case .filesRemoved(let count, let bytes), .memoryPurged(let count, let bytes):
            metadata["count"] = "\(count)"
            metadata["bytes"] = "\(bytes)"
        case .memoryRelieved(let bytes): metadata["bytes"] = "\(bytes)"
        case .diskFault(let fault, let directory, let text):
            metadata["fault"] = "\(fault.rawValue)"
            metadata["directory"] = "\(directory)"
            metadata["error"] = "\(text)"
        case .diskCacheUnlimited(let directory): metadata["directory"] = "\(directory)"
        case .reportsDropped(let count): metadata["count"] = "\(count)"
        }
        return metadata
    }
}
#endif
