extension ImageDecoder {
    /// Reads EXIF, XMP and IPTC, without decoding pixels.
    ///
    /// | format | EXIF | XMP | IPTC |
    /// |---|---|---|---|
    /// | JPEG | APP1 | APP1, without extended XMP | APP13, Photoshop resource 0x0404 |
    /// | PNG | eXIf | iTXt, also compressed | the text chunk that ImageMagick and ExifTool write |
    /// | WebP | EXIF | XMP | none |
    /// | TIFF | descriptive tags of the page, its Exif and GPS IFDs, no maker note | tag 700 | tags 33723 and 34377 |
    ///
    /// Where a SubIFD of a TIFF has none, those of the IFD that contains it are read. GIF and BMP have none. A block
    /// that is damaged, or larger than ``DecodeLimits/maxMetadataItem`` or the rest of
    /// ``DecodeLimits/maxMetadataTotal``, is nil; damaged metadata is no error.
    ///
    /// - Parameters:
    ///   - bytes: The complete file.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    /// - Throws: The errors of ``header(of:as:cancellation:)-([UInt8],_,_)``.
    public func metadata(
        of bytes: Span<UInt8>, as contentType: ContentType? = nil
    ) throws(DecodeError) -> ImageMetadata {
        try backend(bytes, as: contentType).metadata(bytes)
    }

    /// Reads EXIF, XMP and IPTC of a file in an array, as the method that takes a span does.
    public func metadata(of bytes: [UInt8], as contentType: ContentType? = nil) throws(DecodeError) -> ImageMetadata {
        try metadata(of: bytes.span, as: contentType)
    }
}

extension ImageDecoder {
    /// Reads EXIF, XMP and IPTC, and applies a policy to them, for ``EncodeOptions/preparedMetadata``.
    ///
    /// - Parameters:
    ///   - bytes: The complete file.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    ///   - request: The policy, and the size of the encoded image.
    ///   - cancellation: Stops the filters when raised.
    /// - Throws: The errors of ``metadata(of:as:)-([UInt8],_)``; `cancelled`, and `limitExceeded` of a deadline.
    public func preparedMetadata(
        of bytes: Span<UInt8>, as contentType: ContentType? = nil, for request: PreparedMetadata.Request,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> PreparedMetadata {
        try backend(bytes, as: contentType, cancellation).preparedMetadata(bytes, request)
    }

    /// Reads and filters the metadata of a file in an array, as the method that takes a span does.
    public func preparedMetadata(
        of bytes: [UInt8], as contentType: ContentType? = nil, for request: PreparedMetadata.Request,
        cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> PreparedMetadata {
        try preparedMetadata(of: bytes.span, as: contentType, for: request, cancellation: cancellation)
    }
}

extension ImageDecoder {
    /// A decoder whose pixels of this file match the returned profile.
    ///
    /// The profile is nil when the pixels of the returned decoder are sRGB: the file has no ICC profile, its profile is
    /// not usable, or it describes gray, CMYK or Lab samples, which are decoded to RGB. Otherwise the decoder does not
    /// convert colours; write the profile with ``EncodeOptions/iccProfile``. Colours that are added later, such as
    /// ``ThumbnailOptions/background``, are then values in the colour space of the profile. The embedded thumbnails of
    /// cameras can be in another colour space: do not combine a profile with
    /// ``ThumbnailOptions/usesEmbeddedThumbnail``.
    ///
    /// - Parameters:
    ///   - bytes: The complete file.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    /// - Throws: The errors of ``header(of:as:cancellation:)-([UInt8],_,_)``.
    public func keepingProfile(
        of bytes: Span<UInt8>, as contentType: ContentType? = nil
    ) throws(DecodeError) -> (decoder: ImageDecoder, profile: [UInt8]?) {
        let (source, profile) = try sourceProfile(of: bytes, as: contentType)
        var decoder = self
        decoder.options.convertsToSRGB = source != .rgb
        return (decoder, source == .rgb ? profile : nil)
    }

    /// A decoder whose pixels of a file in an array match the returned profile, as the method that takes a span returns
    /// it.
    public func keepingProfile(
        of bytes: [UInt8], as contentType: ContentType? = nil
    ) throws(DecodeError) -> (decoder: ImageDecoder, profile: [UInt8]?) {
        try keepingProfile(of: bytes.span, as: contentType)
    }

    /// The colour definition of a file, and its ICC profile.
    package func sourceProfile(
        of bytes: Span<UInt8>, as contentType: ContentType? = nil
    ) throws(DecodeError) -> (source: ProfilePolicy.Source, profile: [UInt8]?) {
        try backend(bytes, as: contentType).sourceProfile(bytes)
    }
}
