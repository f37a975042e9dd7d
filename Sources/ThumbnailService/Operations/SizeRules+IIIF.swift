import PlatformImage

extension SizeRules {
    /// Resolves the size of an IIIF request (Image API 3.0, section 4.2).
    ///
    /// - Throws: `malformed` for an upscaling without `^`, `limit` with status 400 for a size over a limit.
    func size(_ size: IIIFSize, of region: PixelRectangle) throws(ServiceError) -> (width: Int, height: Int) {
        let result = try resolved(size, of: region)
        guard size.allowsUpscaling || (result.width <= region.width && result.height <= region.height) else {
            throw .malformed(
                "the size \(result.width),\(result.height) is larger than the region and requires the prefix ^")
        }
        guard isWithin(result) else {
            // IIIF requires status 400; other dialects use 422.
            throw ServiceError(
                .limit, status: 400,
                "the size \(result.width),\(result.height) exceeds the maximum of \(maxSide) pixels per side or of "
                    + "\(maxPixels) pixels in total")
        }
        return result
    }

    private func resolved(
        _ size: IIIFSize, of region: PixelRectangle
    ) throws(ServiceError) -> (width: Int, height: Int) {
        switch size.form {
        case .max: return largest(of: region, allowsUpscaling: size.allowsUpscaling)
        case .width(let width): return (width, Self.side(region.height * width, over: region.width))
        case .height(let height): return (Self.side(region.width * height, over: region.height), height)
        case .exact(let width, let height): return (width, height)
        case .percent(let percent):
            return (max(1, percent.percent(of: region.width)), max(1, percent.percent(of: region.height)))
        case .confined(let width, let height):
            let isLarger = width > region.width && height > region.height
            if isLarger, !size.allowsUpscaling, clampsConfinedSizes {
                return largest(of: region, allowsUpscaling: false)
            }
            return region.width * height >= region.height * width
                ? (width, Self.side(region.height * width, over: region.width))
                : (Self.side(region.width * height, over: region.height), height)
        }
    }

    /// Returns the largest size with the region's aspect ratio within the limits. Without upscaling, it is at most the
    /// size of the region.
    func largest(of region: PixelRectangle, allowsUpscaling: Bool) -> (width: Int, height: Int) {
        if !allowsUpscaling, isWithin((region.width, region.height)) { return (region.width, region.height) }
        // Binary search over the longer side: the shorter one grows monotonically with it.
        let (longer, shorter) = (max(region.width, region.height), min(region.width, region.height))
        var (low, high) = (1, allowsUpscaling ? maxSide : min(maxSide, longer))
        while low < high {
            let side = (low + high + 1) / 2
            if isWithin((side, Self.side(shorter * side, over: longer))) { low = side } else { high = side - 1 }
        }
        let other = Self.side(shorter * low, over: longer)
        return region.width >= region.height ? (low, other) : (other, low)
    }

    private func isWithin(_ size: (width: Int, height: Int)) -> Bool {
        size.width <= maxSide && size.height <= maxSide && size.width * size.height <= maxPixels
    }

    /// Returns the quotient rounded half up, at least 1.
    private static func side(_ dividend: Int, over divisor: Int) -> Int {
        max(1, (2 * dividend + divisor) / (2 * divisor))
    }
}
