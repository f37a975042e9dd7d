import PlatformImage
import Testing

/// N10: every call that makes pixels has the limits of `DecodeLimits()` unless it is given others.
@Suite struct DefaultLimitsTests {
    private static let bitmap = Bitmap(width: 2, height: 2) { _ in }

    /// 100,010,000 pixels: the least over 100 megapixels that has these sides.
    private static var tooLarge: ThumbnailOptions {
        var options = ThumbnailOptions(width: 10_001, height: 10_000, fit: .fill)
        options.allowsUpscaling = true
        return options
    }

    @Test("N10: resized and thumbnail have the same limits by default") func allCallsHaveTheDefaultLimits() throws {
        let file = try ImageEncoder().encode(Self.bitmap, as: .png)
        let calls: [() throws -> Void] = [
            { _ = try Self.bitmap.resized(width: 10_001, height: 10_000) },
            { _ = try Self.bitmap.thumbnail(options: Self.tooLarge) },
            { _ = try ImageDecoder().thumbnail(of: file, options: Self.tooLarge) },
            { _ = try Bitmap(width: 10_001, height: 10_000, limits: DecodeLimits()) { _ in } },
        ]
        for call in calls {
            let error = #expect(throws: DecodeError.self) { try call() }
            #expect(error?.code == .limitExceeded && error?.detail == "maxPixels")
        }
    }

    @Test("N10: without limits only those who ask for none are") func unlimitedIsWrittenOut() throws {
        let long = ThumbnailOptions(width: 70_000, height: 1, fit: .fill)
        var options = long
        options.allowsUpscaling = true

        #expect(throws: DecodeError.self) { try Self.bitmap.thumbnail(options: options) }
        #expect(throws: DecodeError.self) { try Self.bitmap.resized(width: 70_000, height: 1) }
        #expect(try Self.bitmap.thumbnail(options: options, limits: .unlimited).width == 70_000)
        #expect(try Self.bitmap.resized(width: 70_000, height: 1, limits: .unlimited).width == 70_000)
    }
}
