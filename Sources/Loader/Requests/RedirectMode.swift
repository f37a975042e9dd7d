#if Loader
/// What a load does with a response that points elsewhere (RFC 9110 §15.4).
public enum RedirectMode: String, Hashable, Sendable, CaseIterable {
    /// Goes there, as often as ``ImageLoader/Configuration/maxRedirects`` allows.
    case follow
    /// Gives the 3xx back: ``ImageLoader/data(for:)`` returns it, and for a picture it is the error `unexpectedStatus`
    /// with ``LoadError/response``.
    case manual
}
#endif
