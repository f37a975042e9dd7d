import Foundation

/// A value with a lock that several closures can capture, unlike a `Mutex`, which is not copyable.
///
/// Uses `NSLock`, because ThreadSanitizer supports it.
public final class Locked<Value: Sendable>: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var stored: Value  // under the lock

    public init(_ value: Value) { stored = value }

    public var value: Value { lock.withLock { stored } }

    public func update(_ change: (inout Value) -> Void) { lock.withLock { change(&stored) } }
}
