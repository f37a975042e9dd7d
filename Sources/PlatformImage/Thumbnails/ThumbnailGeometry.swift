/// Crop, size and padding of a thumbnail: pure arithmetic, in pixels of the upright image.
struct ThumbnailGeometry: Hashable {
    /// The crop in source pixels; may be fractional.
    var cropX, cropY, cropWidth, cropHeight: Double
    /// Size of the resampled crop in pixels, at least 1 each.
    var width, height: Int
    /// Size of the thumbnail in pixels, with padding, and the position of the resampled crop in it.
    var boxWidth, boxHeight, left, top: Int

    /// True when the thumbnail has padding.
    var isPadded: Bool { boxWidth != width || boxHeight != height }

    /// Computes the geometry; nil when the crop has no pixel in the image.
    ///
    /// - Parameters:
    ///   - sourceWidth: Width of the complete image in pixels, 1 to `ResampleRequest.maxSide`.
    ///   - sourceHeight: Height of the complete image in pixels, 1 to `ResampleRequest.maxSide`.
    init?(sourceWidth: Int, sourceHeight: Int, options: ThumbnailOptions) {
        let fullImage = PixelRectangle(x: 0, y: 0, width: sourceWidth, height: sourceHeight)
        guard let part = (options.crop ?? fullImage).clipped(toWidth: sourceWidth, height: sourceHeight) else {
            return nil
        }
        (cropX, cropY) = (Double(part.x), Double(part.y))
        (cropWidth, cropHeight) = (Double(part.width), Double(part.height))

        let allowsEnlarging = options.allowsUpscaling && options.fit != .scaleDown
        let box = Self.box(part.width, part.height, options)
        let fitsWithoutEnlarging = box.width <= part.width && box.height <= part.height
        switch options.fit {
        case _ where options.width == nil || options.height == nil:
            (width, height) = allowsEnlarging || fitsWithoutEnlarging ? box : (part.width, part.height)
        case .contain, .scaleDown:
            (width, height) = Self.contain(part.width, part.height, in: box, allowsEnlarging: allowsEnlarging)
        case .fill:
            width = allowsEnlarging ? box.width : min(box.width, part.width)
            height = allowsEnlarging ? box.height : min(box.height, part.height)
        case .cover:
            var (visibleWidth, visibleHeight) = (cropWidth, cropHeight)
            if !allowsEnlarging, !fitsWithoutEnlarging {
                (width, height) = (min(box.width, part.width), min(box.height, part.height))
                (visibleWidth, visibleHeight) = (Double(width), Double(height))
            } else {
                (width, height) = box
                // The side that is not cropped retains its exact length.
                if box.width * part.height >= box.height * part.width {
                    visibleHeight = min(cropHeight, Double(box.height * part.width) / Double(box.width))
                } else {
                    visibleWidth = min(cropWidth, Double(box.width * part.height) / Double(box.height))
                }
            }
            cropX += Self.start(of: visibleWidth, in: cropWidth, at: options.gravity.x)
            cropY += Self.start(of: visibleHeight, in: cropHeight, at: options.gravity.y)
            (cropWidth, cropHeight) = (visibleWidth, visibleHeight)
        }

        (boxWidth, boxHeight, left, top) = (width, height, 0, 0)
        if options.padsToBox {
            (boxWidth, boxHeight) = (max(width, box.width), max(height, box.height))
            left = Int((Double(boxWidth - width) * options.gravity.x).rounded())
            top = Int((Double(boxHeight - height) * options.gravity.y).rounded())
        }
    }

    /// The requested box for a crop of `width` x `height` pixels. A missing side is derived from the other side and the
    /// aspect ratio of the crop; without both sides, the box has the size of the crop.
    private static func box(_ width: Int, _ height: Int, _ options: ThumbnailOptions) -> (width: Int, height: Int) {
        switch (options.width, options.height) {
        case (let boxWidth?, let boxHeight?): (boxWidth, boxHeight)
        case (let boxWidth?, nil): (boxWidth, proportion(of: height, to: width, times: boxWidth))
        case (nil, let boxHeight?): (proportion(of: width, to: height, times: boxHeight), boxHeight)
        case (nil, nil): (width, height)
        }
    }

    private static func contain(
        _ width: Int, _ height: Int, in box: (width: Int, height: Int), allowsEnlarging: Bool
    ) -> (width: Int, height: Int) {
        if !allowsEnlarging, width <= box.width, height <= box.height { return (width, height) }
        return box.width * height <= box.height * width
            ? (box.width, min(box.height, proportion(of: height, to: width, times: box.width)))
            : (min(box.width, proportion(of: width, to: height, times: box.height)), box.height)
    }

    /// `factor * part / total`, rounded to the nearest, halves up; at least 1.
    private static func proportion(of part: Int, to total: Int, times factor: Int) -> Int {
        max(1, (2 * factor * part + total) / (2 * total))
    }

    /// The start of a segment of `length`, centred on the focal point `point` (0...1) as far as the range 0...`total`
    /// allows.
    private static func start(of length: Double, in total: Double, at point: Double) -> Double {
        min(max(0, total * point - length / 2), total - length)
    }
}

extension ThumbnailGeometry {
    /// The resampling request for the rows as stored.
    ///
    /// - Parameters:
    ///   - storedWidth: Width of the stored image in pixels, at full size.
    ///   - storedHeight: Height of the stored image in pixels, at full size.
    ///   - orientation: The transformation from the stored image to the upright one.
    func request(
        storedWidth: Int, storedHeight: Int, orientation: Orientation, options: ThumbnailOptions
    ) -> ResampleRequest {
        let swaps = orientation.swapsSides
        var request = ResampleRequest(
            sourceWidth: storedWidth, sourceHeight: storedHeight, width: swaps ? height : width,
            height: swaps ? width : height, filter: options.filter)
        request.linearLight = options.linearLight
        let (columns, rows) = (Double(storedWidth), Double(storedHeight))
        (request.cropWidth, request.cropHeight) = swaps ? (cropHeight, cropWidth) : (cropWidth, cropHeight)
        let (x, y) = swaps ? (cropY, cropX) : (cropX, cropY)
        // On an axis that the orientation mirrors, the position counts from the opposite edge.
        request.cropX = orientation.mirrorsStoredColumns ? columns - x - request.cropWidth : x
        request.cropY = orientation.mirrorsStoredRows ? rows - y - request.cropHeight : y
        // Rounding errors may move the crop out of the source: clamp the crop.
        request.cropX = max(0, request.cropX)
        request.cropY = max(0, request.cropY)
        request.cropWidth = min(request.cropWidth, columns - request.cropX)
        request.cropHeight = min(request.cropHeight, rows - request.cropY)
        return request
    }
}

extension Orientation {
    /// True when the first stored column is displayed as the last column or, if the orientation swaps width and height,
    /// as the last row.
    fileprivate var mirrorsStoredColumns: Bool {
        switch self {
        case .upMirrored, .down, .rightMirrored, .left: true
        default: false
        }
    }

    /// True when the first stored row is displayed as the last row or, if the orientation swaps width and height, as
    /// the last column.
    fileprivate var mirrorsStoredRows: Bool {
        switch self {
        case .down, .downMirrored, .right, .rightMirrored: true
        default: false
        }
    }
}

extension ThumbnailOptions {
    /// Returns the size in pixels of an image's thumbnail; nil when the crop has no pixel in the image, or when
    /// ``width``, ``height`` or ``gravity`` is out of its range.
    ///
    /// - Parameters:
    ///   - width: Width of the upright image in pixels, such as ``ImageHeader/displayWidth``, 1 to ``maxSide``; other
    ///     values give nil.
    ///   - height: Height of the upright image in pixels, with the range of `width`.
    public func size(ofWidth width: Int, height: Int) -> (width: Int, height: Int)? {
        guard (1...Self.maxSide).contains(width), (1...Self.maxSide).contains(height), invalidArgument == nil else {
            return nil
        }
        let geometry = ThumbnailGeometry(sourceWidth: width, sourceHeight: height, options: self)
        return geometry.map { ($0.boxWidth, $0.boxHeight) }
    }
}
