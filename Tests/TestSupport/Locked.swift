import Synchronization

/// A value behind a lock that closures can share: a `Mutex` alone cannot be captured by several.
public final class Locked<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    public init(_ value: Value) { mutex = Mutex(value) }

    public var value: Value { mutex.withLock { $0 } }

    public func update(_ change: (inout Value) -> Void) { mutex.withLock { change(&$0) } }
}
