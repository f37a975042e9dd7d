extension ImageDecoder {
    /// Decodes an image into the caller's memory, with the pixels of ``decode(_:as:cancellation:)-([UInt8],_,_)``.
    ///
    /// With a layout of 4 bytes per pixel, the codec writes directly to `buffer`, without another copy of the image in
    /// memory, except for a BMP with padding between rows of `buffer`. Other layouts are converted from a ``Bitmap``.
    ///
    /// The size is known before the decode: ``ImageHeader/displayWidth`` and ``ImageHeader/displayHeight`` of
    /// ``header(of:as:cancellation:)-([UInt8],_,_)``, or ``ImageHeader/width`` and ``ImageHeader/height`` without
    /// ``DecodeOptions/appliesOrientation``.
    ///
    /// Padding between rows and bytes after the last row do not change. On `invalidArgument` and on errors of the
    /// header the buffer is unchanged. On other errors, the content of the rows is unspecified: it may be a part of the
    /// image, also in another layout, for example when ``DecodeOptions/strictness`` does not allow the damage.
    ///
    /// - Parameters:
    ///   - bytes: The complete file.
    ///   - buffer: Receives the rows from the top; the last row needs no padding.
    ///   - layout: The bytes of each pixel in `buffer`.
    ///   - stride: Bytes from the start of a row to the start of the next, at least the image's width times
    ///     ``PixelLayout/bytesPerPixel``; nil for rows without padding.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    ///   - cancellation: Stops the decode at its next batch of rows when raised.
    /// - Throws: `invalidArgument` when `stride` is smaller than a row (`stride`) or `buffer` has fewer bytes than all
    ///   rows (`buffer`); and the errors of ``decode(_:as:cancellation:)-([UInt8],_,_)``.
    public func decode(
        _ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, layout: PixelLayout = .rgba, stride: Int? = nil,
        as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedBuffer {
        try backend(bytes, as: contentType, cancellation).decode(bytes, into: &buffer, layout: layout, stride: stride)
    }

    /// Decodes an image from an array into the caller's memory, as the method that takes a span does.
    public func decode(
        _ bytes: [UInt8], into buffer: inout MutableSpan<UInt8>, layout: PixelLayout = .rgba, stride: Int? = nil,
        as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedBuffer {
        try decode(
            bytes.span, into: &buffer, layout: layout, stride: stride, as: contentType, cancellation: cancellation)
    }
}
