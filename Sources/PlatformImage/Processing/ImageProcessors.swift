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

    /// The maximum memory in bytes that the processors need at one time for an image of this size; `Int.max` on
    /// overflow.
    package func byteCount(width: Int, height: Int) -> Int {
        var (width, height, result) = (width, height, 0)
        for processor in self {
            let input = width.multipliedReportingOverflow(by: height)
            let bytes = input.partialValue.multipliedReportingOverflow(by: 4)
            let step = processor.memory(width: width, height: height)
            let sum = step.byteCount.addingReportingOverflow(bytes.partialValue)
            if input.overflow || bytes.overflow || sum.overflow { return .max }
            result = Swift.max(result, sum.partialValue)
            (width, height) = (step.width, step.height)
        }
        return result
    }
}
