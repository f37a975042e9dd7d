import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Every filter of Docs/service-rules.md 2.2, and invalid arguments.
@Suite struct ThumborFilterTests {
    @Test(arguments: [
        ("grayscale()", "gray;"), ("equalize()", "equalize;"), ("upscale()", "upscale;"),
        ("brightness(-50)", "brightness:-50;"), ("brightness( 50 )", "brightness:50;"), ("contrast(0)", "contrast:0;"),
        ("saturation(1.5)", "saturation:15000000000;"), ("saturation(-.5)", "saturation:-5000000000;"),
        ("rgb(10,-20,30)", "rgb:10,-20,30;"), ("rgb(10, -20, 30)", "rgb:10,-20,30;"),
        ("blur(4)", "blur:4,40000000000;"), ("blur(4,2)", "blur:4,20000000000;"), ("blur(4,0)", "blur:4,40000000000;"),
        ("blur(200)", "blur:150,2000000000000;"), ("blur(5000)", "blur:150,10000000000000;"),
        ("sharpen(2,1.5,true)", "sharpen:20000000000,15000000000,1;"),
        ("sharpen(2.0,1.50,1)", "sharpen:20000000000,15000000000,1;"),
        ("sharpen(0,0,False)", "sharpen:0,0,0;"),
        ("rotate(90)", "rotate:3;"), ("rotate(180)", "rotate:2;"), ("rotate(270)", "rotate:1;"),
        ("rotate(-90)", "rotate:1;"), ("rotate(450)", "rotate:3;"), ("rotate(0)", ""), ("rotate(-720)", ""),
        ("proportion(0.5)", "proportion:5000000000;"), ("proportion(1)", ""), ("proportion(1.000)", ""),
        ("fill(white)", "fill:4294967295,0;"), ("fill(White,true)", "fill:4294967295,1;"),
        ("fill(fff)", "fill:4294967295,0;"), ("fill(f00,0)", "fill:4278190335,0;"),
        ("fill(f008)", "fill:4278190216,0;"), ("fill(ff000080)", "fill:4278190208,0;"),
        ("fill(transparent)", "fill:0,0;"), ("fill(auto)", "fillAverage:0;"), ("fill(blur,1)", "fillBlur:1;"),
        ("background_color(black)", "under:255;"), ("background_color('black')", "under:255;"),
        ("round_corner(20,255,255,255)", "corner:20,20,4294967295,0;"),
        ("round_corner(20|30,0,0,0,true)", "corner:20,30,255,1;"),
        ("convolution(1;2;1,3)", "convolution:3,1,10000000000,20000000000,10000000000;"),
        ("convolution(-1;0.5,1,false)", "convolution:1,0,-10000000000,5000000000;"),
        ("format(png)", "png;"), ("format(JPG)", "jpeg;"), ("format(jpeg)", "jpeg;"), ("format(webp)", "webp;"),
        ("format(gif)", "gif;"), ("format(heic)", "heif;"), ("format(png):format(jpeg)", "jpeg;"),
        ("max_bytes(40000)", "bytes:40000;"), ("autojpg()", "autojpg;"), ("autojpg(true)", "autojpg;"),
        ("autojpg(False)", ""), ("page(3)", "page:3;"), ("page(1)", ""), ("strip_exif()", ""), ("strip_icc()", ""),
        ("cover()", "still;"), ("blurhash()", ""), ("max_age(60)", ""), ("expire(1700000000000)", ""),
        ("attachment()", ""),
        ("attachment('a, b.jpg')", ""), ("no_upscale()", ""), ("stretch()", ""), ("dpr(2)", ""),
        ("focal(1x2:30x40)", ""), ("grayscale():blur(1)", "gray;blur:1,10000000000;"),
        ("blur(1):grayscale()", "blur:1,10000000000;gray;"), ("fill%28red%29", nil),
        ("fill(re%64)", "fill:4278190335,0;"),
        ("rgb(1%2C2%2C3)", "rgb:1,2,3;"), ("blur(4,%202)", "blur:4,20000000000;"),
    ])
    func parsedFilterHasTheExpectedCanonicalForm(_ text: String, _ canonicalText: String?) throws {
        let result = Result { () throws(ServiceError) in try parse("filters:\(text)/h/a") }

        guard let canonicalText else {
            #expect(result.refusal == .malformed)
            return
        }
        #expect(ThumborParserTests.canonicalText(try result.get()) == canonicalText)
    }

    @Test(
        .requirement("SV15"),
        arguments: [
            "grayscale(1)", "grayscale(,)", "quality()", "quality(0)", "quality(101)", "quality(-1)", "quality(80,1)",
            "quality(1e2)", "quality(+80)", "quality(NaN)", "quality(\u{FF13})", "quality(99999999999999999999)",
            "quality(8 0)", "quality('')", "format()", "format(bmp)", "format(png,jpeg)", "fill()", "fill(nocolor)",
            "fill(12345)", "fill(#fff)", "fill(red,maybe)", "fill(red,true,1)", "background_color()",
            "background_color(auto)", "no_upscale(1)", "stretch(true)", "proportion()", "proportion(0)",
            "proportion(1.01)", "proportion(-0.5)", "proportion(a)", "proportion(.)", "proportion(0.5.5)",
            "max_bytes(0)", "max_bytes(-5)", "max_bytes(1000000000)", "rotate(45)", "rotate(90.0)", "rotate()",
            "focal()", "focal(1,2,3,4)", "focal(1x2)", "focal(-1x2:3x4)", "focal(1x2:3x4:5)", "page(0)", "page(-1)",
            "blur()", "blur(0)", "blur(1.5)", "blur(1,-1)", "blur(1,2,3)", "blur(inf)", "sharpen(1)", "sharpen(1,2)",
            "sharpen(-1,2,true)", "sharpen(1,2,yes)", "brightness(1001)", "brightness(--5)", "contrast(5.5)",
            "saturation(nan)", "saturation(1001)", "rgb(1,2)", "rgb(1,2,3,4)", "rgb(1,,3)", "max_age()", "max_age(-1)",
            "max_age(1h)", "expire(x)", "expire(1234567890123456)", "autojpg(2)", "dpr(0)", "dpr(8.5)", "dpr(-1)",
            "round_corner(20)", "round_corner(20,256,0,0)", "round_corner(1|2|3,0,0,0)", "round_corner(|1,0,0,0)",
            "convolution()", "convolution(1;2;3,2)", "convolution(1;;3,3)", "convolution(1;2,0)", "convolution(1;2)",
            "attachment('a/b')", "attachment(a%0Ab)", "attachment('a)", "blurhash(4)", "strip_exif(1)", "cover(1)",
        ])
    func thumborFilterWithInvalidArgumentsIsMalformed(_ text: String) {
        #expect(ThumborParserTests.reason(of: "/unsafe/filters:\(text)/h/a") == .malformed)
    }

    @Test(arguments: [
        "blur(1)blur(2)", "blur", "blur(", "(1)", "a b(1)", "blur(1):", ":blur(1)", "blur(1)::blur(2)", "é(1)",
    ])
    func invalidFilterListIsMalformed(_ text: String) {
        #expect(ThumborParserTests.reason(of: "/unsafe/filters:\(text))/h/a") == .malformed)
    }

    @Test func unknownFilterIsIgnoredAndReported() throws {
        let text = "watermark(http://w/a.png,0,0,50):grayscale():frame(it's,(a)):watermark(b)"

        let request = try parse("300x200/filters:\(text)/http://h/a.jpg")

        #expect(ThumborParserTests.canonicalText(request) == "width:300;height:200;gray;")
        #expect(request.policy.ignoredFilters == ["watermark", "frame"])
        #expect(request.source == .url("http://h/a.jpg"))
    }

    @Test func unknownFilterIsRejectedWithTheRefusesUnknownFiltersOption() {
        var dialect = ThumborParserTests.dialect
        dialect.refusesUnknownFilters = true

        let result = Result { () throws(ServiceError) in try dialect.parse("/unsafe/filters:frame(a)/h/a".utf8) }

        #expect(result.refusal == .malformed)
    }

    @Test func targetWithMoreThan16FiltersIsMalformed() throws {
        for name in ["grayscale", "unknown"] {
            let filters = Array(repeating: "\(name)()", count: 16).joined(separator: ":")
            _ = try parse("filters:\(filters)/h/a")
            #expect(ThumborParserTests.reason(of: "/unsafe/filters:\(filters):\(name)()/h/a") == .malformed)
        }
    }

    @Test func filterListEndsAtTheFirstClosingParenthesisBeforeASlash() throws {
        let request = try parse("filters:grayscale()/h/a(b)/c")

        #expect(ThumborParserTests.canonicalText(request) == "gray;")
        #expect(request.source == .url("http://h/a(b)/c"))
        #expect(ThumborParserTests.reason(of: "/unsafe/filters:grayscale()/filters:blur(1)/a") == .malformed)
    }

    @Test func filtersNoUpscaleAndStretchAndFocalAndDPRChangeTheCanonicalForm() throws {
        #expect(try canonicalText("300x200/filters:no_upscale()") == "width:300;height:200;smaller;")
        #expect(try canonicalText("300x200/filters:stretch()") == "stretch;width:300;height:200;")
        #expect(try canonicalText("fit-in/300x200/filters:stretch()") == "fit:0,0;width:300;height:200;")
        #expect(try canonicalText("300x200/filters:focal(1x2:30x40)") == "width:300;height:200;focal:1,2,30,40;")
        #expect(try canonicalText("300x200/filters:focal(5x5:5x9)") == "width:300;height:200;")
        #expect(try canonicalText("300x200/filters:dpr(2)") == "width:600;height:400;")
        #expect(try canonicalText("300x201/filters:dpr(1.5)") == "width:450;height:302;")
        #expect(try canonicalText("0x1/filters:dpr(0.1)") == "height:1;")
        #expect(try canonicalText("origx10/filters:dpr(3)") == "width:-1;height:30;")
        #expect(ThumborParserTests.reason(of: "/unsafe/999999999x1/filters:dpr(2)/h/a") == .malformed)
    }

    @Test func maxAgeAndExpireAndAttachmentFiltersSetTheResponsePolicy() throws {
        let filters = "max_age(60):expire(1700000000000):attachment('a, b.jpg')"

        let policy = try parse("filters:\(filters)/h/a").policy

        #expect(policy.maxAge == 60)
        #expect(policy.expires == 1_700_000_000_000)
        #expect(policy.attachmentName == "a, b.jpg")
        #expect(try parse("filters:attachment()/h/a").policy.attachmentName?.isEmpty == true)
        #expect(try parse("filters:max_age(0)/h/a").policy.maxAge == 0)
    }

    @Test func blurHashFilterHasAnEffectOnlyInRequestsForMetadataJSON() throws {
        #expect(try canonicalText("meta/filters:blurhash()") == "meta:1;")
        #expect(try canonicalText("filters:blurhash()") == "")
    }

    @Test func colorIsParsedFromANameOrFrom3Or4Or6Or8HexDigits() {
        #expect(RGBA8(named: "rebeccapurple") == RGBA8(red: 0x66, green: 0x33, blue: 0x99))
        #expect(RGBA8(named: "1a2B3c") == RGBA8(red: 0x1A, green: 0x2B, blue: 0x3C))
        #expect(RGBA8(named: "1a2") == RGBA8(red: 0x11, green: 0xAA, blue: 0x22))
        #expect(RGBA8(named: "1a28") == RGBA8(red: 0x11, green: 0xAA, blue: 0x22, alpha: 0x88))
        #expect(RGBA8(named: "1a2B3c80") == RGBA8(red: 0x1A, green: 0x2B, blue: 0x3C, alpha: 0x80))
        #expect(RGBA8(named: "") == nil)
        #expect(RGBA8(named: "1234567") == nil)
        #expect(RGBA8(named: "ggg") == nil)
    }

    private func parse(_ parts: String) throws(ServiceError) -> ThumbnailRequest {
        try ThumborParserTests.dialect.parse("/unsafe/\(parts)".utf8)
    }

    private func canonicalText(_ parts: String) throws(ServiceError) -> String {
        ThumborParserTests.canonicalText(try parse("\(parts)/h/a"))
    }
}
