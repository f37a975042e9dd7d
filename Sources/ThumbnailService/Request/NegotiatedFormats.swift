import PlatformImage

/// Format that content negotiation can select. An animated PNG is separate from PNG, because clients name it
/// separately.
public enum NegotiatedFormat: String, Hashable, Sendable, CaseIterable {
    /// WebP, still or animated; only if the package is built with the trait `WebP`.
    case webp
    /// Animated PNG, for animated sources only.
    case apng
    /// PNG with one frame.
    case png
    /// JPEG.
    case jpeg
    /// GIF, still or animated.
    case gif

    /// Format of the encoder.
    var encoded: EncodedFormat {
        switch self {
        case .webp: .webp
        case .apng, .png: .png
        case .jpeg: .jpeg
        case .gif: .gif
        }
    }

    /// Formats whose encoders are built in.
    static let available = allCases.filter(\.encoded.isAvailable)
}

/// Output formats by the default format of a result: the normal form of an Accept field.
///
/// Fields with equal tables have equal results, so the table is a part of the cache key, and not the field.
struct NegotiatedFormats: Hashable, Sendable {
    /// Format of a still result whose default format is JPEG.
    var jpeg = NegotiatedFormat.jpeg
    /// Format of a still result whose default format is PNG.
    var png = NegotiatedFormat.png
    /// Format of a still result whose default format is GIF.
    var gif = NegotiatedFormat.gif
    /// Format for all frames of an animated GIF; nil for a still result.
    var animatedGIF: NegotiatedFormat? = .gif
    /// Format for all frames of an animated PNG or WebP; nil for a still result.
    var otherAnimation: NegotiatedFormat?
    /// Formats that a search for the smallest file may select (``ResultEncoding/searchBudget``); empty without a
    /// search.
    var candidates: Set<NegotiatedFormat> = []

    /// Formats without negotiation.
    static let standard = NegotiatedFormats()

    /// Returns the format of a still result.
    ///
    /// - Parameter format: The default format of the result: JPEG, PNG or GIF.
    func still(_ format: EncodedFormat) -> EncodedFormat {
        switch format {
        case .jpeg: jpeg.encoded
        case .png: png.encoded
        case .gif: gif.encoded
        default: format
        }
    }

    /// Returns the format for all frames of an animated source; nil for a still result.
    func animation(of source: ImageFormat) -> NegotiatedFormat? { source == .gif ? animatedGIF : otherAnimation }

    /// The table as numbers for the canonical form. The numbers must not change.
    var numbers: [Int] {
        let search = candidates.reduce(0) { $0 | 1 << $1.number }
        return [jpeg.number, png.number, gif.number, animatedGIF?.number ?? 0, otherAnimation?.number ?? 0, search]
    }
}

extension NegotiatedFormat {
    fileprivate var number: Int {
        switch self {
        case .jpeg: 1
        case .png: 2
        case .gif: 3
        case .webp: 4
        case .apng: 5
        }
    }
}
