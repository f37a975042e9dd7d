// Copies with other positions of the same pixels. Limits do not apply: no result is larger than its bitmap.

extension Bitmap {
    /// Returns the part of the bitmap inside `rectangle`, as a bitmap of exactly that size.
    ///
    /// The result has its own memory: it does not keep the memory of a larger bitmap alive. With a rectangle that
    /// contains the complete bitmap, the result shares the memory of the bitmap.
    ///
    /// - Parameter rectangle: In pixels from the top left corner; the part outside the bitmap is ignored, so that the
    ///   result can be smaller than the rectangle.
    /// - Throws: `emptyCrop` when no pixel of the bitmap is inside; `outOfMemory`.
    public func cropped(to rectangle: PixelRectangle) throws(DecodeError) -> Bitmap {
        guard let part = rectangle.clipped(toWidth: width, height: height) else {
            throw DecodeError(
                .emptyCrop, "the crop \(rectangle) is outside the image of \(width) x \(height) pixels")
        }
        if part.width == width, part.height == height { return self }
        let stride = bytesPerRow
        return try Self.written(width: part.width, height: part.height) { pixels in
            withBytes { bytes in
                let first = part.y * stride + part.x * 4
                let end = first + (part.height - 1) * stride + part.width * 4
                RowKernels.export(
                    bytes.extracting(first..<end), stride: stride, to: &pixels, layout: .rgba, stride: part.width * 4,
                    width: part.width, height: part.height)
            }
        }
    }

    /// Returns the bitmap rotated by a multiple of 90 degrees; width and height are swapped at 90 and 270 degrees.
    ///
    /// - Throws: `outOfMemory`.
    public func rotated(by angle: RotationAngle) throws(DecodeError) -> Bitmap { try oriented(angle.orientation) }

    /// Returns the mirror image with left and right swapped.
    ///
    /// - Throws: `outOfMemory`.
    public func flippedHorizontally() throws(DecodeError) -> Bitmap { try oriented(.upMirrored) }

    /// Returns the mirror image with top and bottom swapped.
    ///
    /// - Throws: `outOfMemory`.
    public func flippedVertically() throws(DecodeError) -> Bitmap { try oriented(.downMirrored) }

    /// Returns the bitmap transformed by an EXIF orientation (tag 274), which makes a stored image upright.
    ///
    /// ``ImageDecoder`` applies the orientation of a file unless ``DecodeOptions/appliesOrientation`` is false. With
    /// `.up` the result shares the memory of the bitmap.
    ///
    /// - Throws: `outOfMemory`.
    public func oriented(_ orientation: Orientation) throws(DecodeError) -> Bitmap {
        if orientation == .up { return self }
        let swaps = orientation.swapsSides
        let (orientedWidth, orientedHeight) = swaps ? (height, width) : (width, height)
        let target = try PixelStorage.uninitialized(width: orientedWidth, height: orientedHeight)
        storage.copy(to: target, width: width, height: height, orientedBy: orientation)
        return Bitmap(width: orientedWidth, height: orientedHeight, storage: target)
    }
}

extension PixelStorage {
    /// Copies the pixels with `orientation` applied; `width` and `height` are those of this storage.
    func copy(to target: PixelStorage, width: Int, height: Int, orientedBy orientation: Orientation) {
        withBytes { source in
            target.withMutableBytes {
                RowKernels.orient(source, width: width, height: height, by: orientation, to: &$0)
            }
        }
    }
}
