import PlatformImage

/// A step after resize and flips, as parsed from a target; ``RenderPlan`` contains the resulting sizes.
enum ImageFilter: Hashable, Sendable {
    /// Rotates clockwise by 1 to 3 quarter turns.
    case rotate(quarterTurns: Int)
    /// Scales both sides by a factor between 0 and 1, exclusive.
    case proportion(FixedDecimal)
    /// Enlarges to the box of the request, when the image is smaller in both directions.
    case upscale
    /// Fills the box of the request around the image.
    case fill(FillColor, blendsTransparency: Bool)
    case pixels(PixelFilter)
}

/// Fill of a canvas.
enum FillColor: Hashable, Sendable {
    case color(RGBA8)
    /// The mean colour of the image.
    case average
    /// The image itself, blurred with radius 50 and stretched over the canvas.
    case blur
}

/// A filter that does not change the size.
enum PixelFilter: Hashable, Sendable {
    case grayscale
    /// Black and white by a threshold (IIIF's quality `bitonal`).
    case bitonal
    /// Composites transparent pixels over the colour.
    case backgroundColor(RGBA8)
    /// Gaussian blur: radius 1 to 150 pixels, sigma over 0.
    case blur(radius: Int, sigma: FixedDecimal)
    /// Wavelet sharpening: amount and radius are at least 0.
    case sharpen(amount: FixedDecimal, radius: FixedDecimal, luminanceOnly: Bool)
    /// Percent of 255 added to every sample, -1000 to 1000; thumbor documents -100 to 100.
    case brightness(Int)
    /// Change of the contrast in percent, -1000 to 1000; thumbor documents -100 to 100.
    case contrast(Int)
    /// Saturation factor: 1 changes nothing, 0 gives gray.
    case saturation(FixedDecimal)
    /// Percent of 255 added to each channel, -1000 to 1000.
    case rgb(red: Int, green: Int, blue: Int)
    case equalize
    /// Radii in pixels, 0 to 999,999,999; the colour fills the corners unless they are transparent.
    case roundCorner(horizontalRadius: Int, verticalRadius: Int, color: RGBA8, isTransparent: Bool)
    /// Matrix of weights in row-major order. Their number is at most ``maxWeights`` and a multiple of `columns`. A
    /// matrix with an even number of rows or columns has no effect.
    case convolution(weights: [FixedDecimal], columns: Int, normalizes: Bool)

    /// Number of weights of the largest convolution, 15 x 15.
    static let maxWeights = 225

    /// The largest blur radius with the exact kernel. The cost per pixel is constant above it.
    static let maxExactRadius = Blur.maxExactRadius

    /// The radius of a blur whose cost per pixel is about that of this filter; at least 1.
    var workRadius: Int {
        switch self {
        case .blur(let radius, _): max(1, min(radius, Self.maxExactRadius))
        // A blur of radius r adds up 2 (2 r + 1) weights per pixel.
        case .convolution(let weights, _, _): max(1, weights.count / 4)
        case .sharpen: 10
        default: 1
        }
    }
}
