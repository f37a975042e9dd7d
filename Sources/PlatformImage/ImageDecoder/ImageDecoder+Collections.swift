// Overloads for bytes in other types than arrays, such as `Data` of Foundation and `ByteBufferView` of SwiftNIO.

extension ImageDecoder {
    /// Reads the header of a file in a collection, as ``header(of:as:cancellation:)-([UInt8],_,_)`` does.
    ///
    /// The bytes are used in place if the collection is contiguous, as `Data`, `ArraySlice` and `ByteBufferView` are;
    /// otherwise they are copied.
    public func header(
        of bytes: some Collection<UInt8>, as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageHeader {
        try bytes.withSpan { (span) throws(DecodeError) in
            try header(of: span, as: contentType, cancellation: cancellation)
        }
    }

    /// Decodes an image from a collection, as ``decode(_:as:cancellation:)-([UInt8],_,_)`` does.
    ///
    /// The bytes are used in place if the collection is contiguous, as `Data`, `ArraySlice` and `ByteBufferView` are;
    /// otherwise they are copied.
    public func decode(
        _ bytes: some Collection<UInt8>, as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        try bytes.withSpan { (span) throws(DecodeError) in
            try decode(span, as: contentType, cancellation: cancellation)
        }
    }

    /// Makes a thumbnail of a file in a collection, as
    /// ``thumbnail(of:options:as:cancellation:)-([UInt8],_,_,_)`` does.
    ///
    /// The bytes are used in place if the collection is contiguous, as `Data`, `ArraySlice` and `ByteBufferView` are;
    /// otherwise they are copied.
    public func thumbnail(
        of bytes: some Collection<UInt8>, options: ThumbnailOptions, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> DecodedImage {
        try bytes.withSpan { (span) throws(DecodeError) in
            try thumbnail(of: span, options: options, as: contentType, cancellation: cancellation)
        }
    }

    /// Makes several thumbnails of a file in a collection, as
    /// ``thumbnails(of:options:as:cancellation:)-([UInt8],_,_,_)`` does.
    ///
    /// The bytes are used in place if the collection is contiguous, as `Data`, `ArraySlice` and `ByteBufferView` are;
    /// otherwise they are copied.
    public func thumbnails(
        of bytes: some Collection<UInt8>, options: [ThumbnailOptions], as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> [DecodedImage] {
        try bytes.withSpan { (span) throws(DecodeError) in
            try thumbnails(of: span, options: options, as: contentType, cancellation: cancellation)
        }
    }

    /// The frames of a GIF, APNG or WebP in a collection, as ``frames(of:as:cancellation:)-([UInt8],_,_)`` returns
    /// them.
    ///
    /// The frames are decoded after this call returns, so the bytes are copied to an array first.
    public func frames(
        of bytes: some Collection<UInt8>, as contentType: ContentType? = nil, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> ImageFrames {
        try frames(of: [UInt8](bytes), as: contentType, cancellation: cancellation)
    }

    /// Makes thumbnails of all composed frames of a GIF, APNG or WebP in a collection, as
    /// ``thumbnails(ofFramesIn:options:as:cancellation:)-([UInt8],_,_,_)`` does.
    ///
    /// The bytes are copied to an array first.
    public func thumbnails(
        ofFramesIn bytes: some Collection<UInt8>, options: ThumbnailOptions, as contentType: ContentType? = nil,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> (frames: [AnimationFrame], status: DecodeStatus) {
        try thumbnails(ofFramesIn: [UInt8](bytes), options: options, as: contentType, cancellation: cancellation)
    }
}
