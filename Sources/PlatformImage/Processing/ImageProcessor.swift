/// One step that changes a decoded bitmap, with an identifier for cache keys.
///
/// A built-in processor calls a method of ``Bitmap``. It can be created with any number, for example from a request;
/// ``process(_:limits:cancellation:)`` checks the number. Processors are equal when their identifiers are equal byte by
/// byte.
///
/// ```swift
/// let processors: [ImageProcessor] = [.resize(width: 200, height: 200, fit: .cover), .circle()]
/// ```
public struct ImageProcessor: Hashable, Sendable, CustomStringConvertible {
    /// The operation with all parameters, such as `blur(sigma: 2.5)`: processors with equal identifiers produce equal
    /// results from equal bitmaps.
    ///
    /// The text does not depend on the process or the names of Swift types, so that a program may store it.
    public let identifier: String
    private let operation: Operation

    private init(_ identifier: String, _ operation: Operation) {
        self.identifier = identifier
        self.operation = operation
    }

    /// Applies the operation.
    ///
    /// - Parameters:
    ///   - bitmap: The input, which is not changed.
    ///   - limits: `maxSide` and `maxPixels` apply to the result, `maxMemory` to the result and temporary buffers; for
    ///     a custom processor, to the result only.
    ///   - cancellation: Stops the work within 16 rows when raised. A custom processor must poll it.
    /// - Throws: `invalidArgument` when a parameter is out of its range, `emptyCrop`, `limitExceeded`, `outOfMemory`,
    ///   `cancelled`, also when a custom processor throws `CancellationError`; `processorFailed` when a custom
    ///   processor throws another error that is not a ``DecodeError``.
    public func process(
        _ bitmap: Bitmap, limits: DecodeLimits = DecodeLimits(), cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> Bitmap {
        try cancellation?.poll()
        switch operation {
        case .resize(let options):
            return try bitmap.thumbnail(options: options, limits: limits, cancellation: cancellation)
        case .crop(let rectangle): return try Self.crop(bitmap, rectangle, limits)
        case .roundedCorners(let radius):
            return try bitmap.withRoundedCorners(radius: radius, limits: limits, cancellation: cancellation)
        case .circle: return try bitmap.croppedToCircle(limits: limits, cancellation: cancellation)
        case .blur(let sigma): return try bitmap.blurred(sigma: sigma, limits: limits, cancellation: cancellation)
        case .sharpen(let amount, let radius, let luminanceOnly):
            return try bitmap.sharpened(
                amount: amount, radius: radius, luminanceOnly: luminanceOnly, limits: limits,
                cancellation: cancellation)
        case .tint(let color): return try bitmap.tinted(with: color, limits: limits, cancellation: cancellation)
        case .grayscale: return try bitmap.grayscale(limits: limits, cancellation: cancellation)
        case .brightness(let percent):
            return try bitmap.adjustingBrightness(byPercent: percent, limits: limits, cancellation: cancellation)
        case .contrast(let percent):
            return try bitmap.adjustingContrast(byPercent: percent, limits: limits, cancellation: cancellation)
        case .saturation(let factor):
            return try bitmap.adjustingSaturation(byFactor: factor, limits: limits, cancellation: cancellation)
        case .custom(let name, let body):
            return try Self.run(body, name, bitmap, limits, cancellation)
        }
    }

    private static func crop(
        _ bitmap: Bitmap, _ rectangle: PixelRectangle, _ limits: DecodeLimits
    ) throws(DecodeError) -> Bitmap {
        if let part = rectangle.clipped(toWidth: bitmap.width, height: bitmap.height) {
            try limits.checkBitmap(width: part.width, height: part.height)
        }
        return try bitmap.cropped(to: rectangle)
    }

    private static func run(
        _ body: CustomProcess, _ name: String, _ bitmap: Bitmap, _ limits: DecodeLimits, _ flag: CancellationFlag?
    ) throws(DecodeError) -> Bitmap {
        let result: Bitmap
        do {
            result = try body(bitmap, flag)
        } catch let error as DecodeError {
            throw error
        } catch is CancellationError {
            throw DecodeError(.cancelled, "cancelled")
        } catch {
            throw DecodeError(.processorFailed, detail: name, "the image processor \(name) failed: \(error)")
        }
        try flag?.poll()
        try limits.checkBitmap(width: result.width, height: result.height)
        return result
    }

    /// The ``identifier``.
    public var description: String { identifier }

    /// Compares the identifiers byte by byte: `é` as one Unicode scalar and as two scalars are different.
    public static func == (a: Self, b: Self) -> Bool { a.identifier.utf8.elementsEqual(b.identifier.utf8) }

    public func hash(into hasher: inout Hasher) {
        for byte in identifier.utf8 { hasher.combine(byte) }
    }
}

extension ImageProcessor {
    private typealias CustomProcess = @Sendable (Bitmap, CancellationFlag?) throws -> Bitmap

    private enum Operation: Sendable {
        case resize(ThumbnailOptions)
        case crop(PixelRectangle)
        case roundedCorners(Double)
        case circle
        case blur(Double)
        case sharpen(amount: Double, radius: Double, luminanceOnly: Bool)
        case tint(RGBA8)
        case grayscale
        case brightness(Int)
        case contrast(Int)
        case saturation(Double)
        case custom(String, CustomProcess)
    }

    /// Makes a thumbnail, as ``Bitmap/thumbnail(options:limits:cancellation:)`` does.
    public static func resize(_ options: ThumbnailOptions) -> Self {
        Self("resize(\(options.cacheVariant))", .resize(options))
    }

    /// Fits the image into a box, as ``Bitmap/thumbnail(options:limits:cancellation:)`` does; never enlarges it.
    ///
    /// - Parameters:
    ///   - width: Width of the box in pixels, 1 to ``ThumbnailOptions/maxSide``; nil derives it from the height and the
    ///     aspect ratio of the image.
    ///   - height: Height of the box in pixels, with the range of `width`; nil derives it from the width.
    ///   - fit: Method of fitting the image into the box.
    public static func resize(width: Int? = nil, height: Int? = nil, fit: ThumbnailFit = .contain) -> Self {
        resize(ThumbnailOptions(width: width, height: height, fit: fit))
    }

    /// Crops to a rectangle, as ``Bitmap/cropped(to:)`` does; one without a pixel of the image throws `emptyCrop`.
    public static func crop(_ rectangle: PixelRectangle) -> Self {
        Self("crop(\(rectangle))", .crop(rectangle))
    }

    /// Makes the corners transparent, as ``Bitmap/withRoundedCorners(radius:limits:cancellation:)`` does.
    ///
    /// - Parameter radius: Pixels, 0 to 1,000,000,000.
    public static func roundedCorners(radius: Double) -> Self {
        Self("roundedCorners(radius: \(radius))", .roundedCorners(radius))
    }

    /// Crops to the centred square and its inscribed circle, as ``Bitmap/croppedToCircle(limits:cancellation:)`` does.
    public static func circle() -> Self { Self("circle()", .circle) }

    /// Blurs with a Gaussian, as ``Bitmap/blurred(sigma:limits:cancellation:)`` does.
    ///
    /// - Parameter sigma: Standard deviation in pixels, 0 to 250.
    public static func blur(sigma: Double) -> Self { Self("blur(sigma: \(sigma))", .blur(sigma)) }

    /// Amplifies detail, as ``Bitmap/sharpened(amount:radius:luminanceOnly:limits:cancellation:)`` does.
    ///
    /// - Parameters:
    ///   - amount: Strength, 0 to 1,000.
    ///   - radius: Scale with the largest gain, 0 to 1,000; 0 is the finest detail.
    ///   - luminanceOnly: True sharpens luma only, which avoids colour fringes.
    public static func sharpen(amount: Double, radius: Double = 0, luminanceOnly: Bool = true) -> Self {
        Self(
            "sharpen(amount: \(amount), radius: \(radius), luminanceOnly: \(luminanceOnly))",
            .sharpen(amount: amount, radius: radius, luminanceOnly: luminanceOnly))
    }

    /// Composites a colour over the image's pixels, as ``Bitmap/tinted(with:limits:cancellation:)`` does: source-atop,
    /// so that alpha is unchanged.
    public static func tint(_ color: RGBA8) -> Self { Self("tint(\(color))", .tint(color)) }

    /// Replaces colours by their luma, as ``Bitmap/grayscale(limits:cancellation:)`` does.
    public static func grayscale() -> Self { Self("grayscale()", .grayscale) }

    /// Adds a fraction of 255 to the colours, as ``Bitmap/adjustingBrightness(byPercent:limits:cancellation:)`` does.
    ///
    /// - Parameter percent: -1,000 to 1,000.
    public static func brightness(percent: Int) -> Self {
        Self("brightness(percent: \(percent))", .brightness(percent))
    }

    /// Changes the contrast, as ``Bitmap/adjustingContrast(byPercent:limits:cancellation:)`` does.
    ///
    /// - Parameter percent: -1,000 to 1,000.
    public static func contrast(percent: Int) -> Self { Self("contrast(percent: \(percent))", .contrast(percent)) }

    /// Scales the saturation, as ``Bitmap/adjustingSaturation(byFactor:limits:cancellation:)`` does.
    ///
    /// - Parameter factor: -1,000 to 1,000; 0 gives gray, 1 changes nothing.
    public static func saturation(factor: Double) -> Self {
        Self("saturation(factor: \(factor))", .saturation(factor))
    }

    /// A processor that calls a function.
    ///
    /// - Parameters:
    ///   - identifier: Any text that is unique for the operation and its parameters; it becomes a part of cache keys.
    ///     Two custom processors with equal identifiers are equal. It cannot collide with a built-in processor.
    ///   - process: Returns the result, from any thread and possibly several threads at once. It should call
    ///     ``CancellationFlag/isCancelled`` during long work and throw `CancellationError` when the flag is raised.
    public static func custom(
        identifier: String, _ process: @escaping @Sendable (Bitmap, CancellationFlag?) throws -> Bitmap
    ) -> Self {
        // No built-in identifier starts with `custom(`, and the added text is constant: different texts stay different.
        Self("custom(\(identifier))", .custom(identifier, process))
    }
}

extension ImageProcessor {
    /// Upper bound in bytes of the memory that ``process(_:limits:cancellation:)`` allocates for an input of this size,
    /// including its result, and the size of the result in pixels.
    ///
    /// For a resize, a crop or a blur that throws `invalidArgument` or `emptyCrop`, 0 bytes and the size of the input;
    /// the bounds of other processors do not depend on their parameters. For a custom processor the bound is an
    /// assumption: its result has the size of the input, and it allocates one more bitmap of this size.
    ///
    /// - Parameters:
    ///   - width: Width of the input in pixels, at least 1. The sums cannot overflow for a bitmap that fits into memory
    ///     or for a result of `memory`.
    ///   - height: Height of the input in pixels, at least 1.
    package func memory(width: Int, height: Int) -> (byteCount: Int, width: Int, height: Int) {
        let copy = PixelStorage.allocatedByteCount(width * height * 4)
        func same(scratch: Int = 0) -> (byteCount: Int, width: Int, height: Int) { (copy + scratch, width, height) }
        switch operation {
        case .resize(let options): return Self.resizeMemory(options, width, height)
        case .crop(let rectangle):
            return Self.cropMemory(rectangle, width, height)
        case .roundedCorners: return same()
        case .circle:
            let side = min(width, height)
            let square = PixelStorage.allocatedByteCount(side * side * 4)
            return (width == height ? square : 2 * square, side, side)
        case .blur(let sigma):
            guard (0...Blur.maxSigma).contains(sigma) else { return (0, width, height) }
            return same(scratch: Blur.scratchByteCount(sigma: sigma, width: width, height: height))
        case .sharpen: return same(scratch: Sharpening.scratchByteCount(width: width, height: height))
        case .tint, .grayscale, .brightness, .contrast, .saturation: return same(scratch: ToneCurves.byteCount)
        case .custom: return same(scratch: copy)
        }
    }

    private static func resizeMemory(
        _ options: ThumbnailOptions, _ width: Int, _ height: Int
    ) -> (byteCount: Int, width: Int, height: Int) {
        guard
            let geometry = try? ThumbnailGeometry(
                sourceWidth: width, sourceHeight: height, limits: .unlimited, options: options)
        else { return (0, width, height) }
        let byteCount = geometry.resizedByteCount(sourceWidth: width, sourceHeight: height, options: options)
        return (byteCount, geometry.boxWidth, geometry.boxHeight)
    }

    private static func cropMemory(
        _ rectangle: PixelRectangle, _ width: Int, _ height: Int
    ) -> (byteCount: Int, width: Int, height: Int) {
        guard let part = rectangle.clipped(toWidth: width, height: height) else { return (0, width, height) }
        return (PixelStorage.allocatedByteCount(part.width * part.height * 4), part.width, part.height)
    }
}

extension [ImageProcessor] {
    /// The list as a part of a cache key: different lists have different texts. Empty for an empty list.
    ///
    /// Each identifier follows its length in UTF-8 bytes and a colon, so that identifiers may contain any text.
    package var cacheVariant: String {
        map { "\($0.identifier.utf8.count):\($0.identifier)" }.joined()
    }
}
