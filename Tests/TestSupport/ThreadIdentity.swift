import Foundation  // for pthread_self on every platform

/// The identity of a thread.
public struct ThreadIdentity: Hashable, Sendable {
    private let identifier: pthread_t

    public static var current: ThreadIdentity { ThreadIdentity(identifier: pthread_self()) }
}
