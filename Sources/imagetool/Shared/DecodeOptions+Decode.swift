import PlatformImage

extension DecodeOptions {
    /// Options of `imagetool decode` and of `decode` requests of `imagetool worker`.
    ///
    /// - Parameter maxPixels: Limit for one image; `nil` for the default.
    init(isStored: Bool, isStrict: Bool, maxPixels: Int?) {
        self = isStored ? .asStored : DecodeOptions()
        if isStrict { strictness = .corrupt }
        if let maxPixels {
            limits.maxPixels = maxPixels
            // The limit for all frames together must not be smaller than the limit for one frame.
            limits.maxTotalPixels = limits.maxTotalPixels.map { max($0, maxPixels) }
        }
    }
}
