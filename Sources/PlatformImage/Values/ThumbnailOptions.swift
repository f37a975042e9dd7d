/// Which small picture to make of a large one. The defaults, with a size, give what a gallery shows: the whole picture,
/// as large as fits, never enlarged.
///
/// Sizes, crop and gravity mean the picture as shown: upright, unless ``DecodeOptions/appliesOrientation`` is off.
/// Colours, orientation and limits are the decoder's ``DecodeOptions``.
public struct ThumbnailOptions: Hashable, Sendable {
    /// Pixels in a row of the box that ``fit`` is about; nil follows from ``height`` by the picture's aspect ratio.
    ///
    /// 1 to ``maxSide``; with other values every call that makes a thumbnail throws `invalidArgument`.
    public var width: Int?
    /// Rows of the box; nil follows from ``width``. With neither, the thumbnail has the size of the picture or its
    /// crop.
    ///
    /// 1 to ``maxSide``; with other values every call that makes a thumbnail throws `invalidArgument`.
    public var height: Int?
    /// How the picture goes into the box.
    public var fit = ThumbnailFit.contain
    /// Which part ``ThumbnailFit/cover`` keeps, and where padding puts the picture.
    public var gravity = Gravity.center
    /// The part of the picture that is used, in pixels of the full size; nil for all of it. What lies outside the
    /// picture is cut off.
    public var crop: PixelRectangle?
    /// Lets ``ThumbnailFit/contain``, `cover` and `fill` enlarge a picture that is smaller than the box.
    public var allowsUpscaling = false
    /// Fills the box around a picture that is smaller, with ``background``; the thumbnail then has the size of the box.
    public var padsToBox = false
    /// The colour laid under transparent pixels and into padding; nil leaves them transparent.
    public var background: RGBA8?
    /// How source pixels weigh in one of the thumbnail.
    public var filter = ResampleFilter.lanczos3
    /// Weighs amounts of light and not sRGB values: truer for fine bright detail on dark, slower.
    public var weighsLight = false
    /// What may be left out of a JPEG.
    public var quality = ThumbnailQuality.balanced
    /// Takes the thumbnail inside a camera's file when it is large enough and has the picture's aspect ratio. It costs
    /// next to nothing, but an editor may have left an old one.
    public var usesEmbeddedThumbnail = false

    /// The most that ``width`` and ``height`` may be.
    public static let maxSide = 1 << 20

    /// A thumbnail that fits into a box of this size, in pixels; nil follows from the other.
    ///
    /// Accepts any number, so that numbers of a request can be passed on: the calls that make the thumbnail check them.
    public init(width: Int? = nil, height: Int? = nil, fit: ThumbnailFit = .contain) {
        self.width = width
        self.height = height
        self.fit = fit
    }
}

/// How a picture goes into a box of another aspect ratio. Sizes are rounded to the nearest pixel and never 0:
/// 2000 x 1500 into 300 x 200 gives 267 x 200, and covers as 300 x 200.
public enum ThumbnailFit: String, CaseIterable, Sendable {
    /// The whole picture, as large as the box has room for.
    case contain
    /// As small as covers the box; what sticks out is cut off on the side that ``ThumbnailOptions/gravity`` says.
    case cover
    /// Exactly the box; the aspect ratio is lost.
    case fill
    /// As ``contain``, but never enlarged, whatever ``ThumbnailOptions/allowsUpscaling`` says.
    case scaleDown
}

/// How much of a JPEG is read for a thumbnail; other files are always read as a whole.
///
/// Damage in what is left out is not seen.
public enum ThumbnailQuality: String, CaseIterable, Sendable {
    /// All of it.
    case exact
    /// Of a progressive file, from a reduction of 4 on, all but the last refinement of luma, which such a picture
    /// hardly shows.
    case balanced
    /// Of a progressive file, from a reduction of 8 on, only the first scans: a little softer in fine detail. From 4
    /// on, as ``balanced``.
    case fast
    /// As ``fast``, and any file is decoded at the smallest of the scales 1/8, 1/4, 1/2 and 1 that is no smaller than
    /// the thumbnail, as the draft modes of other decoders do; the others keep three times its pixels to shrink from.
    /// At 1/8, colour that was stored at half the size (4:2:0) keeps it, as a JPEG of the thumbnail would. Least work,
    /// with fine detail a little less true.
    case draft
}

/// The point of a picture that has to stay in view: a place such as ``topLeft``, or the middle of a face.
///
/// A cut has the point in its middle, as far as the edges allow.
public struct Gravity: Hashable, Sendable {
    /// From the left edge, 0, to the right one, 1.
    public let x: Double
    /// From the top edge, 0, to the bottom one, 1.
    public let y: Double

    /// A focal point; with a value outside 0...1 every call that makes a thumbnail throws `invalidArgument`.
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

/// A part of a picture in whole pixels.
public struct PixelRectangle: Hashable, Sendable {
    /// Pixels from the left edge to the rectangle's; may be negative.
    public var x: Int
    /// Pixels from the top edge to the rectangle's; may be negative.
    public var y: Int
    /// Pixels in a row.
    public var width: Int
    /// Rows.
    public var height: Int

    /// A rectangle of any size and place; one that has no pixel in a picture is refused where it is used.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// What lies in a picture of that size; nil when nothing does.
    func clipped(toWidth pictureWidth: Int, height pictureHeight: Int) -> Self? {
        guard let columns = Self.clip(x, width, to: pictureWidth), let rows = Self.clip(y, height, to: pictureHeight)
        else { return nil }
        return Self(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    private static func clip(_ start: Int, _ count: Int, to limit: Int) -> Range<Int>? {
        let (end, overflows) = start.addingReportingOverflow(count)
        // Only a positive count far to the right can overflow to where something would be left.
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
        text.add("weighsLight", weighsLight, default: other.weighsLight)
        text.add("quality", quality, default: other.quality)
        text.add("usesEmbeddedThumbnail", usesEmbeddedThumbnail, default: other.usesEmbeddedThumbnail)
        return text.text
    }
}

extension Gravity: CustomStringConvertible {
    /// `Gravity(x: 0.5, y: 0.5)`.
    public var description: String { "Gravity(x: \(x), y: \(y))" }
}

extension ThumbnailOptions {
    /// - Throws: `invalidArgument` when a number is out of its range.
    func check() throws(DecodeError) {
        if let invalidArgument { throw invalidArgument }
    }

    /// The first option that is out of its range, as an error; nil when all are in range.
    var invalidArgument: DecodeError? {
        do throws(DecodeError) {
            if let width { try DecodeError.check(width, "width", isIn: 1...Self.maxSide) }
            if let height { try DecodeError.check(height, "height", isIn: 1...Self.maxSide) }
            // A NaN is in no range.
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
    /// As ImageMagick writes it: `WIDTHxHEIGHT+X+Y`.
    public var description: String { "\(width)x\(height)\(x < 0 ? "" : "+")\(x)\(y < 0 ? "" : "+")\(y)" }
}

/// How source pixels weigh in an output pixel.
public enum ResampleFilter: String, CaseIterable, Sendable {
    /// The source pixel under the centre: no new colours, jagged edges.
    case nearest
    /// The mean of what an output pixel covers; enlarged, it blends only where one covers a border between two.
    case box
    /// Linear, 1 pixel to each side: smooth and soft.
    case triangle
    /// Cubic with B = C = 1/3, 2 pixels to each side (Mitchell and Netravali 1988): little blur, little ringing.
    case mitchell
    /// Windowed sinc, 3 pixels to each side: the sharpest.
    case lanczos3
}
