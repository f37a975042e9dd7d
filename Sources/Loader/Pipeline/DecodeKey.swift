#if Loader
internal import PlatformImage

/// A body whose decoding may be shared.
enum DecodeSource: Sendable {
    case disk(DiskCache.Revision)
    case fetch(Fetched)
    case unnamed
}

/// A body and how it is decoded: equal ones are decoded once.
struct DecodeKey: Hashable, Sendable {
    private enum Body: Hashable, Sendable {
        case disk(DiskCache.Revision)
        case fetch(ObjectIdentifier)
    }

    private let body: Body
    private let variant: String

    /// Nil for a body without a name.
    init?(_ source: DecodeSource, variant: String) {
        switch source {
        case .disk(let revision): body = .disk(revision)
        case .fetch(let fetched): body = .fetch(ObjectIdentifier(fetched))
        case .unnamed: return nil
        }
        self.variant = variant
    }
}
#endif
