extension [ImageProcessor] {
    /// Applies the processors, in order.
    ///
    /// - Throws: The errors of ``ImageProcessor/process(_:limits:cancellation:)``.
    package func process(
        _ bitmap: Bitmap, limits: DecodeLimits, cancellation: CancellationFlag?
    ) throws(DecodeError) -> Bitmap {
        var bitmap = bitmap
        for processor in self {
            bitmap = try processor.process(bitmap, limits: limits, cancellation: cancellation)
        }
        return bitmap
    }

    /// The maximum memory in bytes that the processors need at one time for a bitmap of this size, including the input
    /// of each processor.
    package func byteCount(width: Int, height: Int) -> Int {
        var (width, height, result) = (width, height, 0)
        for processor in self {
            let step = processor.memory(width: width, height: height)
            result = Swift.max(result, width * height * 4 + step.byteCount)
            (width, height) = (step.width, step.height)
        }
        return result
    }
}
