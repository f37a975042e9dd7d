#if Service
import PlatformImage

/// One step after resize and flips, as a target asks for it. ``RenderPlan`` says which sizes follow.
enum ImageFilter: Hashable, Sendable {
    /// Clockwise, 1 to 3.
    case rotate(quarterTurns: Int)
    /// Both sides times a factor over 0 and below 1.
    case proportion(FixedDecimal)
    /// As large as the box of the request, when the picture is smaller in both directions.
    case upscale
    /// Fills the box of the request around the picture.
    case fill(FillColor, blendsTransparency: Bool)
    case pixels(PixelFilter)
}

/// What a canvas is filled with.
enum FillColor: Hashable, Sendable {
    case color(RGBA8)
    /// The mean colour of the picture.
    case average
    /// The picture itself, blurred with radius 50 and stretched over the canvas.
    case blur
}

/// A filter that leaves the size as it is.
enum PixelFilter: Hashable, Sendable {
    case grayscale
    /// Black or white alone (IIIF's quality `bitonal`).
    case bitonal
    /// Laid under transparent pixels.
    case backgroundColor(RGBA8)
    /// A Gaussian: radius 1 to 150 pixels, sigma over 0.
    case blur(radius: Int, sigma: FixedDecimal)
    /// Amount and radius at least 0.
    case sharpen(amount: FixedDecimal, radius: FixedDecimal, luminanceOnly: Bool)
    /// Per cent, -1000 to 1000; thumbor documents -100 to 100.
    case brightness(Int)
    /// Per cent, -1000 to 1000; thumbor documents -100 to 100.
    case contrast(Int)
    /// 1 changes nothing, 0 is gray.
    case saturation(FixedDecimal)
    /// Per cent added to each channel, -1000 to 1000.
    case rgb(red: Int, green: Int, blue: Int)
    case equalize
    /// Radii in pixels, 0 to 999,999,999; the colour is that of the corners unless they are transparent.
    case roundCorner(horizontalRadius: Int, verticalRadius: Int, color: RGBA8, isTransparent: Bool)
    /// At most ``maxWeights`` weights, row by row, a multiple of `columns`.
    case convolution(weights: [FixedDecimal], columns: Int, normalizes: Bool)

    /// Weights of the largest convolution, 15 x 15.
    static let maxWeights = 225

    /// The largest radius of a blur at which every weight is used. Above it the work for a pixel no longer grows.
    static let maxExactRadius = 20

    /// The radius of a blur that takes about as long for a pixel; at least 1.
    var workRadius: Int {
        switch self {
        case .blur(let radius, _): max(1, min(radius, Self.maxExactRadius))
        // A blur of radius r adds up 2 (2 r + 1) weights for a pixel.
        case .convolution(let weights, _, _): max(1, weights.count / 4)
        case .sharpen: 10
        default: 1
        }
    }
}
#endif
