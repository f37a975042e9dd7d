#if Service
import PlatformImage

// Sides of plans are at most 8,192 unless configured otherwise, so the products here fit by far.
extension RenderPlan {
    /// An upper estimate of the bytes that flips, steps and encoding hold at once, pixels included.
    var byteCountAfterDecode: Int {
        var (width, height) = (width, height)
        // The resampled picture is not let go of before the last step.
        let first = steps.isEmpty ? 0 : width * height * 4
        var most = 2 * width * height * 4
        for step in steps {
            let before = width * height * 4
            var scratch = 0
            switch step {
            case .resize(let newWidth, let newHeight):
                // The resampler keeps rows of 32-bit numbers, as many as its filter reaches over.
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
            most = max(most, first + before + width * height * 4 + scratch)
        }
        return max(most, first + width * height * 4 + Self.encodingByteCount(width: width, height: height))
    }

    /// What an encoder holds: coefficients of a JPEG take 3 bytes a pixel, 6 without subsampling, the rows of a PNG 4
    /// before and after compression.
    private static func encodingByteCount(width: Int, height: Int) -> Int { 8 * width * height + 256 << 10 }

    /// How large ``region`` is made for the search of ``isCropSearched``.
    var searchedSize: (width: Int, height: Int) {
        let side = Self.searchedSide
        let longer = max(region.width, region.height)
        guard longer > side else { return (region.width, region.height) }
        return (max(1, region.width * side / longer), max(1, region.height * side / longer))
    }
}

extension PixelFilter {
    /// Bytes that the filter needs besides the two pictures.
    fileprivate func scratchByteCount(width: Int, height: Int) -> Int {
        switch self {
        case .blur(let radius, _): Blur(radius: radius).scratchByteCount(width: width)
        case .sharpen: Sharpening.scratchByteCount(width: width, height: height)
        case .convolution(let weights, let columns, _):
            (weights.count / max(1, columns) + 2) * (width + columns) * 16
        case .roundCorner: width * height / 2
        default: 0
        }
    }
}
#endif
