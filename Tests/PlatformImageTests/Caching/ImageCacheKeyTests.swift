import PlatformImage
import Testing

@Suite struct ImageCacheKeyTests {
    @Test func cacheKeysOfEqualStringsAreEqualAndHaveEqualHashes() {
        let first = ImageCacheKey("https://example.org/a.png", variant: "half")
        let second = ImageCacheKey(["https://example.org/", "a.png"].joined(), variant: "half")

        #expect(first == second)
        #expect(first.hashValue == second.hashValue)
        #expect(Set([first, second]).count == 1)
    }

    @Test func keysWithADifferentStringOrVariantAreUnequal() {
        let keys = [
            ImageCacheKey(""), ImageCacheKey("a"), ImageCacheKey("b"), ImageCacheKey("ab"),
            ImageCacheKey("a", variant: "b"),
            ImageCacheKey("", variant: "ab"), ImageCacheKey("a", variant: "bc"), ImageCacheKey("ab", variant: "c"),
            ImageCacheKey(String(repeating: "a", count: 63)), ImageCacheKey(String(repeating: "a", count: 64)),
        ]

        #expect(Set(keys).count == keys.count)
        for (index, key) in keys.enumerated() {
            #expect(keys.firstIndex(of: key) == index)
        }
    }

    @Test func canonicallyEquivalentUnicodeStringsGiveDifferentKeys() {
        let composed = "https://example.org/caf\u{E9}.png"
        let decomposed = "https://example.org/cafe\u{301}.png"
        #expect(composed == decomposed)

        #expect(ImageCacheKey(composed) != ImageCacheKey(decomposed))
        #expect(ImageCacheKey("a", variant: composed) != ImageCacheKey("a", variant: decomposed))
        #expect(ImageCacheKey(composed) == ImageCacheKey(composed + ""))
    }

    @Test func lookupWithAnEqualKeyFindsTheValue() {
        let cache = MemoryCache<ImageCacheKey, Int>(maxBytes: 1_000)
        for number in 0..<500 { cache.insert(number, for: ImageCacheKey("image \(number)"), cost: 2) }

        for number in 0..<500 { #expect(cache.value(for: ImageCacheKey("image \(number)")) == number) }
        #expect(cache.value(for: ImageCacheKey("image 1", variant: "half")) == nil)
    }

    @Test func decodeOptionsThatAffectTheResultChangeTheCacheVariant() {
        let changes: [(inout DecodeOptions) -> Void] = [
            { $0.appliesOrientation = false }, { $0.convertsToSRGB = false }, { $0.strictness = .truncated },
            { $0.strictness = .corrupt }, { $0.allowedFormats = [.png] }, { $0.allowedFormats = [.png, .jpeg] },
            { $0.requiresMatchingContentType = true }, { $0.scaleDenominator = 2 }, { $0.scaleDenominator = 4 },
            { $0.page = 1 }, { $0.page = 11 }, { $0.refusesRareCodecs = true }, { $0.limits.maxSide = 7 },
            { $0.limits.maxPixels = 7 }, { $0.limits.maxScans = nil }, { $0.limits = .unlimited },
        ]
        let variants = changes.map { change in
            var options = DecodeOptions()
            change(&options)
            return options.cacheVariant
        }

        #expect(DecodeOptions().cacheVariant == "")
        #expect(Set(variants + [""]).count == changes.count + 1)
    }

    @Test func cacheVariantDoesNotDependOnTheOrderOfAllowedFormats() {
        for _ in 0..<50 {
            var options = DecodeOptions()
            options.allowedFormats = Set(ImageFormat.allCases.filter { $0 != .bmp }.shuffled())
            #expect(options.cacheVariant.hasPrefix("gif,jpeg,png,tiff,webp "))
        }
    }
}
