// Access to many pixels at once. The calls take closures: a computed property that returns a `Span` requires the
// experimental compiler feature `Lifetimes` (Swift 6.3).

extension Bitmap {
    /// Calls `body` with all pixels: `width * height` pixels, row by row from the top.
    ///
    /// The pixel in column `x` of row `y` is `pixels[y * width + x]`. In release builds a loop over the pixels is as
    /// fast as a loop over a raw pointer; sums are fastest in a variable declared inside the closure.
    ///
    /// ```swift
    /// let opaqueCount = bitmap.withPixels { pixels in
    ///     var count = 0
    ///     for index in pixels.indices where pixels[index].alpha == 255 { count += 1 }
    ///     return count
    /// }
    /// ```
    public func withPixels<R, E: Error>(_ body: (Span<RGBA8>) throws(E) -> R) throws(E) -> R {
        try storage.withPixels(0..<width * height, body)
    }

    /// Calls `body` for each row from the top, with the row's number and its `width` pixels.
    ///
    /// An error thrown by `body` ends the iteration.
    public func forEachRow<E: Error>(_ body: (_ y: Int, _ pixels: Span<RGBA8>) throws(E) -> Void) throws(E) {
        for y in 0..<height {
            let start = y * width
            try storage.withPixels(start..<start + width) { (pixels) throws(E) in try body(y, pixels) }
        }
    }
}
