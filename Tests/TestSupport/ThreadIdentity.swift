import Foundation  // for pthread_self on every platform

/// The identity of a thread.
public struct ThreadIdentity: Hashable, Sendable {
    #if canImport(Darwin)
    // On Darwin, `pthread_t` is a pointer, which is not `Sendable`.
    private let identifier: UInt

    public static var current: ThreadIdentity { ThreadIdentity(identifier: UInt(bitPattern: pthread_self())) }
    #else
    private let identifier: pthread_t

    public static var current: ThreadIdentity { ThreadIdentity(identifier: pthread_self()) }
    #endif
}
