import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Descriptions of values are one line with the relevant properties.
@Suite struct DescriptionTests {
    @Test(.requirement("N5")) func bitmapDescriptionContainsSidesAndByteCount() {
        let bitmap = Bitmap(width: 3, height: 2) { _ in }
        #expect("\(bitmap)" == "Bitmap(3 x 2, 24 bytes)")
        #expect(String(reflecting: bitmap) == "\(bitmap)")
        #expect("\([bitmap])" == "[\(bitmap)]")
    }

    @Test(.requirement("N5")) func decodeOptionsDescriptionShowsChangedValues() {
        #expect("\(DecodeOptions())" == "DecodeOptions()")
        var options = DecodeOptions.asStored
        options.limits.maxPixels = nil
        options.limits.maxSide = 9
        options.allowedFormats = [.png, .gif]
        options.strictness = .corrupt
        #expect(
            "\(options)"
                == "DecodeOptions(limits: DecodeLimits(maxSide: 9, maxPixels: nil), appliesOrientation: false, "
                + "convertsToSRGB: false, strictness: corrupt, allowedFormats: [gif, png])")
        #expect("\(DecodeLimits())" == "DecodeLimits()")
        #expect(!"\(DecodeLimits.thumbnailService)".contains("maxSide"))
        #expect("\(DecodeLimits.thumbnailService)".contains("maxMemory: 268435456"))
    }

    @Test(.requirement("N5")) func thumbnailAndEncodeOptionsDescriptionsShowChangedValues() {
        #expect("\(ThumbnailOptions())" == "ThumbnailOptions()")
        var options = ThumbnailOptions(width: 300, fit: .cover)
        options.gravity = .topLeft
        options.crop = PixelRectangle(x: 1, y: 2, width: 3, height: 4)
        options.background = RGBA8(red: 1, green: 2, blue: 3, alpha: 4)
        #expect(
            "\(options)"
                == "ThumbnailOptions(width: 300, fit: cover, gravity: Gravity(x: 0.0, y: 0.0), "
                + "crop: 3x4+1+2, background: #01020304)")
        #expect("\(EncodeOptions())" == "EncodeOptions()")
        var encoding = EncodeOptions()
        encoding.jpeg.quality = 71
        encoding.png.compressionLevel = 9
        encoding.maxBytes = 500
        #expect(
            "\(encoding)"
                == "EncodeOptions(png: PNGOptions(compressionLevel: 9), jpeg: JPEGOptions(quality: 71), maxBytes: 500)")
    }

    @Test(.requirement("N5")) func statisticsDescriptionIsOneLine() {
        let cache = MemoryCache<String, Int>(maxBytes: 100)
        _ = cache.insert(1, for: "a", cost: 10)
        _ = cache.insert(2, for: "a", cost: 10)
        _ = cache.value(for: "a")
        _ = cache.value(for: "b")
        #expect(
            "\(cache.statistics)"
                == "MemoryCacheStatistics(hits: 1, misses: 1, inserts: 2, refusals: 0, "
                + "evictions: Evictions(replaced: 1))"
        )
    }

    @Test func cacheVariantTextDoesNotChangeBetweenVersions() {
        #expect(DecodeOptions().cacheVariant == "")
        var options = DecodeOptions.asStored
        options.allowedFormats = [.tiff, .bmp]
        options.page = 2
        options.scaleDenominator = 4
        options.strictness = .truncated
        options.limits.maxSide = nil
        #expect(
            options.cacheVariant
                == "bmp,tiff DecodeOptions(limits: PlatformImage.DecodeLimits(maxInputBytes: Optional(1073741824), "
                + "maxSide: nil, maxPixels: Optional(100000000), maxMemory: Optional(536870912), "
                + "maxFrames: Optional(2000), maxTotalPixels: Optional(400000000), maxScans: Optional(100), "
                + "maxScanSamples: Optional(6400000000), maxPages: Optional(4096), maxSamplesPerPixel: Optional(64), "
                + "maxTileSide: Optional(65535), maxMetadataItem: Optional(4194304), "
                + "maxMetadataTotal: Optional(16777216), maxChunks: Optional(128)), appliesOrientation: false, "
                + "convertsToSRGB: false, strictness: PlatformImage.DecodeOptions.Strictness.truncated, "
                + "allowedFormats: Set([]), requiresMatchingContentType: false, scaleDenominator: 4, page: 2, "
                + "refusesRareCodecs: false, usesLibrariesAlone: false)")
    }

    @Test func cacheVariantContainsEveryOptionThatAffectsTheResult() {
        var options = DecodeOptions()
        options.page = 1
        options.limits.maxWork = 5
        // Options that change neither pixels nor status are not part of `cacheVariant`, nor the declared content type:
        // it belongs to the body that is decoded.
        let withoutPart: Set = ["usesLeastMemory", "budgetBytes", "maxCountedFrames", "declaredContentType"]
        for part in Mirror(reflecting: options).children where !withoutPart.contains(part.label ?? "") {
            #expect(options.cacheVariant.contains("\(part.label ?? ""): "), "\(part.label ?? "")")
        }
        for part in Mirror(reflecting: options.limits).children {
            #expect(options.cacheVariant.contains("\(part.label ?? ""): "), "\(part.label ?? "")")
        }
    }

    @Test func optionsWithoutEffectOnPixelsAreNotInTheCacheVariant() {
        var options = DecodeOptions()
        options.usesLeastMemory = true
        options.budgetBytes = 1 << 20
        options.maxCountedFrames = 3
        #expect(options.cacheVariant == "")
        var other = options
        other.page = 1
        var plain = DecodeOptions()
        plain.page = 1
        #expect(other.cacheVariant == plain.cacheVariant)
    }
}
