import PlatformImage

/// Output format of a result, as far as the source's header and the size of the result determine it.
enum ResultFormat: Hashable {
    /// One frame in this format.
    case still(EncodedFormat)
    /// One frame: the first format when all pixels of the result are opaque, otherwise the second one.
    case byOpacity(opaque: EncodedFormat, transparent: EncodedFormat)
    /// All frames of an animated source.
    case animation(NegotiatedFormat)

    /// Maximum width and height of a WebP in pixels.
    static let maxWebPSide = 16_383

    /// Chooses the format: the requested one if it has an encoder, otherwise the one that negotiation selects for the
    /// default format of the source.
    ///
    /// The default format of a JPEG, PNG or GIF source is that of the source. A GIF with transparent pixels becomes
    /// PNG, because GIF pixels are either opaque or transparent. A WebP becomes JPEG, or PNG with transparent pixels.
    /// Other sources become PNG when they may have transparency or a palette, JPEG otherwise. With
    /// ``OutputFormatRequest/prefersJPEG``, an opaque result becomes JPEG instead of PNG or GIF.
    ///
    /// - Parameters:
    ///   - source: Header of the source with its frame count.
    ///   - mayAnimate: False when the source is too large for a result with all frames.
    ///   - width, height: Size of the result in pixels; a result that is too large for WebP has the default format.
    init(_ request: OutputFormatRequest, source: ImageHeader, width: Int, height: Int, mayAnimate: Bool = true) {
        let fitsWebP = max(width, height) <= Self.maxWebPSide
        let isAnimated =
            mayAnimate && !request.isStill && source.format.isAnimatable && (source.frameCount ?? 1) > 1
        if let format = request.format.flatMap(EncodedFormat.init), fitsWebP || format != .webp {
            let animation: NegotiatedFormat? = format == .webp ? .webp : format == .gif ? .gif : nil
            self = isAnimated ? animation.map { .animation($0) } ?? .still(format) : .still(format)
            return
        }
        let negotiated = fitsWebP ? request.negotiated : .standard
        if isAnimated, request.format == nil, let animation = negotiated.animation(of: source.format) {
            self = .animation(animation)
            return
        }
        let standard = Self.standardFormats(request, source)
        let (opaque, transparent) = (negotiated.still(standard.opaque), negotiated.still(standard.transparent))
        self = opaque == transparent ? .still(opaque) : .byOpacity(opaque: opaque, transparent: transparent)
    }

    /// True when the format depends on the pixels of the result.
    var dependsOnOpacity: Bool {
        if case .byOpacity = self { true } else { false }
    }

    /// Returns the format of a result with one frame.
    func still(isOpaque: Bool) -> EncodedFormat {
        switch self {
        case .still(let format): format
        case .byOpacity(let opaque, let transparent): isOpaque ? opaque : transparent
        case .animation(let format): format.encoded
        }
    }

    /// Default formats of an opaque and of a transparent result.
    private static func standardFormats(
        _ request: OutputFormatRequest, _ source: ImageHeader
    ) -> (opaque: EncodedFormat, transparent: EncodedFormat) {
        switch source.format {
        case .jpeg: return (.jpeg, .jpeg)
        case .webp: return (.jpeg, source.hasAlpha ? .png : .jpeg)
        case .gif: return (request.prefersJPEG ? .jpeg : .gif, source.hasAlpha ? .png : .gif)
        case .png: return (request.prefersJPEG ? .jpeg : .png, .png)
        default:
            let needsPNG = source.hasAlpha || source.colorModel == .indexed
            return (needsPNG && !request.prefersJPEG ? .png : .jpeg, needsPNG ? .png : .jpeg)
        }
    }
}
