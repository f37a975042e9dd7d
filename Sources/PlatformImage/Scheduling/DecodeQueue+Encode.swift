extension DecodeQueue {
    /// Encodes a bitmap on the queue's threads. The job waits for a thread and can be cancelled in the same way as a
    /// decode.
    ///
    /// - Parameters:
    ///   - bitmap: Straight alpha, in sRGB.
    ///   - format: The file format.
    ///   - encoder: Quality, compression level and maximum size.
    ///   - priority: The priority of the job while it waits for a thread.
    ///   - byteCount: Bytes that the encoder will allocate, reserved from the ``budget``; 0 for a negligible amount.
    ///     The bitmap is not included. Every encoder stores its output. With ``JPEGOptions/isProgressive`` or
    ///     ``JPEGOptions/optimizesHuffman``, a JPEG encoder also stores the coefficients of the image. A GIF encoder
    ///     needs up to 5 bytes per pixel, with its output, and 4.4 MB.
    /// - Throws: The errors of ``ImageEncoder/encode(_:as:cancellation:)``; `cancelled` when the awaiting task was
    ///   cancelled before the end; `limitExceeded` when `byteCount` exceeds ``DecodeBudget/maxBytes``,
    ///   `invalidArgument` when it is negative.
    public func encode(
        _ bitmap: Bitmap, as format: EncodedFormat, with encoder: ImageEncoder = ImageEncoder(),
        priority: Priority = .normal, byteCount: Int = 0
    ) async throws(EncodeError) -> [UInt8] {
        try await run(priority: priority, byteCount: byteCount, refusal: { EncodeError($0, format) }) {
            (flag) throws(EncodeError) in try encoder.encode(bitmap, as: format, cancellation: flag)
        }
    }

    /// Encodes an APNG on the queue's threads.
    ///
    /// Equal to ``encodeAnimation(_:as:loopCount:with:priority:byteCount:)`` with ``EncodedFormat/png``.
    public func encodeAnimation(
        _ frames: [AnimationFrame], loopCount: Int = 0, with encoder: ImageEncoder = ImageEncoder(),
        priority: Priority = .normal, byteCount: Int = 0
    ) async throws(EncodeError) -> [UInt8] {
        try await encodeAnimation(
            frames, as: .png, loopCount: loopCount, with: encoder, priority: priority, byteCount: byteCount)
    }

    /// Encodes an animation on the queue's threads. The job waits for a thread and can be cancelled in the same way as
    /// a decode.
    ///
    /// - Parameters:
    ///   - frames: At least one frame; all bitmaps must have the same size.
    ///   - format: A format with animations: PNG, WebP or GIF.
    ///   - loopCount: Number of plays, 0 for infinite.
    ///   - encoder: Compression level and maximum size.
    ///   - priority: The priority of the job while it waits for a thread.
    ///   - byteCount: Bytes that the encoder will allocate, mostly its output, reserved from the ``budget``; 0 for a
    ///     negligible amount.
    /// - Throws: The errors of ``ImageEncoder/encodeAnimation(_:as:loopCount:cancellation:)`` and of
    ///   ``encode(_:as:with:priority:byteCount:)``.
    public func encodeAnimation(
        _ frames: [AnimationFrame], as format: EncodedFormat, loopCount: Int = 0,
        with encoder: ImageEncoder = ImageEncoder(), priority: Priority = .normal, byteCount: Int = 0
    ) async throws(EncodeError) -> [UInt8] {
        try await run(priority: priority, byteCount: byteCount, refusal: { EncodeError($0, format) }) {
            (flag) throws(EncodeError) in
            try encoder.encodeAnimation(frames, as: format, loopCount: loopCount, cancellation: flag)
        }
    }

    /// Encodes the thumbnails of an animation on the queue's threads.
    ///
    /// Equal to ``encodeAnimation(_:as:loopCount:with:priority:byteCount:)`` with the frames of the result. Its status
    /// is not used: of a damaged source, the frames that were decoded are encoded.
    ///
    /// - Parameters:
    ///   - thumbnails: The result of
    ///     ``ImageDecoder/thumbnails(ofFramesIn:options:as:cancellation:)``, with at least one frame.
    ///   - format: PNG, WebP or GIF.
    ///   - loopCount: Number of plays, 0 for infinite; the result does not contain that of the source.
    ///   - encoder: Compression level and maximum size.
    ///   - priority: The priority of the job while it waits for a thread.
    ///   - byteCount: Bytes that the encoder will allocate, reserved from the ``budget``; 0 for a negligible amount.
    /// - Throws: The errors of ``encodeAnimation(_:as:loopCount:with:priority:byteCount:)``.
    public func encodeAnimation(
        _ thumbnails: (frames: [AnimationFrame], status: DecodeStatus), as format: EncodedFormat = .png,
        loopCount: Int = 0, with encoder: ImageEncoder = ImageEncoder(), priority: Priority = .normal,
        byteCount: Int = 0
    ) async throws(EncodeError) -> [UInt8] {
        try await encodeAnimation(
            thumbnails.frames, as: format, loopCount: loopCount, with: encoder, priority: priority,
            byteCount: byteCount)
    }
}

extension EncodeError {
    /// Converts an error of the queue to an encoder's error.
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
