#if Loader
/// One step of a load, in the order `cached? (sendingRequest progress* (retrying progress*)*)? finished`.
public enum LoadEvent: Sendable {
    /// A stored picture is shown. Unless it is fresh, a better one or an error may follow.
    case cached(LoadedImage)
    /// The origin is about to be asked.
    case sendingRequest(didHaveCachedImage: Bool)
    /// Bytes of the body so far, and in all if the origin said so; some steps may be left out.
    case progress(received: Int, expected: Int?)
    /// An attempt failed and another one follows after a wait; `attempt` counts from 2.
    case retrying(attempt: Int, delay: Duration, reason: LoadError)
    /// The end, exactly once.
    case finished(Result<LoadedImage, LoadError>)
}
#endif
