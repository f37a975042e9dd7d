import PlatformImage

extension Bitmap {
    /// Returns the bounding box of all pixels that differ from the pixel in a corner by more than the tolerance; nil
    /// when no pixel does.
    ///
    /// The tolerance is the largest Euclidean distance in red, green, blue and alpha that still counts as border.
    /// Pixels with alpha 0 are equal whatever their colours.
    func bounds(
        trimmedBy trim: Operations.Trim, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> PixelRectangle? {
        let border = trim.corner == .topLeft ? self[0, 0] : self[width - 1, height - 1]
        let maxSquaredDistance = trim.tolerance * trim.tolerance
        var (left, right, top, bottom) = (width, -1, height, -1)
        try forEachRow(cancellation: cancellation) { y, row in
            func isContent(_ x: Int) -> Bool {
                RGBA8(in: row, at: x * 4).squaredDistance(to: border) > maxSquaredDistance
            }
            guard let first = (0..<width).first(where: isContent) else { return }
            left = min(left, first)
            top = min(top, y)
            bottom = y
            // Only pixels to the right of the current right edge can move it.
            right = max(right, first)
            var last = width - 1
            while last > right, !isContent(last) { last -= 1 }
            right = max(right, last)
        }
        guard bottom >= 0 else { return nil }
        return PixelRectangle(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }
}

extension RGBA8 {
    fileprivate func squaredDistance(to other: Self) -> Int {
        let (red, green, blue, alpha) = (
            Int(normalized.red) - Int(other.normalized.red), Int(normalized.green) - Int(other.normalized.green),
            Int(normalized.blue) - Int(other.normalized.blue), Int(self.alpha) - Int(other.alpha)
        )
        return red * red + green * green + blue * blue + alpha * alpha
    }

    /// The pixel with its colours set to black when it is transparent.
    private var normalized: Self { alpha == 0 ? Self(red: 0, green: 0, blue: 0, alpha: 0) : self }
}
