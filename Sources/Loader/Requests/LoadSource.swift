#if Loader
/// Where the picture of a load comes from.
public enum LoadSource: String, Hashable, Sendable, CaseIterable {
    /// Nowhere: the load failed.
    case none
    /// The decoded picture was in memory.
    case memory
    /// The stored body was read and decoded.
    case disk
    /// The origin answered that the stored body is still good (304).
    case networkNotModified
    /// The origin sent a body; it is on disk unless ``LoadedImage/isStored`` is false.
    case networkToDisk
}
#endif
