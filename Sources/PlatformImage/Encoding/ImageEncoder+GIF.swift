extension ImageEncoder {
    /// Encodes an animated GIF.
    ///
    /// - Parameter frames: At least one, all of the same size, with valid delays.
    func gifAnimation(
        _ frames: [AnimationFrame], loopCount: Int, _ call: EncodeCall
    ) throws(EncodeError) -> [UInt8] {
        try encodeGIFWithinLimit { (options, maxBytes) throws(EncodeError) in
            try call.gifAnimation(frames, loopCount: loopCount, options, maxBytes: maxBytes)
        }
    }

    /// Encodes with ``GIFOptions/maxColors``, and, while the file exceeds ``EncodeOptions/maxBytes``, with the next
    /// lower power of two, down to 2.
    func encodeGIFWithinLimit(
        _ encode: (_ options: GIFOptions, _ maxBytes: Int?) throws(EncodeError) -> [UInt8]?
    ) throws(EncodeError) -> [UInt8] {
        var adjusted = options.gif
        while true {
            if let file = try encode(adjusted, options.maxBytes) { return file }
            if adjusted.maxColors == 2 { break }
            adjusted.maxColors = Self.powerOfTwo(below: adjusted.maxColors)
        }
        throw try overMaxBytes(.gif, encode(adjusted, nil), "2 colours")
    }

    /// The greatest power of two below `count`, which is 3 or more.
    private static func powerOfTwo(below count: Int) -> Int {
        1 << (Int.bitWidth - 1 - (count - 1).leadingZeroBitCount)
    }
}
