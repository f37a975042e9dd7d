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
        if let isolated = isolated(bytes, as: contentType, nil) { return try isolated.metadata(bytes) }
        let source = try SourceImage(bytes, declared: contentType, options: options)
        let header = source.header
        var limits = MetadataLimits(options.limits)
        var metadata = ImageMetadata()
        if let range = header.exifRange { metadata.exif = limits.copy(range, of: bytes) }
        switch header.format {
        case .jpeg: JPEGMetadata.read(bytes, into: &metadata, &limits)
        case .png: PNGMetadata.read(bytes, maxChunks: options.limits.maxChunks ?? .max, into: &metadata, &limits)
        case .webp: WebPMetadata.read(bytes, into: &metadata, &limits)
        case .tiff:
            let (directory, parent) = source.codecHeader.directories
            TIFFMetadata.read(bytes, directory: directory, parent: parent, into: &metadata, &limits)
        case .gif, .bmp: break
        }
        return metadata
    }

    /// Reads EXIF, XMP and IPTC of a file in an array, as the method that takes a span does.
    public func metadata(of bytes: [UInt8], as contentType: ContentType? = nil) throws(DecodeError) -> ImageMetadata {
        try metadata(of: bytes.span, as: contentType)
    }
}
