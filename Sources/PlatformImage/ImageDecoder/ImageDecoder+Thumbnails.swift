extension ImageDecoder {
    /// Makes several thumbnails of one file with one decode, upright and in sRGB if the decoder's options request that.
    ///
    /// The decode has the detail that the most demanding of the thumbnails needs: of a JPEG, the largest scale and the
    /// most scans. A small thumbnail may therefore differ slightly from the one that
    /// ``thumbnail(of:options:as:cancellation:)-([UInt8],_,_,_)`` makes alone, and then is closer to a thumbnail with
    /// ``ThumbnailQuality/exact``. For all other formats, for a JPEG whose thumbnails need the same detail, and for
    /// one thumbnail, the pixels are equal. As for one thumbnail, the full image is in memory only for formats that
    /// require it.
    ///
    /// One decode makes up to 16 different thumbnails. Equal options are computed once. A thumbnail made from an
    /// embedded thumbnail (``ThumbnailOptions/usesEmbeddedThumbnail``) is decoded separately. When one decode of all
    /// thumbnails would exceed ``DecodeLimits/maxMemory``, they are decoded one after another.
    ///
    /// - Parameters:
    ///   - bytes: The complete file.
    ///   - options: Size, fit, crop and filter of each thumbnail.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    ///   - cancellation: Stops the decode at its next batch of rows when raised.
    /// - Returns: The thumbnails in the order of `options`; empty when `options` is empty. The status of each is that
    ///   of the decode.
    /// - Throws: The errors of ``thumbnail(of:options:as:cancellation:)-([UInt8],_,_,_)``; when several thumbnails
    ///   fail, the error of the first. `limitExceeded` also when all returned thumbnails together exceed
    ///   ``DecodeLimits/maxMemory``.
    public func thumbnails(
        of bytes: Span<UInt8>, options: [ThumbnailOptions], as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> [DecodedImage] {
        try backend(bytes, as: contentType, cancellation)
            .images(.thumbnails(options, isComplete: true), bytes).images()
    }

    /// Makes several thumbnails of a file in an array, as the method that takes a span does.
    public func thumbnails(
        of bytes: [UInt8], options: [ThumbnailOptions], as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> [DecodedImage] {
        try thumbnails(of: bytes.span, options: options, as: contentType, cancellation: cancellation)
    }
}
