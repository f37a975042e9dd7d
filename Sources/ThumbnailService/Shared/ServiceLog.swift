public import PlatformImageLoader

/// Receives the log of a service: messages of a fixed set, with their variable values as fields.
///
/// ```swift
/// let log = ServiceLog { entry in print(entry.level, entry.message, entry.fields) }
/// let server = try ThumbnailServer(configuration, log: log)
/// ```
///
/// The sink is called on the threads that serve requests, several at a time: it must return at once, for example after
/// it has added the entry to a queue.
public struct ServiceLog: Sendable {
    /// A log level, in the order of severity.
    public typealias Level = LoaderEvent.Level

    /// The value of a field.
    public enum Value: Hashable, Sendable {
        /// Text from outside may be part of it: escape control bytes before it reaches a terminal.
        case text(String)
        case integer(Int)
        case number(Double)
        case list([String])
    }

    /// One message with its fields.
    public struct Entry: Sendable {
        /// The severity.
        public let level: Level
        /// One line of English without variable values.
        public let message: String
        /// The variable values, each name once.
        public let fields: [(name: String, value: Value)]
    }

    /// A log without a receiver.
    public static let none = ServiceLog(isEnabled: false, level: .error) { _ in }

    private let isEnabled: Bool
    private let rank: Int
    private let sink: @Sendable (Entry) -> Void

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - level: The lowest level whose entries are made.
    ///   - sink: Receives each entry.
    public init(level: Level = .info, sink: @escaping @Sendable (Entry) -> Void) {
        self.init(isEnabled: true, level: level, sink: sink)
    }

    private init(isEnabled: Bool, level: Level, sink: @escaping @Sendable (Entry) -> Void) {
        (self.isEnabled, rank, self.sink) = (isEnabled, level.rank, sink)
    }

    /// Returns true when entries of a level are made.
    public func isEnabled(_ level: Level) -> Bool { isEnabled && level.rank >= rank }

    /// Passes an entry to the sink if its level is enabled.
    ///
    /// - Parameter fields: Evaluated only then.
    public func write(
        _ level: Level, _ message: String, _ fields: @autoclosure () -> [(name: String, value: Value)] = []
    ) {
        guard isEnabled(level) else { return }
        sink(Entry(level: level, message: message, fields: fields()))
    }
}

extension LoaderEvent.Level {
    fileprivate var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .notice: 2
        case .warning: 3
        case .error: 4
        }
    }
}
