extension ImageEncoder {
    /// Encodes without metadata and inserts metadata and profile into the file.
    ///
    /// - Parameter encode: Encodes the pixels. The options of its argument have a ``EncodeOptions/maxBytes`` that
    ///   leaves space for the metadata, and select colour types that the profile allows.
    func addingMetadata(
        _ format: EncodedFormat, width: Int, height: Int,
        _ encode: (ImageEncoder) throws(EncodeError) -> [UInt8]
    ) throws(EncodeError) -> [UInt8] {
        let writer = MetadataWriter(options, format: format, width: width, height: height)
        guard !writer.isEmpty else { return try encode(self) }
        var plain = self
        if options.iccProfile != nil {
            plain.options.png.declaresSRGB = false
            plain.options.png.avoidsGray = true
            plain.options.jpeg.avoidsGray = true
        }
        let added = writer.byteCount
        // No file has 1 byte, so with this limit the error reports the smallest size.
        plain.options.maxBytes = options.maxBytes.map { max(1, $0 - added) }
        do {
            return writer.insert(into: try encode(plain))
        } catch {
            guard let smallest = error.smallestByteCount else { throw error }
            throw EncodeError(
                .overMaxBytes, format: format, smallestByteCount: smallest + added,
                "\(error.message), of which \(added) bytes are reserved for metadata")
        }
    }
}
