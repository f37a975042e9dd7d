import PlatformImage
import Testing

@Suite struct ThumbnailCacheVariantTests {
    /// One changed value per property.
    private static let changes: [String: @Sendable (inout ThumbnailOptions) -> Void] = [
        "width": { $0.width = 7 },
        "height": { $0.height = 7 },
        "fit": { $0.fit = .cover },
        "gravity": { $0.gravity = .topLeft },
        "crop": { $0.crop = PixelRectangle(x: 1, y: -2, width: 3, height: 4) },
        "allowsUpscaling": { $0.allowsUpscaling = true },
        "padsToBox": { $0.padsToBox = true },
        "background": { $0.background = RGBA8(red: 1, green: 2, blue: 3) },
        "filter": { $0.filter = .box },
        "linearLight": { $0.linearLight = true },
        "quality": { $0.quality = .draft },
        "usesEmbeddedThumbnail": { $0.usesEmbeddedThumbnail = true },
        "keepsChromaDetail": { $0.keepsChromaDetail = true },
    ]

    /// A new property of ``ThumbnailOptions`` fails here until it is part of the variant and of ``changes``.
    @Test func everyPropertyChangesVariantAndEquality() throws {
        let plain = ThumbnailOptions()
        let labels = Mirror(reflecting: plain).children.compactMap(\.label)
        #expect(Set(labels) == Set(Self.changes.keys))
        for label in labels {
            var options = plain
            let change = try #require(Self.changes[label])
            change(&options)
            #expect(options != plain, "\(label)")
            #expect(options.cacheVariant != plain.cacheVariant, "\(label)")
            #expect(options.cacheVariant.contains("\(label): "))
        }
    }

    @Test func allCombinationsOfChangesHaveDifferentVariants() {
        let changes = Self.changes.sorted { $0.key < $1.key }.map(\.value)
        var variants: Set<String> = []
        var options: Set<ThumbnailOptions> = []
        for combination in 0..<1 << changes.count {
            var changed = ThumbnailOptions()
            for (index, change) in changes.enumerated() where combination >> index & 1 == 1 { change(&changed) }
            variants.insert(changed.cacheVariant)
            options.insert(changed)
        }
        #expect(variants.count == 1 << changes.count)
        #expect(options.count == 1 << changes.count)
    }

    @Test func variantTextDoesNotChangeBetweenVersions() {
        var options = ThumbnailOptions(width: 300, fit: .cover)
        options.gravity = Gravity(x: 0.25, y: 1)
        options.crop = PixelRectangle(x: -1, y: 2, width: 30, height: 40)
        options.background = RGBA8(red: 255, green: 0, blue: 16)
        #expect(
            options.cacheVariant
                == "width: 300, height: nil, fit: cover, gravity: 0.25 1.0, crop: 30x40-1+2, allowsUpscaling: false, "
                + "padsToBox: false, background: #ff0010ff, filter: lanczos3, linearLight: false, quality: balanced, "
                + "usesEmbeddedThumbnail: false")
    }

    @Test func equalOptionsHaveEqualVariants() {
        var (options, other) = (ThumbnailOptions(width: 5), ThumbnailOptions(width: 5))
        options.gravity = Gravity(x: 0, y: 0)
        other.gravity = Gravity(x: -0.0, y: 0)
        #expect(options == other)
        #expect(options.cacheVariant == other.cacheVariant)
    }
}
