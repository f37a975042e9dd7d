import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Targets of the IIIF Image API 3.0 (Docs/service-rules.md 3).
@Suite struct IIIFParserTests {
    @Test(arguments: [
        ("full/max/0/default.jpg", "max;jpeg;"), ("square/max/0/default.jpg", "square;max;jpeg;"),
        ("10,20,30,40/max/0/default.jpg", "region:10,20,30,40;max;jpeg;"),
        (
            "pct:10,20,30,40/max/0/default.png",
            "percent:100000000000,200000000000,300000000000,400000000000;max;png;"
        ),
        (
            "pct:41.6,7.5,.5,70./max/0/default.jpg",
            "percent:416000000000,75000000000,5000000000,700000000000;max;jpeg;"
        ),
        ("pct:0,0,100,100/max/0/default.jpg", "max;jpeg;"), ("pct:0.0,0,200,100/max/0/default.jpg", "max;jpeg;"),
        ("full/150,/0/default.jpg", "byWidth:150;jpeg;"), ("full/,150/0/default.jpg", "byHeight:150;jpeg;"),
        ("full/225,100/0/default.jpg", "exact:225,100;jpeg;"),
        ("full/!225,100/0/default.jpg", "confined:225,100;jpeg;"),
        ("full/pct:50/0/default.jpg", "scale:500000000000;jpeg;"),
        ("full/pct:12.5/0/default.jpg", "scale:125000000000;jpeg;"),
        ("full/%5Emax/0/default.jpg", "max;larger;jpeg;"), ("full/^360,/0/default.jpg", "byWidth:360;larger;jpeg;"),
        ("full/^,240/0/default.jpg", "byHeight:240;larger;jpeg;"),
        ("full/^pct:120/0/default.jpg", "scale:1200000000000;larger;jpeg;"),
        ("full/^360,360/0/default.jpg", "exact:360,360;larger;jpeg;"),
        ("full/%5E!360,360/0/default.jpg", "confined:360,360;larger;jpeg;"),
        ("full/max/90/default.jpg", "max;rotate:1;jpeg;"), ("full/max/180/default.jpg", "max;rotate:2;jpeg;"),
        ("full/max/270/default.jpg", "max;rotate:3;jpeg;"), ("full/max/360/default.jpg", "max;jpeg;"),
        ("full/max/90.0/default.jpg", "max;rotate:1;jpeg;"), ("full/max/!0/default.jpg", "max;mirror;jpeg;"),
        ("full/max/!90/default.jpg", "max;mirror;rotate:1;jpeg;"),
        ("full/max/%21180/default.jpg", "max;mirror;rotate:2;jpeg;"),
        ("full/max/0/color.jpg", "max;jpeg;"), ("full/max/0/gray.jpg", "max;gray;jpeg;"),
        ("full/max/0/bitonal.png", "max;bitonal;png;"), ("full/max/270/gray.png", "max;rotate:3;gray;png;"),
        ("%66ull/max/0/default.jpg", "max;jpeg;"),
        (
            "pct%3A10,20,30,40/max/0/default.jpg",
            "percent:100000000000,200000000000,300000000000,400000000000;max;jpeg;"
        ),
    ])
    func parsedIIIFTargetHasTheExpectedCanonicalForm(_ parts: String, _ canonicalText: String) throws {
        guard case .image(let request) = try IIIFDialect().parse(Array("/iiif/3/id/\(parts)".utf8)) else {
            Issue.record("not parsed as an image request")
            return
        }

        #expect(request.source == .identifier("id"))
        #expect(ThumborParserTests.canonicalText(request) == canonicalText)
    }

    @Test(arguments: [
        "full/max/0/default", "full/max/0/.jpg", "full/max/0/default.", "full/max/0/default.bmp",
        "full/max/0/default.jp2",
        "full/max/0/default.pdf", "full/max/0/default.tif", "full/max/0/default.jpeg", "full/max/0/default.JPG",
        "full/max/0/native.jpg", "full/max/0/grey.jpg", "full/max/0/default.jpg.png", "full/max/0/",
        "full/max/45/default.jpg", "full/max/22.5/default.jpg", "full/max/-90/default.jpg", "full/max/450/default.jpg",
        "full/max//default.jpg", "full/max/!/default.jpg", "full/max/!!0/default.jpg", "full/max/90!/default.jpg",
        "full/max/1e2/default.jpg", "full/full/0/default.jpg", "full//0/default.jpg", "full/,/0/default.jpg",
        "full/0,/0/default.jpg", "full/,0/0/default.jpg", "full/0,10/0/default.jpg", "full/10,0/0/default.jpg",
        "full/10/0/default.jpg", "full/10,10,10/0/default.jpg", "full/-10,/0/default.jpg", "full/1.5,/0/default.jpg",
        "full/a,b/0/default.jpg", "full/!10,/0/default.jpg", "full/!,10/0/default.jpg", "full/pct:0/0/default.jpg",
        "full/pct:101/0/default.jpg", "full/pct:-5/0/default.jpg", "full/pct:/0/default.jpg",
        "full/pct:a/0/default.jpg",
        "full/^/0/default.jpg", "full/^^max/0/default.jpg", "full/!^10,10/0/default.jpg", "full/+10,/0/default.jpg",
        "full/99999999999999999999,/0/default.jpg", "full/max /0/default.jpg", "full/\u{FF11},/0/default.jpg",
        "0,0,0,10/max/0/default.jpg", "0,0,10,0/max/0/default.jpg", "0,0,10/max/0/default.jpg",
        "0,0,10,10,10/max/0/default.jpg", "-1,0,10,10/max/0/default.jpg", "1.5,0,10,10/max/0/default.jpg",
        "a,b,c,d/max/0/default.jpg", "pct:0,0,0,10/max/0/default.jpg", "pct:0,0,10,0/max/0/default.jpg",
        "pct:-1,0,10,10/max/0/default.jpg", "pct:0,0,10/max/0/default.jpg", "pct:1,2,3,4,5/max/0/default.jpg",
        "Full/max/0/default.jpg", "/max/0/default.jpg",
        "full/max/0", "full/max", "full", "info", "info.xml", "Info.json",
    ])
    func iiifTargetWithInvalidParametersIsMalformed(_ parts: String) {
        #expect(reason(of: "/iiif/3/id/\(parts)") == .malformed)
    }

    @Test(arguments: ["a/b/full/max/0/default.jpg", "id/full/max/0/default.jpg/", "id/full/max/0/default.jpg/more"])
    func iiifIdentifierWithUnencodedSlashesIsNotFound(_ path: String) {
        #expect(reason(of: "/iiif/3/\(path)") == .notFound)
    }

    @Test func infoJSONTargetIsParsedAndTheBaseURIRedirectsToInfoJSON() throws {
        let dialect = IIIFDialect()

        guard case .info(let request, "a%2Fb") = try dialect.parse(Array("/iiif/3/a%2Fb/info.json".utf8)) else {
            Issue.record("not parsed as a request for info.json")
            return
        }
        #expect(request.source == .identifier("a/b"))
        #expect(request.output.kind == .iiifInfo)
        #expect(try dialect.parse(Array("/iiif/3/a%2Fb".utf8)) == .redirect("/iiif/3/a%2Fb/info.json"))
        #expect(try dialect.parse(Array("/iiif/3/a%2Fb/".utf8)) == .redirect("/iiif/3/a%2Fb/info.json"))
        // Bytes of the request target that are not valid in a URL are percent-encoded in the Location field.
        #expect(
            try dialect.parse(Array("/iiif/3/a\u{FC}\"<%22".utf8)) == .redirect("/iiif/3/a%C3%BC%22%3C%22/info.json"))
    }

    @Test func iiifIdentifierIsPercentDecodedOnce() throws {
        for (raw, identifier) in [
            ("id", "id"), ("67352ccc-d1b0-11e1-89ae-279075081939", "67352ccc-d1b0-11e1-89ae-279075081939"),
            ("a%2Fb%2Fc.jpg", "a/b/c.jpg"), ("a%20b", "a b"), ("%C3%BC", "ü"),
            ("ark:%2F12025%2F654", "ark:/12025/654"),
            ("%5B%5D", "[]"), ("%3F%23", "?#"), ("100%", "100%"), ("..a", "..a"), ("a..", "a.."), ("...", "..."),
            ("a%2F.b%2Fc;v=1", "a/.b/c;v=1"), ("a%252Fb", "a%2Fb"), ("a%25252Fb", "a%252Fb"),
        ] {
            guard case .info(let request, _) = try IIIFDialect().parse(Array("/iiif/3/\(raw)/info.json".utf8)) else {
                Issue.record("\(raw) is not parsed as a request for info.json")
                continue
            }
            #expect(request.source == .identifier(identifier))
        }
        for raw in ["", "a[b", "a]b", "a%00b", "a%0Ab", "%FF", "a/b"] {
            #expect(reason(of: "/iiif/3/\(raw)/info.json") == .malformed, "\(raw)")
        }
        #expect(reason(of: "/iiif/3/id/info.json?x") == .queryRefused)
        #expect(reason(of: "/iiif/2/id/info.json") == .malformed)
        #expect(reason(of: "/iiif/3/" + String(repeating: "a", count: 9000)) == .targetTooLong)
    }

    @Test(
        .requirement("X2"),
        arguments: [
            "..", ".", "%2E%2E", "%2e.", "..%2Fa", "a%2F..", "a%2F..%2Fb", "..%2F..%2Fsecret.png", "%2e%2e%2fa",
            ".%2Fa", "%252F", "%25252F",
            "a%2F.%2Fb", "%2F", "%2Fa", "a%2F", "a%2F%2Fb", "a%2f%2fb", "..;", "..;x=1%2Fa", "a%2F..;%2Fb", "a%2F;%2Fb",
            ";", "a%2F;b", ".;a", "%2E%2E%3B%2Fa", "..%00".replacing("%00", with: "%2500"), "%252e%252e",
            "%252e%252e%252fa", "..%252Fa", "a%252F..%252Fb", "a%252F%252Fb", "%252E", "%252E%253Bx", "%25252e.%2Fa",
            "%25252E%25252E%25252Fa", "..%5Ca", "a%5C..%5Cb", "..%255Ca", "a%5C%5Cb", "%2525252525252e",
        ])
    func iiifIdentifierWithAnEmptyOrDotSegmentIsNotFound(_ raw: String) {
        #expect(reason(of: "/iiif/3/\(raw)/info.json") == .notFound)
        #expect(reason(of: "/iiif/3/\(raw)/full/max/0/default.jpg") == .notFound)
        // The base URI of such an identifier is not redirected to info.json.
        #expect(reason(of: "/iiif/3/\(raw)") == .notFound)
    }

    @Test func iiifFormatWithAnEncoderIsAccepted() throws {
        var dialect = IIIFDialect()
        dialect.formats = [.jpeg, .png, .gif, .tiff, .webp]

        for (suffix, format) in [
            ("gif", OutputFormatRequest.Format.gif), ("tif", .tiff), ("webp", .webp), ("jpg", .jpeg),
        ] {
            guard case .image(let request) = try dialect.parse(Array("/iiif/3/i/full/max/0/default.\(suffix)".utf8))
            else {
                Issue.record("not parsed as an image request")
                continue
            }
            #expect(request.output.format == format)
        }
    }

    @Test func defaultFormatsAreThoseWithAnEncoder() {
        let webP: Set<OutputFormatRequest.Format> = EncodedFormat.webp.isAvailable ? [.webp] : []

        #expect(IIIFDialect().formats == webP.union([.jpeg, .png, .gif]))
        #expect(IIIFInfo(id: "i", width: 1, height: 1).formats == IIIFDialect().formats)
    }

    @Test func infoJSONContainsSizesTilesAndLimits() {
        var info = IIIFInfo(id: "http://h/iiif/3/a%2Fb\"\u{1F600}", width: 6000, height: 4000)
        info.formats = [.jpeg, .png, .webp, .gif, .tiff]

        #expect(
            info.json == """
                {"@context":"http://iiif.io/api/image/3/context.json",\
                "id":"http://h/iiif/3/a%2Fb\\"\\ud83d\\ude00","type":"ImageService3",\
                "protocol":"http://iiif.io/api/image","profile":"level2","width":6000,"height":4000,\
                "maxWidth":8192,"maxHeight":8192,"maxArea":50000000,\
                "sizes":[{"width":375,"height":250},{"width":750,"height":500},{"width":1500,"height":1000},\
                {"width":3000,"height":2000},{"width":6000,"height":4000}],\
                "tiles":[{"width":512,"height":512,"scaleFactors":[1,2,4,8,16]}],"preferredFormats":["jpg","png"],\
                "extraFormats":["gif","tif","webp"],\
                "extraQualities":["color","gray","bitonal"],\
                "extraFeatures":["mirroring","sizeUpscaling","canonicalLinkHeader","profileLinkHeader"]}
                """)
    }

    @Test func everySizeInInfoJSONIsAcceptedInARequest() throws {
        for (width, height) in [(1, 1), (1000, 1000), (513, 7), (9000, 9000), (40_000, 11)] {
            let info = IIIFInfo(id: "i", width: width, height: height)
            let region = PixelRectangle(x: 0, y: 0, width: width, height: height)
            let numbers = info.json.split(separator: "\"sizes\":[")[1].split(separator: "]")[0].split { !$0.isNumber }
            #expect(numbers.count % 2 == 0)
            for index in stride(from: 0, to: numbers.count, by: 2) {
                let form = IIIFSize.Form.exact(width: Int(numbers[index]) ?? 0, height: Int(numbers[index + 1]) ?? 0)
                _ = try info.rules.size(IIIFSize(form: form), of: region)
            }
        }
    }

    @Test func infoJSONMediaTypeIsJSONLDOnlyIfAcceptListsJSONLD() {
        let linked = "application/ld+json;profile=\"http://iiif.io/api/image/3/context.json\""
        for accept in ["application/ld+json", "text/html, application/LD+JSON;q=0.9", linked] {
            #expect(IIIFInfo.mediaType(accept: accept) == linked)
        }
        for accept in [nil, "", "*/*", "application/json", "application/ld+jsonx"] {
            #expect(IIIFInfo.mediaType(accept: accept) == "application/json")
        }
    }

    private func reason(of target: String) -> ServiceError.Reason? {
        Result { () throws(ServiceError) in try IIIFDialect().parse(Array(target.utf8)) }.refusal
    }
}
