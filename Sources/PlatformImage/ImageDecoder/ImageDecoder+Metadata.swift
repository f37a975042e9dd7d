// Metadata and colour profiles, without decoding pixels.

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
    ///   - source: The complete file.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    /// - Throws: The errors of ``header(of:as:cancellation:)``.
    public func metadata(
        of source: some ImageSourceConvertible, as contentType: ContentType? = nil
    ) throws(DecodeError) -> ImageMetadata {
        try open(source, as: contentType, nil) { (bytes, backend) throws(DecodeError) in try backend.metadata(bytes) }
    }

    /// Reads the metadata of a file in borrowed bytes, as ``metadata(of:as:)`` does.
    public func metadata(
        borrowing bytes: Span<UInt8>, as contentType: ContentType? = nil
    ) throws(DecodeError) -> ImageMetadata {
        try backend(bytes, as: contentType).metadata(bytes)
    }

    /// Reads EXIF, XMP and IPTC, and applies a policy to them, for ``EncodeOptions/preparedMetadata``.
    ///
    /// - Parameters:
    ///   - source: The complete file.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    ///   - request: The policy, and the size of the encoded image.
    ///   - cancellation: Stops the filters when raised.
    /// - Throws: The errors of ``metadata(of:as:)``; `cancelled`, and `limitExceeded` of a deadline.
    public func preparedMetadata(
        of source: some ImageSourceConvertible, as contentType: ContentType? = nil,
        for request: PreparedMetadata.Request, cancellation: CancellationFlag? = nil
    ) throws(DecodeError) -> PreparedMetadata {
        try open(source, as: contentType, cancellation) { (bytes, backend) throws(DecodeError) in
            try backend.preparedMetadata(bytes, request)
        }
    }

    /// The EXIF data; nil when the file has no EXIF block or the block cannot be parsed. ``EXIF/thumbnailRange`` is
    /// relative to the start of ``ImageHeader/exifRange``.
    ///
    /// Of a TIFF, the data of ``metadata(of:as:)``: the tags that describe the page, and its Exif and GPS IFDs, without
    /// orientation and thumbnail.
    ///
    /// - Throws: The errors of ``header(of:as:cancellation:)``.
    public func exif(of source: some ImageSourceConvertible) throws(DecodeError) -> EXIF? {
        try open(source, as: nil, nil) { (bytes, backend) throws(DecodeError) in
            let header = try backend.shortHeader(bytes)
            if header.format == .tiff { return try backend.metadata(bytes).exif.flatMap { EXIF($0) } }
            return header.exifRange.flatMap { EXIF(bytes.extracting($0)) }
        }
    }

    /// The embedded ICC profile, uncompressed; nil when there is none or it is damaged.
    ///
    /// - Throws: The errors of ``header(of:as:cancellation:)``.
    public func iccProfile(of source: some ImageSourceConvertible) throws(DecodeError) -> [UInt8]? {
        try open(source, as: nil, nil) { (bytes, backend) throws(DecodeError) in try backend.iccProfile(bytes) }
    }

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
    ///   - source: The complete file.
    ///   - contentType: The type declared by the sender; nil or `application/octet-stream` for none.
    /// - Throws: The errors of ``header(of:as:cancellation:)``.
    public func keepingProfile(
        of source: some ImageSourceConvertible, as contentType: ContentType? = nil
    ) throws(DecodeError) -> (decoder: ImageDecoder, profile: [UInt8]?) {
        let (definition, profile) = try sourceProfile(of: source, as: contentType)
        var decoder = self
        decoder.options.convertsToSRGB = definition != .rgb
        return (decoder, definition == .rgb ? profile : nil)
    }

    /// The colour definition of a file, and its ICC profile.
    package func sourceProfile(
        of source: some ImageSourceConvertible, as contentType: ContentType? = nil
    ) throws(DecodeError) -> (source: ProfilePolicy.Source, profile: [UInt8]?) {
        try open(source, as: contentType, nil) { (bytes, backend) throws(DecodeError) in
            try backend.sourceProfile(bytes)
        }
    }
}
