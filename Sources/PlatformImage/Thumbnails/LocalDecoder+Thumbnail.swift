extension LocalDecoder {
    /// Decodes and resamples a prepared thumbnail. `bytes` must be the bytes from which `prepared` was created.
    ///
    /// - Parameter target: Storage for the resampled pixels, which are those of the result when
    ///   ``PreparedThumbnail/isFinal`` is true; nil to allocate one.
    func thumbnail(
        _ prepared: PreparedThumbnail, _ bytes: Span<UInt8>, into target: PixelStorage? = nil
    ) throws(DecodeError) -> DecodedImage {
        var source = prepared.source
        let transform = try source.transform(in: bytes, cache: transforms)
        let request = prepared.request
        let storage: PixelStorage
        if let target {
            storage = target
        } else {
            storage = try PixelStorage.uninitialized(width: request.width, height: request.height)
        }
        if let embedded = prepared.embedded, try decode(embedded, of: bytes, into: storage, transform) {
            return try finish(prepared, storage, Damage())
        }
        try source.decode(bytes, resampledBy: request, into: storage, transform)
        try source.damage.throwIfExceeds(options.strictness, format: source.header.format)
        return try finish(prepared, storage, source.damage)
    }

    /// Decodes the embedded thumbnail; false when it cannot be decoded without damage, so that the full image must be
    /// decoded.
    private func decode(
        _ embedded: PreparedThumbnail.Embedded, of bytes: Span<UInt8>, into storage: PixelStorage,
        _ transform: ColorTransform?
    ) throws(DecodeError) -> Bool {
        var source = embedded.thumbnail.source
        let embeddedBytes = bytes.extracting(embedded.thumbnail.range)
        do throws(DecodeError) {
            // Most embedded thumbnails have no profile; their colour space is then the colour space of the image. For
            // a thumbnail with a profile equivalent to sRGB, `colors` is nil: no conversion is needed.
            let hasProfile = source.header.profileSource != .none
            let colors = hasProfile ? try source.transform(in: embeddedBytes, cache: transforms) : transform
            try source.decode(embeddedBytes, resampledBy: embedded.request, into: storage, colors)
            try source.damage.throwIfExceeds(.corrupt, format: .jpeg)
            return true
        } catch {
            if error.code == .cancelled || error.code == .outOfMemory || error.detail == "deadline" { throw error }
            return false
        }
    }

    /// Applies orientation, padding and background.
    func finish(
        _ prepared: PreparedThumbnail, _ storage: PixelStorage, _ damage: Damage
    ) throws(DecodeError) -> DecodedImage {
        var bitmap = Bitmap(width: prepared.request.width, height: prepared.request.height, storage: storage)
        if prepared.orientation != .up { bitmap = try bitmap.oriented(prepared.orientation) }
        var header = prepared.header
        header.warnings = damage.warnings
        return DecodedImage(
            bitmap: try bitmap.paddedAndComposited(prepared.geometry, background: prepared.options.background),
            header: header,
            status: damage.status.scaled(by: prepared.source.call.options.scaleDenominator, to: header.height))
    }
}

extension DecodeStatus {
    /// Converts the row count of an image decoded at 1/n to rows of the full image.
    fileprivate func scaled(by denominator: Int, to height: Int) -> Self {
        guard case .truncated(let rows) = self else { return self }
        return .truncated(rows: min(height, rows * denominator))
    }
}

extension PixelStorage {
    /// Allocates uninitialised pixels.
    static func uninitialized(width: Int, height: Int) throws(DecodeError) -> PixelStorage {
        guard let storage = PixelStorage(byteCount: width * height * 4, zeroed: false) else {
            throw DecodeError(.outOfMemory, "out of memory: \(width) x \(height) pixels")
        }
        return storage
    }
}
