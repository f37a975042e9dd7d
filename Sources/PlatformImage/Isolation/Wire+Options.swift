// The options of a decode in messages to a worker. A worker trusts its parent, but checks the form of every value.

extension WireWriter {
    mutating func write(_ limits: DecodeLimits) {
        for limit in limits.inWireOrder { write(limits[keyPath: limit]) }
    }

    mutating func write(_ options: DecodeOptions) {
        write(options.limits)
        write(options.appliesOrientation)
        write(options.convertsToSRGB)
        write(options.strictness.rawValue)
        write(all: options.allowedFormats.map(\.rawValue).sorted()) { $0.write($1) }
        write(options.requiresMatchingContentType)
        write(options.scaleDenominator)
        write(options.page)
        write(options.refusesRareCodecs)
        write(options.maxCountedFrames)
        write(options.usesLibrariesAlone)
        write(options.usesLeastMemory)
        write(options.budgetBytes)
        write(options.declaredContentType?.description)
    }

    mutating func write(_ options: ThumbnailOptions) {
        write(options.width)
        write(options.height)
        write(options.fit.rawValue)
        write(options.gravity.x)
        write(options.gravity.y)
        write(options.crop) { writer, crop in
            for number in [crop.x, crop.y, crop.width, crop.height] { writer.write(number) }
        }
        write(options.allowsUpscaling)
        write(options.padsToBox)
        write(options.background) { writer, color in
            for sample in [color.red, color.green, color.blue, color.alpha] { writer.write(sample) }
        }
        write(options.filter.rawValue)
        write(options.linearLight)
        write(options.quality.rawValue)
        write(options.usesEmbeddedThumbnail)
        write(options.keepsChromaDetail)
    }
}

extension WireReader {
    mutating func readLimits() throws(WireError) -> DecodeLimits {
        var limits = DecodeLimits()
        for limit in limits.inWireOrder { limits[keyPath: limit] = try readOptionalInt() }
        return limits
    }

    mutating func readContentType() throws(WireError) -> ContentType? {
        try readOptional { (reader) throws(WireError) in
            guard let type = ContentType(try reader.readText(maxCount: 64 << 10)) else { throw WireError() }
            return type
        }
    }

    mutating func readDecodeOptions() throws(WireError) -> DecodeOptions {
        var options = DecodeOptions()
        options.limits = try readLimits()
        options.appliesOrientation = try readBool()
        options.convertsToSRGB = try readBool()
        guard let strictness = DecodeOptions.Strictness(rawValue: try readInt()) else { throw WireError() }
        options.strictness = strictness
        let formats = try readAll(maxCount: ImageFormat.allCases.count) { (reader) throws(WireError) in
            try reader.readCase(ImageFormat.self)
        }
        options.allowedFormats = Set(formats)
        options.requiresMatchingContentType = try readBool()
        options.scaleDenominator = try readInt()
        options.page = try readInt()
        options.refusesRareCodecs = try readBool()
        options.maxCountedFrames = try readInt(in: 0 ... .max)
        options.usesLibrariesAlone = try readBool()
        options.usesLeastMemory = try readBool()
        options.budgetBytes = try readOptionalInt()
        options.declaredContentType = try readContentType()
        return options
    }

    mutating func readThumbnailOptions() throws(WireError) -> ThumbnailOptions {
        var options = ThumbnailOptions()
        options.width = try readOptionalInt()
        options.height = try readOptionalInt()
        options.fit = try readCase(ThumbnailFit.self)
        options.gravity = Gravity(x: try readDouble(), y: try readDouble())
        options.crop = try readOptional { (reader) throws(WireError) in
            PixelRectangle(
                x: try reader.readInt(), y: try reader.readInt(), width: try reader.readInt(),
                height: try reader.readInt())
        }
        options.allowsUpscaling = try readBool()
        options.padsToBox = try readBool()
        options.background = try readOptional { (reader) throws(WireError) in
            RGBA8(
                red: try reader.readByte(), green: try reader.readByte(), blue: try reader.readByte(),
                alpha: try reader.readByte())
        }
        options.filter = try readCase(ResampleFilter.self)
        options.linearLight = try readBool()
        options.quality = try readCase(ThumbnailQuality.self)
        options.usesEmbeddedThumbnail = try readBool()
        options.keepsChromaDetail = try readBool()
        return options
    }
}

extension DecodeLimits {
    /// All limits, in the order of messages.
    fileprivate var inWireOrder: [WritableKeyPath<DecodeLimits, Int?>] {
        [
            \.maxInputBytes, \.maxSide, \.maxPixels, \.maxMemory, \.maxFrames, \.maxTotalPixels, \.maxScans,
            \.maxScanSamples, \.maxPages, \.maxSamplesPerPixel, \.maxTileSide, \.maxMetadataItem, \.maxMetadataTotal,
            \.maxChunks, \.maxWork,
        ]
    }
}
