#if Service
/// The sizes that targets may name, so that nobody can have a picture rendered in all of them.
struct AllowedSizes: Hashable, Sendable {
    /// Widths in pixels; empty for any size.
    var widths: Set<Int> = []

    /// Looks at the width that a target names, at the height where it names none. What is fitted may become narrower.
    ///
    /// A IIIF target is not bound: its regions can be anything, and its map is the list of what is allowed.
    ///
    /// - Throws: `limit` for another size, and for a target that names none.
    func check(_ request: ThumbnailRequest) throws(ServiceError) {
        guard !widths.isEmpty, case .thumbor(let size) = request.operations.size else { return }
        // A description alone renders nothing.
        guard request.output.kind != .meta(blurHash: false) else { return }
        switch (size.width, size.height) {
        case (.pixels(let side), _), (.proportional, .pixels(let side)):
            guard widths.contains(side) else { throw ServiceError(.limit, "the size \(side) is not allowed") }
        default: throw ServiceError(.limit, "the target names no size that is allowed")
        }
    }
}
#endif
