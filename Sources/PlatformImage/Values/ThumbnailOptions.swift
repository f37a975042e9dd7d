/// Size, cropping and quality of a thumbnail. With a size and otherwise default values, the thumbnail contains the
/// complete image, as large as fits into the size, and is never enlarged.
///
/// Sizes, crop and gravity refer to the image as displayed: upright, unless ``DecodeOptions/appliesOrientation`` is
/// false. Colour conversion, orientation and limits come from the decoder's ``DecodeOptions``.
public struct ThumbnailOptions: Hashable, Sendable {
    /// Width in pixels of the box that ``fit`` applies to; nil derives it from ``height`` and the aspect ratio of the
    /// image or its crop.
    ///
    /// 1 to ``maxSide``; with other values every call that makes a thumbnail throws `invalidArgument`.
    public var width: Int?
    /// Height of the box in pixels; nil derives it from ``width``. When both are nil the thumbnail has the size of the
    /// image or its crop.
    ///
    /// 1 to ``maxSide``; with other values every call that makes a thumbnail throws `invalidArgument`.
    public var height: Int?
    /// Method of fitting the image into the box.
    public var fit = ThumbnailFit.contain
    /// Focal point of the part that ``ThumbnailFit/cover`` retains, and position of the image inside the padded box.
    public var gravity = Gravity.center
    /// The part of the image to use, in pixels of the full-size image; nil for the complete image. The part outside of
    /// the image is ignored.
    public var crop: PixelRectangle?
    /// When true, ``ThumbnailFit/contain``, `cover` and `fill` enlarge an image that is smaller than the box.
    public var allowsUpscaling = false
    /// When true, a result that is smaller than the box is padded to the size of the box with ``background``.
    public var padsToBox = false
    /// Colour composited under transparent pixels and used for padding; with nil, transparent pixels and padding are
    /// transparent.
    public var background: RGBA8?
    /// The resampling kernel.
    public var filter = ResampleFilter.lanczos3
    /// When true, resamples in linear light instead of sRGB values: more accurate for fine bright detail on a dark
    /// background, but slower.
    public var linearLight = false
    /// Detail of a JPEG or a lossy WebP that may be skipped for speed.
    public var quality = ThumbnailQuality.balanced
    /// When true, uses the thumbnail that a camera embedded in the file, if that thumbnail is large enough and has the
    /// aspect ratio of the image. This takes almost no time, but the embedded thumbnail may be outdated after an edit
    /// of the image.
    public var usesEmbeddedThumbnail = false
    /// When true, ``ThumbnailQuality/draft`` skips chroma detail only if width and height of the decoded image are at
    /// least eight times those of the result. A result that is encoded as JPEG loses most of this detail again, and a
    /// result in WebP does not (Docs/decisions/0015).
    package var keepsChromaDetail = false

    /// Maximum of ``width`` and ``height`` in pixels.
    public static let maxSide = 1 << 20

    /// Options for a thumbnail that fits into a box of this size in pixels; a nil side is derived from the other side.
    ///
    /// Accepts any number, for example from an HTTP request: the calls that make the thumbnail check the numbers.
    public init(width: Int? = nil, height: Int? = nil, fit: ThumbnailFit = .contain) {
        self.width = width
        self.height = height
        self.fit = fit
    }
}

/// Methods of fitting an image into a box of another aspect ratio. Sizes are rounded to the nearest pixel and are at
/// least 1: 2000 x 1500 contained in 300 x 200 gives 267 x 200; with `cover` it gives 300 x 200.
public enum ThumbnailFit: String, CaseIterable, Sendable {
    /// The complete image, as large as fits into the box; enlarged only with ``ThumbnailOptions/allowsUpscaling``.
    case contain
    /// The smallest size that covers the box; the excess is cropped around ``ThumbnailOptions/gravity``. Without
    /// ``ThumbnailOptions/allowsUpscaling``, an image with a side smaller than the box is cropped but not scaled.
    case cover
    /// Exactly the size of the box; the aspect ratio is not preserved. Without ``ThumbnailOptions/allowsUpscaling``,
    /// no side becomes longer than in the image.
    case fill
    /// As ``contain``, but never enlarged, regardless of ``ThumbnailOptions/allowsUpscaling``.
    case scaleDown
}

/// The amount of detail of a JPEG or a lossy WebP decoded for a thumbnail; other formats are always decoded completely.
///
/// Damage in skipped data of a JPEG is not detected. Of a lossy still WebP without alpha only the interpolation of the
/// chroma is skipped: it is decoded at 1/2 of its width and height when these are at least three times those of the
/// thumbnail, with ``draft`` when they are not smaller than the thumbnail; with ``exact`` never.
public enum ThumbnailQuality: String, CaseIterable, Sendable {
    /// Decodes all data.
    case exact
    /// Skips the last luma refinement of a progressive file when the longer side is reduced by a factor of 4 or more:
    /// the difference is hardly visible.
    case balanced
    /// Reads only the first scans of a progressive file when the longer side is reduced by a factor of 8 or more
    /// (slightly softer fine detail); for a factor from 4 to 8 equal to ``balanced``.
    case fast
    /// As ``fast``, and decodes any JPEG at the smallest of the scales 1/8, 1/4, 1/2 and 1 at which the image or its
    /// crop is not smaller than the thumbnail, like the draft modes of other decoders. The other qualities decode at
    /// least three times the width and height of the thumbnail, except at scale 1.
    ///
    /// In a file that is not progressive, has 4:2:0 chroma and is decoded at 1/8, the decoded chroma has half the width
    /// and height of the decoded luma. Samples that are decoded at 1/4 of their size contain only the lowest
    /// frequencies of each block. This is the fastest quality, with slightly less accurate fine detail.
    case draft
}

/// The focal point of an image: an anchor such as ``topLeft``, or the middle of a face.
///
/// A crop is centred on the point as far as the image's edges allow.
public struct Gravity: Hashable, Sendable {
    /// Horizontal position: 0 is the left edge, 1 the right edge.
    public let x: Double
    /// Vertical position: 0 is the top edge, 1 the bottom edge.
    public let y: Double

    /// Creates a focal point; with a value outside 0...1 every call that makes a thumbnail throws `invalidArgument`.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    public static var topLeft: Self { Self(x: 0, y: 0) }
    public static var top: Self { Self(x: 0.5, y: 0) }
    public static var topRight: Self { Self(x: 1, y: 0) }
    public static var left: Self { Self(x: 0, y: 0.5) }
    public static var center: Self { Self(x: 0.5, y: 0.5) }
    public static var right: Self { Self(x: 1, y: 0.5) }
    public static var bottomLeft: Self { Self(x: 0, y: 1) }
    public static var bottom: Self { Self(x: 0.5, y: 1) }
    public static var bottomRight: Self { Self(x: 1, y: 1) }
}

/// A rectangle in whole pixels.
public struct PixelRectangle: Hashable, Sendable {
    /// Pixels from the image's left edge to the rectangle's left edge; may be negative.
    public var x: Int
    /// Pixels from the image's top edge to the rectangle's top edge; may be negative.
    public var y: Int
    /// Width in pixels.
    public var width: Int
    /// Height in pixels.
    public var height: Int

    /// Creates a rectangle of any size and position; a call that uses a rectangle without a pixel of the image rejects
    /// it.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The intersection with an image of the given size; nil when it is empty.
    func clipped(toWidth imageWidth: Int, height imageHeight: Int) -> Self? {
        guard let columns = Self.clip(x, width, to: imageWidth), let rows = Self.clip(y, height, to: imageHeight)
        else { return nil }
        return Self(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    private static func clip(_ start: Int, _ count: Int, to limit: Int) -> Range<Int>? {
        let (end, overflows) = start.addingReportingOverflow(count)
        // If the sum overflows, a positive `count` extends past the image, and a negative `count` selects no pixel.
        let upper = overflows ? (count > 0 ? limit : 0) : min(limit, end)
        let lower = max(0, start)
        return count > 0 && lower < upper ? lower..<upper : nil
    }
}

extension ThumbnailOptions: CustomStringConvertible {
    /// The options that differ from the defaults, in one line.
    public var description: String {
        let other = ThumbnailOptions()
        var text = ChangedProperties(of: "ThumbnailOptions")
        text.add("width", width, default: other.width)
        text.add("height", height, default: other.height)
        text.add("fit", fit, default: other.fit)
        text.add("gravity", gravity, default: other.gravity)
        text.add("crop", crop, default: other.crop)
        text.add("allowsUpscaling", allowsUpscaling, default: other.allowsUpscaling)
        text.add("padsToBox", padsToBox, default: other.padsToBox)
        text.add("background", text: background == other.background ? nil : background.map { "\($0)" } ?? "nil")
        text.add("filter", filter, default: other.filter)
        text.add("linearLight", linearLight, default: other.linearLight)
        text.add("quality", quality, default: other.quality)
        text.add("usesEmbeddedThumbnail", usesEmbeddedThumbnail, default: other.usesEmbeddedThumbnail)
        text.add("keepsChromaDetail", keepsChromaDetail, default: other.keepsChromaDetail)
        return text.text
    }
}

extension Gravity: CustomStringConvertible {
    /// `Gravity(x: 0.5, y: 0.5)`.
    public var description: String { "Gravity(x: \(x), y: \(y))" }
}

extension ThumbnailOptions {
    /// - Throws: `invalidArgument` when a number is out of its range.
    package func check() throws(DecodeError) {
        if let invalidArgument { throw invalidArgument }
    }

    /// The first option that is out of its range, as an error; nil when all are in range.
    var invalidArgument: DecodeError? {
        do throws(DecodeError) {
            if let width { try DecodeError.check(width, "width", isIn: 1...Self.maxSide) }
            if let height { try DecodeError.check(height, "height", isIn: 1...Self.maxSide) }
            // NaN is in no range.
            guard (0...1).contains(gravity.x), (0...1).contains(gravity.y) else {
                return .invalidArgument("gravity", "(\(gravity.x), \(gravity.y))", allowed: "0...1 each")
            }
            return nil
        } catch {
            return error
        }
    }
}

extension PixelRectangle: CustomStringConvertible {
    /// ImageMagick geometry syntax: `WIDTHxHEIGHT+X+Y`.
    public var description: String { "\(width)x\(height)\(x < 0 ? "" : "+")\(x)\(y < 0 ? "" : "+")\(y)" }
}

/// A resampling kernel: the weights of source pixels in an output pixel.
public enum ResampleFilter: String, CaseIterable, Sendable {
    /// Nearest neighbour: the source pixel under the centre. No new colours, jagged edges.
    case nearest
    /// Box filter: the mean of the covered source area. Enlarging blends only where an output pixel covers a border
    /// between two source pixels.
    case box
    /// Linear interpolation (tent kernel, radius 1 pixel): smooth and soft.
    ///
    /// The raw value, which command lines and URLs use, is `triangle`.
    case bilinear = "triangle"
    /// Cubic with B = C = 1/3, radius 2 pixels (Mitchell and Netravali 1988): little blur, little ringing.
    case mitchell
    /// Windowed sinc (Lanczos), radius 3 pixels: the sharpest.
    case lanczos3
}
