import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Two requests have equal canonical forms if and only if their results are equal (Docs/service-rules.md 1.2).
@Suite struct CanonicalFormTests {
    @Test(arguments: [
        [
            "300x0/h/a", "300x/h/a", "00300x000/h/a", "300x/center/middle/h/a", "300x/filters:quality(80)/h/a",
            "300x/http://h/a", "300x/HTTP://H/a", "300x/filters:strip_exif():strip_icc()/h/a",
            "300x/filters:max_age(60):attachment(a)/h/a", "300x/filters:rotate(360)/h/a", "300x/filters:page(1)/h/a",
            "300x/filters:unknown()/h/a", "0x0:0x0/300x/h/a", "150x/filters:dpr(2)/h/a", "300x/filters:dpr(1.0)/h/a",
            "300x/filters:quality(10):quality(80)/h/a", "300x/filters:proportion(1)/h/a", "300x/http%3A%2F%2Fh/a",
        ],
        [
            "fit-in/300x200/h/a", "fit-in/300x200/smart/h/a", "fit-in/300x200/right/bottom/h/a",
            "fit-in/300x200/filters:focal(1x2:3x4)/h/a", "fit-in/300x200/filters:stretch()/h/a",
        ],
        [
            "h/a", "x/h/a", "fit-in/h/a", "fit-in/0x0/h/a", "full-fit-in/x/h/a", "smart/h/a",
            "filters:no_upscale()/h/a",
            "filters:stretch()/h/a", "adaptive-fit-in/0x/h/a",
        ],
        [
            "300x200/filters:blur(3)/h/a", "300x200/filters:blur(3,3)/h/a", "300x200/filters:blur( 3 , 3.00 )/h/a",
            "300x200/filters:blur(3,0)/h/a",
        ],
        [
            "300x200/filters:fill(white)/h/a", "300x200/filters:fill(FFFFFF,false)/h/a",
            "300x200/filters:fill(ffff,0)/h/a",
        ],
        ["trim/h/a", "trim:0/h/a", "trim:top-left/h/a", "trim:top-left:0/h/a"],
        ["meta/300x200/h/a", "meta/300x200/filters:quality(80)/h/a"],
        ["300x200/filters:format(jpg):grayscale()/h/a", "300x200/filters:grayscale():format(jpeg)/h/a"],
    ])
    func equivalentRequestsHaveEqualCanonicalForms(_ parts: [String]) throws {
        let forms = try parts.map { try request($0).canonicalBytes }

        for (form, part) in zip(forms, parts) {
            #expect(form == forms[0], "\(part)")
        }
    }

    @Test(.requirement("SV18")) func differentRequestsHaveDifferentCanonicalForms() throws {
        let parts = [
            "h/a", "h/b", "i/a", "https://h/a", "h/a%3Fb", "300x/h/a", "x300/h/a", "300x300/h/a", "-300x/h/a",
            "300x-0/h/a", "origx/h/a", "origxorig/h/a", "fit-in/300x/h/a", "full-fit-in/300x/h/a",
            "adaptive-fit-in/300x200/h/a", "adaptive-full-fit-in/300x200/h/a", "fit-in/300x200/h/a", "300x200/h/a",
            "300x200/left/h/a", "300x200/right/h/a", "300x200/top/h/a", "300x200/bottom/h/a", "300x200/smart/h/a",
            "300x200/filters:stretch()/h/a", "300x200/filters:no_upscale()/h/a", "300x200/filters:upscale()/h/a",
            "300x200/filters:focal(1x2:3x4)/h/a", "300x200/filters:focal(1x2:3x5)/h/a", "1x2:3x4/h/a", "1x2:3x5/h/a",
            "trim/h/a", "trim:1/h/a", "trim:bottom-right/h/a", "meta/h/a", "meta/filters:blurhash()/h/a",
            "filters:quality(79)/h/a", "filters:format(png)/h/a", "filters:format(jpeg)/h/a",
            "filters:max_bytes(1)/h/a",
            "filters:autojpg()/h/a", "filters:cover()/h/a", "filters:page(2)/h/a", "filters:grayscale()/h/a",
            "filters:equalize()/h/a",
            "filters:rotate(90)/h/a", "filters:rotate(180)/h/a", "filters:proportion(0.5)/h/a", "filters:fill(red)/h/a",
            "filters:fill(red,1)/h/a", "filters:fill(auto)/h/a", "filters:fill(blur)/h/a",
            "filters:background_color(red)/h/a", "filters:blur(1)/h/a", "filters:blur(1,2)/h/a",
            "filters:sharpen(1,2,true)/h/a", "filters:sharpen(1,2,false)/h/a", "filters:brightness(1)/h/a",
            "filters:contrast(1)/h/a", "filters:saturation(1)/h/a", "filters:rgb(1,2,3)/h/a",
            "filters:rgb(12,3,3)/h/a", "filters:round_corner(1,2,3,4)/h/a", "filters:round_corner(1,2,3,4,1)/h/a",
            "filters:convolution(1;2;3;4,2)/h/a", "filters:convolution(1;2;3;4,4)/h/a",
            "filters:convolution(1;2;3;4,2,0)/h/a", "filters:grayscale():blur(1)/h/a",
            "filters:blur(1):grayscale()/h/a", "filters:grayscale():grayscale()/h/a",
            // Client text in the syntax of the canonical form.
            "h/a;width:300;", "h/a;quality:80;",
        ]
        var seen: [[UInt8]: String] = [:]

        for part in parts {
            let form = try request(part).canonicalBytes
            #expect(seen[form] == nil, "\(part) is \(seen[form] ?? "")")
            seen[form] = part
        }
    }

    @Test(.requirement("SV18")) func sourcesOfDifferentKindsHaveDifferentCanonicalForms() {
        let sources: [SourceName] = [.url("a"), .file("a"), .identifier("a"), .body, .file(""), .url("")]
        let operations = Operations()
        let forms = sources.map {
            ThumbnailRequest(source: $0, operations: operations, output: OutputFormatRequest(quality: 80))
                .canonicalBytes
        }

        #expect(Set(forms).count == sources.count)
    }

    @Test(.requirement("SV18")) func negotiatedFormatsArePartOfTheCanonicalFormUnlessTheyAreTheStandard() throws {
        let plain = try request("h/a")
        let tables: [NegotiatedFormats] = [
            .standard, .init(jpeg: .png), .init(jpeg: .webp), .init(png: .jpeg), .init(png: .webp), .init(gif: .png),
            .init(gif: .webp), .init(animatedGIF: nil), .init(animatedGIF: .webp), .init(animatedGIF: .apng),
            .init(otherAnimation: .gif), .init(otherAnimation: .webp), .init(otherAnimation: .apng),
            .init(candidates: [.jpeg]), .init(candidates: [.jpeg, .png]), .init(candidates: [.webp, .jpeg, .png]),
        ]
        let forms = tables.map { table in
            var request = plain
            request.output.negotiated = table
            return request.canonicalBytes
        }

        #expect(Set(forms).count == tables.count)
        #expect(forms[0] == plain.canonicalBytes)
    }

    @Test func explicitQualityEqualToTheDefaultDoesNotChangeTheCanonicalForm() throws {
        var dialect = ThumborParserTests.dialect
        dialect.defaultQuality = 70

        let plain = try dialect.parse("/unsafe/h/a".utf8).canonicalBytes
        let written = try dialect.parse("/unsafe/filters:quality(70)/h/a".utf8).canonicalBytes

        #expect(plain == written)
        #expect(try request("h/a").canonicalBytes != plain)
    }

    private func request(_ parts: String) throws(ServiceError) -> ThumbnailRequest {
        try ThumborParserTests.dialect.parse("/unsafe/\(parts)".utf8)
    }
}
