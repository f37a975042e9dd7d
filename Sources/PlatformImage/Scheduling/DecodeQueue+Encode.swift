extension DecodeQueue {
    /// Encodes off the caller's thread; waits, starts and is cancelled as a decode is.
    ///
    /// - Parameters:
    ///   - bitmap: Straight alpha, in sRGB.
    ///   - format: PNG or JPEG.
    ///   - encoder: Quality, compression, and the largest size.
    ///   - priority: The lane to wait in.
    ///   - byteCount: What the encoder will allocate, to be taken from the ``budget``; 0 for next to nothing. The
    ///     bitmap is the caller's. A JPEG holds coefficients, see ``JPEGOptions/isProgressive``, and every format its
    ///     file.
    /// - Throws: What ``ImageEncoder/encode(_:as:cancellation:)`` throws; `cancelled` when the awaiting task was
    ///   cancelled before it was done; `limitExceeded` when `byteCount` is over the whole budget, `invalidArgument`
    ///   when it is negative.
    public func encode(
        _ bitmap: Bitmap, as format: EncodedFormat, with encoder: ImageEncoder = ImageEncoder(),
        priority: Priority = .normal, byteCount: Int = 0
    ) async throws(EncodeError) -> [UInt8] {
        try await run(priority: priority, byteCount: byteCount, refusal: { EncodeError($0, format) }) {
            (flag) throws(EncodeError) in try encoder.encode(bitmap, as: format, cancellation: flag)
        }
    }

    /// Encodes an animation off the caller's thread; waits, starts and is cancelled as a decode is.
    ///
    /// - Parameters:
    ///   - frames: At least one; all bitmaps have one size.
    ///   - loopCount: How often the animation plays, 0 for ever.
    ///   - encoder: Compression, and the largest size.
    ///   - priority: The lane to wait in.
    ///   - byteCount: What the encoder will allocate, its file mostly, to be taken from the ``budget``; 0 for next to
    ///     nothing.
    /// - Throws: What ``ImageEncoder/encodeAnimation(_:loopCount:cancellation:)`` throws, and what
    ///   ``encode(_:as:with:priority:byteCount:)`` throws.
    public func encodeAnimation(
        _ frames: [AnimationFrame], loopCount: Int = 0, with encoder: ImageEncoder = ImageEncoder(),
        priority: Priority = .normal, byteCount: Int = 0
    ) async throws(EncodeError) -> [UInt8] {
        try await run(priority: priority, byteCount: byteCount, refusal: { EncodeError($0, .png) }) {
            (flag) throws(EncodeError) in try encoder.encodeAnimation(frames, loopCount: loopCount, cancellation: flag)
        }
    }
}

extension EncodeError {
    /// What the queue refuses, as an encoder's error.
    fileprivate init(_ error: DecodeError, _ format: EncodedFormat) {
        let code: Code =
            switch error.code {
            case .cancelled: .cancelled
            case .limitExceeded: .limitExceeded
            case .invalidArgument: .invalidArgument
            default: .internal
            }
        self.init(code, format: format, error.message)
    }
}
