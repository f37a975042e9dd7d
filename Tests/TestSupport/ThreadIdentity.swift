import Foundation  // pthread_self on every system

/// Which thread runs.
public struct ThreadIdentity: Hashable, Sendable {
    private let identifier: pthread_t

    public static var current: ThreadIdentity { ThreadIdentity(identifier: pthread_self()) }
}
