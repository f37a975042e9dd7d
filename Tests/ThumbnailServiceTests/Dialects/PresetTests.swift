import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Presets and the list of allowed sizes: accepted targets and their meaning.
@Suite struct PresetTests {
    private static let presets = [
        "small": "fit-in/90x60/filters:quality(70):grayscale()", "square": "50x50/smart",
        "plain": "filters:quality(60)",
    ]

    private static func dialect(required: Bool = false) throws -> ThumborDialect {
        var dialect = ThumborDialect()
        dialect.signing.allowsUnsafe = true
        dialect.presets = try ThumborPresets(presets, areRequired: required)
        return dialect
    }

    static let meanings: [(parts: String, same: String)] = [
        ("filters:preset(small)", "fit-in/90x60/filters:quality(70):grayscale()"),
        ("filters:preset(square)", "50x50/smart"), ("300x200/filters:preset(plain)", "300x200/filters:quality(60)"),
        // If a value is set several times, the last one applies.
        ("300x200/filters:preset(square)", "50x50/smart"),
        ("filters:preset(small):quality(80)", "fit-in/90x60/filters:grayscale():quality(80)"),
        ("filters:quality(80):preset(small)", "fit-in/90x60/filters:quality(70):grayscale()"),
        ("filters:preset(square):preset(small)", "fit-in/90x60/smart/filters:quality(70):grayscale()"),
        ("meta/filters:preset(square)", "meta/50x50/smart"),
    ]

    @Test(arguments: Self.meanings)
    func targetWithAPresetIsParsedLikeThePartsOfThePreset(_ parts: String, _ same: String) throws {
        let dialect = try Self.dialect()
        let request = try dialect.parse("/unsafe/\(parts)/a.example/b.png".utf8)
        #expect(request == (try dialect.parse("/unsafe/\(same)/a.example/b.png".utf8)))
    }

    @Test(arguments: [
        "filters:preset(none)", "filters:preset()", "filters:preset(small,small)",
        // The filters of presets count towards the limit.
        "filters:" + String(repeating: "preset(small):", count: 6) + "grayscale()",
    ])
    func targetWithAnInvalidPresetFilterIsMalformed(_ parts: String) throws {
        let dialect = try Self.dialect()
        let error = #expect(throws: ServiceError.self) { try dialect.parse("/unsafe/\(parts)/a.example/b.png".utf8) }
        #expect(error?.reason == .malformed)
    }

    static let required: [(parts: String, isTaken: Bool)] = [
        ("filters:preset(small)", true), ("filters:preset(small):preset(plain)", true),
        ("meta/filters:preset(small)", true), ("", false), ("meta", false), ("90x60", false),
        ("90x60/filters:preset(small)", false), ("smart/filters:preset(small)", false), ("filters:quality(70)", false),
        ("filters:preset(small):quality(71)", false), ("filters:quality(71):preset(small)", false),
        ("filters:preset(small):unknown()", false), ("trim/filters:preset(small)", false),
    ]

    @Test(arguments: Self.required)
    func targetWithOperationsBesidesPresetsIsRejectedWithThePresetsOnlySetting(
        _ parts: String, _ isTaken: Bool
    ) throws {
        let dialect = try Self.dialect(required: true)
        let target = "/unsafe/\(parts.isEmpty ? "" : parts + "/")a.example/b.png"
        let request = try? dialect.parse(target.utf8)
        #expect((request != nil) == isTaken)
    }

    static let unreadable: [[String: String]] = [
        ["a": "no part"], ["a": "300x200/a.example"], ["a": "filters:quality(0)"], ["a": "filters:unknown()"],
        ["a": "filters:quality(70"], ["a": "debug"], ["a": "filters:preset(a)"], ["a b": "1x1"], ["": "1x1"], ["a": ""],
        ["a": "1x1//"], ["a": "smart/1x1"],
    ]

    @Test(arguments: Self.unreadable)
    func invalidPresetFailsTheStart(_ presets: [String: String]) {
        var configuration = ServiceConfiguration()
        configuration.output.presets = presets
        #expect(throws: ServiceError.self) { try Dialects(configuration) }
    }

    @Test func presetsOnlySettingWithoutPresetsFailsTheStart() {
        var configuration = ServiceConfiguration()
        configuration.output.presetsOnly = true
        #expect(throws: ServiceError.self) { try Dialects(configuration) }
    }

    static let sized: [(parts: String, isTaken: Bool)] = [
        ("20x", true), ("20x9999", true), ("fit-in/250x250", true), ("x20", true), ("0x250", true), ("-20x", true),
        ("10x10/filters:dpr(2)", true), ("meta", true), ("meta/77x", true), ("77x", false), ("x77", false),
        ("", false), ("origx20", false), ("20x/filters:dpr(2)", false), ("fit-in/77x20", false), ("smart", false),
        ("meta/77x/filters:blurhash()", false), ("filters:preset(small)", false), ("filters:preset(square)", true),
    ]

    @Test(arguments: Self.sized)
    func sizeOutsideTheAllowedListIsRejectedWith422(_ parts: String, _ isTaken: Bool) throws {
        var configuration = ServiceConfiguration()
        configuration.signing.allowsUnsafe = true
        configuration.output.presets = Self.presets
        configuration.output.sizes = [20, 50, 250]
        let dialects = try Dialects(configuration)
        let path = parts.isEmpty ? "" : parts + "/"
        let parses: [() throws -> Dialects.ParsedTarget] = [
            { try dialects.parse("/unsafe/\(path)a.example/b.png") },
            { try dialects.parsePost("/post/unsafe/\(path)body") },
        ]
        for parse in parses {
            do {
                _ = try parse()
                #expect(isTaken)
            } catch {
                #expect(!isTaken)
                #expect((error as? ServiceError)?.status == 422)
            }
        }
    }

    @Test func presetsOnlyServiceRendersAPresetAndRejectsAnotherSizeWith400() async throws {
        let file = try Bitmap.landscape(100, 80).png()
        try await withService {
            $0.output.presets = ["thumb": "fit-in/20x20/filters:format(jpeg)"]
            $0.output.presetsOnly = true
            $0.output.resourcePolicy = .crossOrigin
        } _: { service in
            let reply = try await service.send(
                "/post/unsafe/filters:preset(thumb)/body", method: "POST", body: file)
            #expect(reply.status == 200)
            #expect(reply["Content-Type"] == "image/jpeg")
            #expect(reply["Cross-Origin-Resource-Policy"] == "cross-origin")
            let bitmap = try ImageDecoder().decode(reply.body).bitmap
            #expect((bitmap.width, bitmap.height) == (20, 16))
            let refused = try await service.send("/post/unsafe/fit-in/20x20/body", method: "POST", body: file)
            #expect(refused.status == 400)
        }
    }
}
