extension ImageEncoder {
    /// Encodes without metadata and inserts metadata and profile into the file.
    ///
    /// - Parameter encode: Encodes the pixels. The options of its argument have a ``EncodeOptions/maxBytes`` that
    ///   leaves space for the metadata, and select colour types that the profile allows.
    func addingMetadata(
        _ format: EncodedFormat, width: Int, height: Int, _ cancellation: CancellationFlag?,
        _ encode: (ImageEncoder) throws(EncodeError) -> [UInt8]
    ) throws(EncodeError) -> [UInt8] {
        let prepared = try preparedMetadata(format, width: width, height: height, cancellation)
        let writer = MetadataWriter(prepared, profile: options.iccProfile, format: format)
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

    /// The metadata of the options, filtered unless it was before.
    private func preparedMetadata(
        _ format: EncodedFormat, width: Int, height: Int, _ cancellation: CancellationFlag?
    ) throws(EncodeError) -> PreparedMetadata {
        if let prepared = options.preparedMetadata {
            let size = (prepared.request.width, prepared.request.height)
            guard size == (width, height) else {
                throw EncodeError(
                    .invalidArgument, format: format,
                    "preparedMetadata is that of \(size.0) x \(size.1) pixels, allowed: \(width) x \(height) pixels")
            }
            return prepared
        }
        let policy = format == .gif ? .strip : options.metadataPolicy
        let request = PreparedMetadata.Request(
            policy: policy, width: width, height: height, hasProfile: options.iccProfile != nil)
        let prepared = PreparedMetadata(options.metadata, request, cancellation: cancellation)
        // A raised flag ends the filter early.
        if policy != .strip { try EncodeCall(format: format, flag: cancellation).poll() }
        return prepared
    }
}
