import PlatformImage

// The sides of a plan are limited by ``SizeRules/maxSide``, which can be configured up to 65,535, so the products here
// cannot overflow.
extension RenderPlan {
    /// Upper estimate of the peak memory of flips, steps and encoding in bytes, including the pixels.
    ///
    /// - Parameter encoder: Returns the memory of the encoder in bytes for an image of a width and a height.
    func byteCountAfterDecode(encoder: (_ width: Int, _ height: Int) -> Int) -> Int {
        var (width, height) = (width, height)
        // The resampled image stays in memory until the last step.
        let first = steps.isEmpty ? 0 : width * height * 4
        var peak = 2 * width * height * 4
        for step in steps {
            let before = width * height * 4
            var scratch = 0
            switch step {
            case .resize(let newWidth, let newHeight):
                // The resampler buffers rows of 32-bit samples, as many as its filter spans.
                scratch = 16 * (width + newWidth) * (8 + 8 * height / max(1, newHeight))
                (width, height) = (newWidth, newHeight)
            case .rotate(let turns): if turns % 2 == 1 { swap(&width, &height) }
            case .fill(let canvas):
                if canvas.color == .blur {
                    scratch = before + canvas.width * canvas.height * 4
                    scratch += Blur(radius: 50).scratchByteCount(width: width)
                }
                (width, height) = (canvas.width, canvas.height)
            case .filter(let filter): scratch = filter.scratchByteCount(width: width, height: height)
            }
            peak = max(peak, first + before + width * height * 4 + scratch)
        }
        return max(peak, first + width * height * 4 + encoder(width, height))
    }

    /// Size to which ``region`` is reduced for the crop search (``isCropSearched``).
    var searchedSize: (width: Int, height: Int) {
        let side = Self.searchedSide
        let longer = max(region.width, region.height)
        guard longer > side else { return (region.width, region.height) }
        return (max(1, region.width * side / longer), max(1, region.height * side / longer))
    }
}

extension PixelFilter {
    /// Scratch bytes of the filter, without the source and the result.
    fileprivate func scratchByteCount(width: Int, height: Int) -> Int {
        switch self {
        case .blur(let radius, _): Blur(radius: radius).scratchByteCount(width: width)
        case .sharpen: Sharpening.scratchByteCount(width: width, height: height)
        case .convolution(let weights, let columns, _):
            (weights.count / max(1, columns) + 2) * (width + columns) * 16
        default: 0
        }
    }
}
