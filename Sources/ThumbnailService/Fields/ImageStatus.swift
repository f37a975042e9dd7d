/// Deviation of a result from the image that the target names: an element of the field `X-Image-Status`.
enum ImageStatus: String, CaseIterable, Sendable {
    /// The source is truncated or damaged; the result shows the part that could be decoded.
    case partial
    /// The origin failed; the result was rendered from a stored source, which may be out of date.
    case stale
}

extension [ImageStatus] {
    /// The elements separated by `, `.
    var text: String { map(\.rawValue).joined(separator: ", ") }
}
