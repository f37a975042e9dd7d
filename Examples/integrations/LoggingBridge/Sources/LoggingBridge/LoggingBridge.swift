// Not built by the checks of this repository, which fetch no package.

import Logging
import PlatformImageLoader

extension ImageLoader.Configuration {
    /// Writes the events of the loader to a logger, except those that `logCacheMisses` and `logResponseWarnings`
    /// exclude.
    ///
    /// Replaces `eventSink`; `eventCategories` and the level of the logger choose the events.
    public mutating func log(to logger: Logger) {
        eventSink = { event in
            guard event.isLogged else { return }
            var metadata = Logger.Metadata()
            for (name, value) in event.fields { metadata[name] = .string(value) }
            let message = Logger.Message(stringLiteral: event.message)
            logger.log(level: Logger.Level(event.level), message, metadata: metadata, source: "Loader")
        }
    }
}

extension Logger.Level {
    /// The level of the same name.
    public init(_ level: LoaderEvent.Level) {
        self =
            switch level {
            case .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            }
    }
}
