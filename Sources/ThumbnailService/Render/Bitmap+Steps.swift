import PlatformImage

extension Bitmap {
    /// Applies the flips of a plan, then its steps in order, to the resampled image.
    func finished(by plan: RenderPlan, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        var bitmap = self
        switch (plan.flipsHorizontally, plan.flipsVertically) {
        case (true, true): bitmap = try bitmap.oriented(.down)
        case (true, false): bitmap = try bitmap.oriented(.upMirrored)
        case (false, true): bitmap = try bitmap.oriented(.downMirrored)
        case (false, false): break
        }
        for step in plan.steps {
            try cancellation?.poll()
            bitmap = try bitmap.applying(step, cancellation: cancellation)
        }
        return bitmap
    }

    private func applying(_ step: RenderStep, cancellation: CancellationFlag?) throws(DecodeError) -> Bitmap {
        switch step {
        case .resize(let width, let height):
            if width == self.width, height == self.height { return self }
            return try resized(width: width, height: height, limits: .unlimited, cancellation: cancellation)
        case .rotate(1): return try oriented(.right)
        case .rotate(2): return try oriented(.down)
        case .rotate(3): return try oriented(.left)
        case .rotate: return self
        case .fill(let canvas): return try placed(on: canvas, cancellation: cancellation)
        case .filter(let filter): return try applying(filter, cancellation: cancellation)
        }
    }

    /// Applies a filter that does not change the size.
    func applying(_ filter: PixelFilter, cancellation: CancellationFlag? = nil) throws(DecodeError) -> Bitmap {
        switch filter {
        case .grayscale: return try grayscale(limits: .unlimited, cancellation: cancellation)
        case .bitonal: return try bitonal(cancellation: cancellation)
        case .backgroundColor(let color): return try composited(over: color, cancellation: cancellation)
        case .blur(let radius, let sigma):
            return try blurred(Blur(radius: radius, sigma: sigma.doubleValue), cancellation: cancellation)
        case .sharpen(let amount, let radius, let luminanceOnly):
            return try sharpened(
                amount: amount.doubleValue, radius: radius.doubleValue, luminanceOnly: luminanceOnly,
                limits: .unlimited, cancellation: cancellation)
        case .brightness(let percent):
            return try adjustingBrightness(byPercent: percent, limits: .unlimited, cancellation: cancellation)
        case .contrast(let percent):
            return try adjustingContrast(byPercent: percent, limits: .unlimited, cancellation: cancellation)
        case .saturation(let factor):
            return try adjustingSaturation(
                byFactor: factor.doubleValue, limits: .unlimited, cancellation: cancellation)
        case .rgb(let red, let green, let blue):
            return try mapped(by: .rgb(red: red, green: green, blue: blue), cancellation: cancellation)
        case .equalize:
            return try mapped(
                by: .equalizing(self, cancellation: cancellation), cancellation: cancellation)
        case .roundCorner(let across, let down, let color, let isTransparent):
            let corners = RoundedCorners(across: across, down: down, color: isTransparent ? nil : color)
            return try rounded(corners, cancellation: cancellation)
        case .convolution(let weights, let columns, let normalizes):
            let kernel = Convolution(
                weights: weights.map(\.doubleValue), columns: columns, normalizes: normalizes)
            // A matrix with an even number of rows or columns has no centre; it leaves the image unchanged.
            guard let kernel else { return self }
            return try convolved(by: kernel, cancellation: cancellation)
        }
    }
}
