import PlatformImage
import Testing

/// The deprecated property, read through a protocol, so that its use gives no warning.
private protocol EarlierNames {
    var webP: WebPOptions { get set }
}

extension EncodeOptions: EarlierNames {}

@Suite struct EncodeOptionNameTests {
    @Test func earlierNameOfTheWebPOptionsIsTheSameProperty() {
        func set(_ options: inout some EarlierNames) { options.webP.quality = 31 }
        func quality(_ options: some EarlierNames) -> Int { options.webP.quality }
        var options = EncodeOptions()

        set(&options)
        #expect(options.webp.quality == 31)

        options.webp.quality = 32
        #expect(quality(options) == 32)
        #expect("\(options)" == "EncodeOptions(webp: WebPOptions(quality: 32))")
    }

    #if WebP
    @Test func errorOfAnInvalidWebPOptionContainsTheNameOfTheProperty() throws {
        var encoder = ImageEncoder()
        encoder.options.webp.quality = 101

        let error = #expect(throws: EncodeError.self) {
            try encoder.encode(Bitmap(width: 1, height: 1) { _ in }, as: .webp)
        }

        #expect(error?.message.hasPrefix("webp.quality") == true)
    }
    #endif
}
