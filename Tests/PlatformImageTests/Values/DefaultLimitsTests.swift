import PlatformImage
import PlatformImageTestSupport
import Testing

/// Every call that makes pixels has the limits of `DecodeLimits()` by default.
@Suite(.requirement("N10")) struct DefaultLimitsTests {
    private static let bitmap = Bitmap(width: 2, height: 2) { _ in }

    /// 100,010,000 pixels, just above 100 megapixels.
    private static var tooLarge: ThumbnailOptions {
        var options = ThumbnailOptions(width: 10_001, height: 10_000, fit: .fill)
        options.allowsUpscaling = true
        return options
    }

    @Test func resizingAndThumbnailCallsApplyTheDefaultLimits() throws {
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

    @Test func limitsAreDisabledOnlyByAnExplicitUnlimitedArgument() throws {
        let long = ThumbnailOptions(width: 70_000, height: 1, fit: .fill)
        var options = long
        options.allowsUpscaling = true

        #expect(throws: DecodeError.self) { try Self.bitmap.thumbnail(options: options) }
        #expect(throws: DecodeError.self) { try Self.bitmap.resized(width: 70_000, height: 1) }
        #expect(try Self.bitmap.thumbnail(options: options, limits: .unlimited).width == 70_000)
        #expect(try Self.bitmap.resized(width: 70_000, height: 1, limits: .unlimited).width == 70_000)
    }
}
