import PlatformImage
import PlatformImageToolSupport
import Testing

@testable import imagetool

@Suite struct ThumbArgumentsTests {
    @Test func validSizesAreParsedAndInvalidOnesRejected() throws {
        let cases: [(String, Int?, Int?, ThumbnailFit?)] = [
            ("300x200", 300, 200, nil), ("300x", 300, nil, nil), ("x200", nil, 200, nil), ("64", 64, 64, nil),
            ("300x200>", 300, 200, .scaleDown), ("300x200!", 300, 200, .fill), ("300x200^", 300, 200, .cover),
            ("64^", 64, 64, .cover), ("1048576", 1_048_576, 1_048_576, nil),
        ]
        for (text, width, height, fit) in cases {
            let size = try #require(ThumbArguments.size(text), "\(text)")
            #expect(size.width == width && size.height == height && size.fit == fit, "\(text)")
        }
        let bad = ["", "x", ">", "0", "-5", "+5", "5x0", "5x-1", "5x5x5", "5 x5", "1048577", "5x5>>", "99999999999999"]
        for text in bad {
            #expect(ThumbArguments.size(text) == nil, "\(text)")
        }
    }

    @Test func validGravitiesAreParsedAndInvalidOnesRejected() {
        let cases: [(String, Gravity)] = [
            ("center", .center), ("NorthWest", .topLeft), ("topright", .topRight), ("south", .bottom), ("east", .right),
            ("0,1", .bottomLeft), ("0.25,0.5", Gravity(x: 0.25, y: 0.5)),
        ]
        for (text, gravity) in cases { #expect(ThumbArguments.gravity(text) == gravity, "\(text)") }
        for text in ["", "up", "1.1,0", "0,nan", "0", "0,0,0", "-0.1,0"] {
            #expect(ThumbArguments.gravity(text) == nil, "\(text)")
        }
    }

    @Test func validCropsAreParsedAndInvalidOnesRejected() {
        #expect(ThumbArguments.crop("30x20+5+7") == PixelRectangle(x: 5, y: 7, width: 30, height: 20))
        #expect(ThumbArguments.crop("30x20") == PixelRectangle(x: 0, y: 0, width: 30, height: 20))
        for text in ["", "30", "30x20+5", "0x5", "5x0", "30x20+-5+7", "30x20-5+7", "axb"] {
            #expect(ThumbArguments.crop(text) == nil, "\(text)")
        }
    }

    @Test func validColorsAreParsedAndInvalidOnesRejected() {
        #expect(ThumbArguments.color("#102030") == RGBA8(red: 16, green: 32, blue: 48))
        #expect(ThumbArguments.color("#10203040") == RGBA8(red: 16, green: 32, blue: 48, alpha: 64))
        #expect(ThumbArguments.color("White") == RGBA8(red: 255, green: 255, blue: 255))
        for text in ["", "#", "#12345", "102030", "#+02030", "#1020304", "purplish"] {
            #expect(ThumbArguments.color(text) == nil, "\(text)")
        }
    }

    @Test func outputTemplatesAreExpandedAndInvalidOnesRejected() throws {
        let cases: [(String, String, String)] = [
            ("{dir}/{name}-{w}x{h}.{ext}", "in/a.b.jpg", "in/a.b-30x20.png"), ("out/{name}", "a", "out/a"),
            ("{dir}/{name}", "/a.jpg", "//a"), ("{name}.{ext}", "-", "stdin.png"), ("{name}", "x/.hidden", ".hidden"),
            ("plain", "a.jpg", "plain"),
        ]
        for (template, input, path) in cases {
            let made = try OutputTemplate(template).path(for: input, size: (30, 20), format: .png)
            #expect(made == path, "\(template)")
        }
        #expect(try OutputTemplate("{w}").path(for: "a", size: nil, format: .png) == nil)
        #expect(try OutputTemplate("{ext}").path(for: "a", size: (1, 1), format: nil) == nil)
        #expect(try OutputTemplate("{name}.jpg").path(for: "a.x", size: nil, format: nil) == "a.jpg")
        for (text, format) in [("a.PNG", EncodedFormat.png), ("a.jpeg", .jpeg), ("{name}.apng", .png)] {
            #expect(try OutputTemplate(text).format == format)
        }
        #expect(try OutputTemplate("a.{ext}").format == nil && OutputTemplate("png").format == nil)
        for text in ["{", "{}", "{Name}", "a{b"] {
            #expect(throws: OutputTemplate.Malformed.self) { try OutputTemplate(text) }
        }
    }

    @Test func carriageReturnAtTheEndOfALineOfAListIsRemovedUnlessTheLineEndsWithNUL() {
        let lines = ["a", "b c\r", "d\r\r", "\r", ""]
        let paths = ["a", "b c", "d\r", nil, nil]
        for (line, path) in zip(lines, paths) {
            #expect(InputPaths.path(inLine: Array(line.utf8), endsWithNUL: false) == path)
            #expect(InputPaths.path(inLine: Array(line.utf8), endsWithNUL: true) == (line.isEmpty ? nil : line))
        }
    }
}
