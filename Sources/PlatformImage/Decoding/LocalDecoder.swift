/// Decodes one file in this process.
///
/// The extensions in the folders `Animation` and `Thumbnails` add the operations of those folders.
struct LocalDecoder: Sendable {
    var options: DecodeOptions
    /// The type declared by the sender; nil or `application/octet-stream` for none.
    var contentType: ContentType?
    /// Stops the operation when raised; nil for none.
    var flag: CancellationFlag?
    /// Shared by all copies.
    var transforms = ColorTransformCache()

    /// Parses the header for a step after it.
    func source(_ bytes: Span<UInt8>, countsFrames: Bool = false) throws(DecodeError) -> SourceImage {
        try SourceImage(bytes, declared: contentType, options: options, flag: flag, countsFrames: countsFrames)
    }

    /// As ``ImageDecoder/header(of:as:cancellation:)``.
    func header(_ bytes: Span<UInt8>) throws(DecodeError) -> ImageHeader {
        var source = try source(bytes, countsFrames: true)
        if let profile = try source.iccProfile(in: bytes) {
            source.header.iccProfileDescription = ColorProfile.description(of: profile)
        }
        if source.header.format == .tiff, let count = source.header.frameCount {
            source.header.pages = try source.call.pages(in: bytes, count: count)
        }
        return source.header
    }

    /// The first step of a decode: reads the header and computes sizes, without allocating pixels.
    func prepareDecode(_ bytes: Span<UInt8>) throws(DecodeError) -> PreparedDecode {
        let fastest = try prepareDecode(bytes, options)
        guard let budget = options.budgetBytes, fastest.byteCount > budget, fastest.source.header.format == .png
        else {
            return fastest
        }
        var options = options
        options.usesLeastMemory = true
        return try prepareDecode(bytes, options)
    }

    private func prepareDecode(_ bytes: Span<UInt8>, _ options: DecodeOptions) throws(DecodeError) -> PreparedDecode {
        let source = try SourceImage(bytes, declared: contentType, options: options, flag: flag)
        return PreparedDecode(
            source: source, orientation: options.appliesOrientation ? source.header.orientation : .up)
    }

    /// The second step of a decode: decodes the pixels. `bytes` must be the bytes passed to the first step.
    func decode(_ prepared: PreparedDecode, _ bytes: Span<UInt8>) throws(DecodeError) -> DecodedImage {
        let (width, height) = (prepared.width, prepared.height)
        var source = prepared.source
        let transform = try source.transform(in: bytes, cache: transforms)
        guard let storage = PixelStorage(byteCount: width * height * 4, zeroed: false) else {
            throw DecodeError(.outOfMemory, format: source.header.format, "out of memory: \(width) x \(height) pixels")
        }
        try source.decode(
            bytes, into: storage, width: width, height: height, orientation: prepared.orientation, transform)
        try finish(&source)
        return DecodedImage(
            bitmap: Bitmap(width: width, height: height, storage: storage), header: source.header,
            status: source.damage.status)
    }

    /// The second step of a decode, onto memory of another owner; returns the header and the status.
    ///
    /// - Parameter stride: Bytes from row to row of `pixels`; for a BMP `width * 4`. The padding is not written.
    func decode(
        _ prepared: PreparedDecode, _ bytes: Span<UInt8>, onto pixels: inout MutableSpan<UInt8>, stride: Int
    ) throws(DecodeError) -> (header: ImageHeader, status: DecodeStatus) {
        var source = prepared.source
        let transform = try source.transform(in: bytes, cache: transforms)
        try source.decode(
            bytes, onto: &pixels, stride: stride, width: prepared.width, height: prepared.height,
            orientation: prepared.orientation, transform)
        try finish(&source)
        return (source.header, source.damage.status)
    }

    private func finish(_ source: inout SourceImage) throws(DecodeError) {
        try source.damage.throwIfExceeds(options.strictness, format: source.header.format)
        source.header.warnings = source.damage.warnings
    }

    /// As ``ImageDecoder/decode(_:into:layout:stride:as:cancellation:)``.
    func decode(
        _ bytes: Span<UInt8>, into buffer: inout MutableSpan<UInt8>, layout: PixelLayout, stride: Int?
    ) throws(DecodeError) -> DecodedBuffer {
        let prepared = try prepareDecode(bytes)
        let (width, height) = (prepared.width, prepared.height)
        let stride = try layout.checkedStride(
            stride, width: width, height: height, byteCount: buffer.count, "buffer")
        guard layout.bytesPerPixel == 4, prepared.source.bmp == nil || stride == width * 4 else {
            return try decode(prepared, bytes).copied(to: &buffer, layout: layout, stride: stride)
        }
        let (header, status) = try decode(prepared, bytes, onto: &buffer, stride: stride)
        if layout != .rgba {
            RowKernels.export(inPlace: &buffer, layout: layout, stride: stride, width: width, height: height)
        }
        return DecodedBuffer(
            width: width, height: height, bytesPerRow: stride, layout: layout, header: header, status: status)
    }

    /// As ``ImageDecoder/decodeByteCount(of:as:cancellation:)``.
    func decodeByteCount(_ bytes: Span<UInt8>) throws(DecodeError) -> Int { try prepareDecode(bytes).byteCount }
}

/// A decode after its header was read: the sizes of its allocations are computed, but no pixels are allocated.
struct PreparedDecode: Sendable {
    let source: SourceImage
    let orientation: Orientation
    /// Width in pixels after scaling and orientation.
    let width: Int
    let height: Int

    init(source: SourceImage, orientation: Orientation) {
        self.source = source
        self.orientation = orientation
        (width, height) = source.pixelSize(orientedBy: orientation)
    }

    /// Bytes allocated for the pixels plus upper estimates for the codec and the colour profile; at least 1.
    var byteCount: Int {
        let pixels = PixelStorage.allocatedByteCount(width * height * 4)
        let (sum, overflows) = pixels.addingReportingOverflow(source.header.workByteCount)
        let (total, totalOverflows) = sum.addingReportingOverflow(source.profileByteCount)
        return overflows || totalOverflows ? .max : total
    }
}
