extension ImageDecoder {
    /// Decodes an image into the caller's memory, with the pixels of ``decode(_:as:cancellation:)``.
    ///
    /// With a layout of 4 bytes per pixel, the codec writes directly to `buffer`, without another copy of the image in
    /// memory, except for a BMP with padding between rows of `buffer`. Other layouts are converted from a ``Bitmap``.
    ///
    /// The size is known before the decode: ``ImageHeader/displayWidth`` and ``ImageHeader/displayHeight`` of
    /// ``header(of:as:cancellation:)``, or ``ImageHeader/width`` and ``ImageHeader/height`` without
    /// ``DecodeOptions/appliesOrientation``.
    ///
    /// Padding between rows and bytes after the last row do not change. On `invalidArgument` and on errors of the
    /// header the buffer is unchanged. On other errors, the content of the rows is unspecified: it may be a part of the
    /// image, also in another layout, for example when ``DecodeOptions/strictness`` does not allow the damage.
    ///
    /// - Parameters:
    ///   - source: The complete file.
    ///   - buffer: Receives the rows from the top; the last row needs no padding.
    ///   - layout: The bytes of each pixel in `buffer`.
    ///   - stride: Bytes from the start of a row to the start of the next, at least the image's width times
    ///     ``PixelLayout/bytesPerPixel``; nil for rows without padding.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    ///   - cancellation: Stops the decode at its next batch of rows when raised.
    /// - Throws: `invalidArgument` when `stride` is smaller than a row (`stride`) or `buffer` has fewer bytes than all
    ///   rows (`buffer`); and the errors of ``decode(_:as:cancellation:)``.
    public func decode(
        _ source: some ImageSourceConvertible, into buffer: inout MutableSpan<UInt8>, layout: PixelLayout = .rgba,
        stride: Int? = nil, as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedBuffer {
        try open(source, as: contentType, cancellation) { (bytes, backend) throws(DecodeError) in
            try backend.decode(bytes, into: &buffer, layout: layout, stride: stride)
        }
    }

    /// Decodes an image from borrowed bytes into the caller's memory.
    package func decode(
        borrowing bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, layout: PixelLayout = .rgba,
        stride: Int? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedBuffer {
        try backend(bytes, as: nil, cancellation).decode(bytes, into: &buffer, layout: layout, stride: stride)
    }
}
