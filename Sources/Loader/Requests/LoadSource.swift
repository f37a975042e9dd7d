/// The source of a load's result.
public enum LoadSource: String, Hashable, Sendable, CaseIterable {
    /// No source: the load failed.
    case none
    /// The decoded image in memory.
    case memory
    /// The stored body, read from disk; for an image request also decoded.
    case disk
    /// The stored body, which the origin confirmed with 304 Not Modified.
    case networkNotModified
    /// A body from the origin; it is on disk unless ``LoadedImage/isStored`` is false.
    case networkToDisk
}
