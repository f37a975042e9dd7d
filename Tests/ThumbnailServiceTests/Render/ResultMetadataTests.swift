import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Metadata and profiles of results (`output.metadata`, `strip_exif()`, `strip_icc()`).
@Suite struct ResultMetadataTests {
    /// A source with metadata and a wide-gamut profile.
    enum Source: CaseIterable {
        case jpeg, png, webP, tiff

        static var available: [Self] { allCases.filter { EncodedFormat.webp.isAvailable || $0 != .webP } }

        var bytes: [UInt8] {
            get throws {
                switch self {
                case .jpeg: try Self.file(.jpeg)
                case .png: try Self.file(.png)
                case .webP: try Self.file(.webp)
                case .tiff: try Fixture.file("tiff/rgb8-icc.tif")
                }
            }
        }

        private static func file(_ format: EncodedFormat) throws -> [UInt8] {
            let bytes = try Fixture.file("jpeg/icc-p3.jpg")
            let (decoder, profile) = try ImageDecoder().keepingProfile(of: bytes)
            var encoder = ImageEncoder(options: ResultMetadataTests.allMetadata)
            encoder.options.iccProfile = profile
            encoder.options.webp.isLossless = true
            return try encoder.encode(decoder.decode(bytes).bitmap, as: format)
        }
    }

    /// EXIF with Make, Artist and Copyright (each `Ada`), and with a GPS IFD; little-endian.
    private static let exif: [UInt8] =
        Array("II".utf8) + [42, 0, 8, 0, 0, 0, 4, 0] + text(0x010F) + text(0x013B) + text(0x8298)
        + [0x25, 0x88, 4, 0, 1, 0, 0, 0, 62, 0, 0, 0] + [0, 0, 0, 0]
        // GPSLatitudeRef N at offset 62.
        + [1, 0, 1, 0, 2, 0, 2, 0, 0, 0, 78, 0, 0, 0, 0, 0, 0, 0]

    /// An entry of an IFD with the text `Ada`.
    private static func text(_ tag: UInt16) -> [UInt8] {
        [UInt8(tag & 0xFF), UInt8(tag >> 8), 2, 0, 4, 0, 0, 0] + Array("Ada".utf8) + [0]
    }

    private static let xmp = Array(
        """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
        <rdf:Description rdf:about="" xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/" \
        xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmpRights:WebStatement="https://images.example/" \
        photoshop:City="Reykjavik" photoshop:Headline="A title"/></rdf:RDF></x:xmpmeta>
        """.utf8)

    private static var allMetadata: EncodeOptions {
        var options = EncodeOptions()
        options.metadata = ImageMetadata(exif: exif, xmp: xmp, iptc: [0x1C, 2, 116, 0, 3] + Array("Ada".utf8))
        options.metadataPolicy = .all
        return options
    }

    private let renderer = Renderer()

    private static func request(_ parts: String, _ policy: MetadataPolicy) throws(ServiceError) -> ThumbnailRequest {
        var dialect = ThumborParserTests.dialect
        dialect.metadata = policy
        return try dialect.parse("/unsafe/\(parts)h/a".utf8)
    }

    @Test(arguments: Source.available, MetadataPolicy.allCases)
    func resultContainsWhatThePolicyKeepsInEveryOutputFormat(_ source: Source, _ policy: MetadataPolicy) throws {
        let bytes = try source.bytes
        let profile = try #require(try ImageDecoder().iccProfile(of: bytes))
        let metadata = try ImageDecoder().metadata(of: bytes)
        #expect(source == .tiff || !metadata.isEmpty)
        for format in EncodedFormat.allCases where format.isAvailable {
            let parts = "filters:format(\(format.rawValue))/"

            let image = try renderer.render(bytes, Self.request(parts, policy))

            let hasProfile = policy != .strip && format != .gif
            var expected = metadata.filtered(
                by: format == .gif ? .strip : policy, width: image.width, height: image.height, hasProfile: hasProfile)
            // A WebP has no place for IPTC.
            if format == .webp { expected.iptc = nil }
            #expect(image.format == format)
            #expect(try ImageDecoder().metadata(of: image.bytes) == expected, "\(format)")
            #expect(try ImageDecoder().iccProfile(of: image.bytes) == (hasProfile ? profile : nil), "\(format)")
            if policy == .strip, format != .gif { #expect(try image.bytes == plain(bytes, parts)) }
            // A viewer that applies the profile shows the colours of the result without a profile.
            if format == .png {
                let (shown, colors) = (try pixels(image.bytes), try pixels(plain(bytes, parts)))
                #expect(shown == colors)
                #expect(try (shown == pixelsAsStored(image.bytes)) == !hasProfile)
            }
        }
    }

    private func plain(_ bytes: [UInt8], _ parts: String) throws -> [UInt8] {
        try renderer.render(bytes, ThumborParserTests.dialect.parse("/unsafe/\(parts)h/a".utf8)).bytes
    }

    private func pixels(_ bytes: [UInt8]) throws -> [UInt8] { try ImageDecoder().decode(bytes).bitmap.copyBytes() }

    private func pixelsAsStored(_ bytes: [UInt8]) throws -> [UInt8] {
        try ImageDecoder(options: .asStored).decode(bytes).bitmap.copyBytes()
    }

    @Test(
        arguments: [
            (.strip, "", false, false), (.strip, "strip_exif():strip_icc()", false, false), (.all, "", true, true),
            (.all, "strip_exif()", false, true), (.all, "strip_icc()", true, false),
            (.all, "strip_icc():strip_exif()", false, false), (.withoutLocation, "strip_exif()", false, true),
            (.withoutLocation, "strip_icc()", true, false), (.copyright, "strip_exif()", true, true),
            (.copyright, "strip_exif():strip_icc()", true, false),
        ] as [(MetadataPolicy, String, Bool, Bool)])
    func filtersRemoveMetadataExceptCopyrightAndProfile(
        _ policy: MetadataPolicy, _ filters: String, _ hasMetadata: Bool, _ hasProfile: Bool
    ) throws {
        let bytes = try Source.jpeg.bytes
        let parts = filters.isEmpty ? "" : "filters:\(filters)/"

        let image = try renderer.render(bytes, Self.request(parts, policy))

        #expect(try ImageDecoder().metadata(of: image.bytes).isEmpty == !hasMetadata)
        #expect(try (ImageDecoder().iccProfile(of: image.bytes) != nil) == hasProfile)
    }

    @Test(arguments: ["jpeg/icc-and-orientation.jpg", "tiff/rgb8-icc-orientation.tif", "webp/orientation-6.webp"])
    func orientedSourceBecomesUprightPixelsWithoutAnOrientation(_ path: String) throws {
        guard EncodedFormat.webp.isAvailable || !path.hasSuffix("webp") else { return }
        let bytes = try Fixture.file(path)
        let source = try ImageDecoder().header(of: bytes)
        #expect(source.orientation != .up)

        let image = try renderer.render(bytes, Self.request("filters:format(png)/", .all))

        let header = try ImageDecoder().header(of: image.bytes)
        #expect(header.orientation == .up)
        #expect((header.width, header.height) == (source.displayWidth, source.displayHeight))
        #expect(try pixels(image.bytes) == pixels(plain(bytes, "filters:format(png)/")))
    }

    @Test(arguments: ["jpeg/icc-gray.jpg", "jpeg/cmyk-icc.jpg", "jpeg/icc-garbage.jpg", "jpeg/icc-cmyk-in-rgb.jpg"])
    func profileThatDoesNotDescribeRGBPixelsIsNotKept(_ path: String) throws {
        let bytes = try Fixture.file(path)

        let image = try renderer.render(bytes, Self.request("", .all))

        #expect(try ImageDecoder().iccProfile(of: image.bytes) == nil)
        #expect(try pixels(image.bytes) == pixels(plain(bytes, "")))
    }

    @Test(arguments: [EncodedFormat.webp, .png, .gif])
    func animationContainsMetadataAndProfileUnlessItIsAGIF(_ format: EncodedFormat) throws {
        guard format.isAvailable else { return }
        let frames = (0..<3).map { index in
            AnimationFrame(
                Bitmap.landscape(12 + index, 12).squared, delay: FrameDelay(numerator: 1, denominator: 10))
        }
        let profile = try #require(try ImageDecoder().iccProfile(of: Fixture.file("jpeg/icc-p3.jpg")))
        var encoder = ImageEncoder(options: Self.allMetadata)
        encoder.options.iccProfile = profile
        let bytes = try encoder.encodeAnimation(frames, as: .png)
        var request = try Self.request("", .all)
        let negotiated = NegotiatedFormat.allCases.first { $0.encoded == format }
        request.output.negotiated = NegotiatedFormats(otherAnimation: negotiated)

        let image = try renderer.render(bytes, request)

        #expect(image.resultFrameCount == 3 && image.format == format)
        #expect(try ImageDecoder().iccProfile(of: image.bytes) == (format == .gif ? nil : profile))
        #expect(try (ImageDecoder().metadata(of: image.bytes).exif != nil) == (format != .gif))
        if format == .png {
            #expect(try pixels(image.bytes) == pixels(bytes))
        }
    }

    @Test func searchForTheSmallestFileComparesPixelsInTheColourSpaceOfTheSource() throws {
        guard EncodedFormat.webp.isAvailable else { return }
        let (source, profile) = (
            Bitmap.landscape(64, 48), try #require(try ImageDecoder().iccProfile(of: Fixture.file("jpeg/icc-p3.jpg")))
        )
        var encoder = ImageEncoder()
        encoder.options.jpeg.quality = 95
        let withoutProfile = try encoder.encode(source, as: .jpeg)
        encoder.options.iccProfile = profile
        let withProfile = try encoder.encode(source, as: .jpeg)
        let renderer = Renderer(encoding: ResultEncoding(searchBudget: .seconds(1_000)))
        var request = try Self.request("", .all)
        request.output.negotiated.candidates = [.webp, .jpeg, .png]

        let (plain, image) = (
            try renderer.render(withoutProfile, request), try renderer.render(withProfile, request)
        )

        // The samples are equal, so the search has the same result.
        #expect(image.isSearched && image.format == plain.format && image.quality == plain.quality)
        #expect(try ImageDecoder().iccProfile(of: image.bytes) == profile)
        #expect(try pixelsAsStored(image.bytes) == pixels(plain.bytes))
    }

    @Test func memoryEstimateCountsMetadataAndProfile() throws {
        let bytes = try Source.jpeg.bytes
        let (kept, stripped) = (
            try renderer.prepare(bytes, for: Self.request("", .all)),
            try renderer.prepare(bytes, for: Self.request("", .strip))
        )

        let profile = try #require(try ImageDecoder().iccProfile(of: bytes))
        #expect(kept.metadata.byteCount > profile.count && stripped.metadata.byteCount == 0)
        #expect(kept.byteCount == stripped.byteCount + kept.metadata.renderByteCount)
    }

    @Test(.requirement("SV18")) func requestsWithOtherMetadataHaveOtherCanonicalForms() throws {
        var seen: [[UInt8]: OutputMetadata] = [:]
        for policy in MetadataPolicy.allCases {
            for filters in ["", "filters:strip_exif()/", "filters:strip_icc()/", "filters:strip_exif():strip_icc()/"] {
                let request = try Self.request("300x/\(filters)", policy)
                let metadata = request.output.metadata
                if let other = seen[request.canonicalBytes] {
                    #expect(metadata.policy == other.policy && metadata.keepsProfile == other.keepsProfile)
                }
                seen[request.canonicalBytes] = metadata
                // The JSON of `meta` depends on neither.
                let meta = try Self.request("meta/300x/\(filters)", policy).canonicalBytes
                #expect(meta == (try Self.request("meta/300x/", .strip).canonicalBytes))
            }
        }

        // strip; for each other policy with profile, without; `strip_exif()` with profile.
        #expect(seen.count == 8)
        #expect(seen[try Self.request("300x/", .strip).canonicalBytes]?.configured != nil)
    }

    @Test(arguments: MetadataPolicy.allCases)
    func writtenThumborTargetHasTheSameMetadata(_ policy: MetadataPolicy) throws {
        for filters in ["", "filters:strip_exif()/", "filters:strip_icc()/", "filters:strip_exif():strip_icc()/"] {
            let request = try Self.request("300x/\(filters)", policy)
            var dialect = ThumborParserTests.dialect
            dialect.metadata = policy

            let again = try dialect.parse("/unsafe/\(try #require(request.thumborParts))".utf8)

            #expect(again.output.metadata == request.output.metadata)
        }
    }

    @Test func configurationHasTheNamesOfThePolicies() {
        #expect(ServiceConfiguration.Output.Metadata.allCases.map(\.policy) == MetadataPolicy.allCases)
        let names = ServiceConfiguration.Output.Metadata.allCases.map(\.rawValue)
        #expect(names == MetadataPolicy.allCases.map(\.rawValue))
    }

    @Test func policyAppliesToTargetsOfAllDialects() async throws {
        let bytes = try Source.jpeg.bytes
        try await withService {
            $0.output.metadata = .copyright
        } _: { service in
            let reply = try await service.send("/post/unsafe/20x20/body", method: "POST", body: bytes)
            #expect(reply.status == 200)
            let exif = try #require(try ImageDecoder().metadata(of: reply.body).exif)
            // Artist is kept, Make is not: both have the same text.
            #expect(Array(exif[8...9]) == [2, 0])
        }
        let target = Array("/iiif/3/id/full/max/0/default.png".utf8)
        guard case .image(let request) = try IIIFDialect(metadata: .all).parse(target) else {
            Issue.record("not parsed as an image request")
            return
        }
        #expect(try ImageDecoder().metadata(of: renderer.render(bytes, request).bytes).iptc != nil)
    }
}

extension Bitmap {
    /// The upper left square.
    fileprivate var squared: Bitmap {
        let side = min(width, height)
        let (all, stride) = (copyBytes(), width * 4)
        return Bitmap(width: side, height: side) { pixels in
            for index in 0..<side * side * 4 { pixels[index] = all[index / (side * 4) * stride + index % (side * 4)] }
        }
    }
}
