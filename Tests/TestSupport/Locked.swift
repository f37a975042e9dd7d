import Foundation

/// A value behind a lock that closures can share: a `Mutex` alone cannot be captured by several.
///
/// `NSLock`, because ThreadSanitizer understands it.
public final class Locked<Value: Sendable>: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var stored: Value  // under the lock

    public init(_ value: Value) { stored = value }

    public var value: Value { lock.withLock { stored } }

    public func update(_ change: (inout Value) -> Void) { lock.withLock { change(&stored) } }
}
