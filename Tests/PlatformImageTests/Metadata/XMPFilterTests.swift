import PlatformImage
import Testing

@Suite struct XMPFilterTests {
    private static let names = [
        "tiff:Make", "dc:rights", "dc:description", "GPSLatitude", "GPSLongitude", "GPSAltitude", "v:Position",
        "v:Place",
        "tiff:Orientation", "PixelXDimension", "comment",
    ]

    private static func filtered(_ packet: String, _ policy: MetadataPolicy) -> String? {
        ImageMetadata(xmp: Array(packet.utf8)).filtered(by: policy, width: 1, height: 1).xmp.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// A packet with this content of a property element or of the description.
    private static func packet(_ content: String, attributes: String = "") -> String {
        """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
        <rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif="http://ns.adobe.com/exif/1.0/" \
        xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" \
        xmlns:ext="http://iptc.org/std/Iptc4xmpExt/2008-02-29/" dc:source="kept"\(attributes)>\(content)\
        </rdf:Description></rdf:RDF></x:xmpmeta>
        """
    }

    @Test(
        arguments: [
            (MetadataPolicy.strip, []), (.copyright, ["dc:rights"]),
            (.withoutLocation, ["tiff:Make", "dc:rights", "dc:description"]),
            (
                .all,
                [
                    "tiff:Make", "dc:rights", "dc:description", "GPSLatitude", "GPSLongitude", "GPSAltitude",
                    "v:Position", "v:Place",
                ]
            ),
        ] as [(MetadataPolicy, [String])])
    func everyPolicyKeepsItsProperties(_ policy: MetadataPolicy, expected: [String]) {
        let text = Self.filtered(String(decoding: MetadataBlocks.xmp, as: UTF8.self), policy) ?? ""

        #expect(Self.names.filter { text.contains($0) } == expected)
        #expect(text.contains(MetadataBlocks.copyright) == (policy != .strip))
        #expect(text.count < MetadataBlocks.xmp.count - 190, "the padding remains")
    }

    @Test(arguments: [
        #"<exif:GPSLatitude>1,2N</exif:GPSLatitude>"#, #"<exif:GPSLatitude rdf:value="1"/>"#,
        #"<photoshop:City>Secret</photoshop:City>"#,
        #"<ext:LocationShown><rdf:Bag><rdf:li ext:City="Secret"/></rdf:Bag></ext:LocationShown>"#,
        #"<g:GPSLatitude xmlns:g="http://ns.adobe.com/exif/1.0/">1</g:GPSLatitude>"#,
        #"<dc:x><g:y xmlns:g="http://vendor.example/" g:z="Secret">Secret</g:y></dc:x>"#,
        #"<dc:x rdf:parseType="Resource"><exif:GPSLatitude>1</exif:GPSLatitude></dc:x>"#,
        #"<dc:x><rdf:Description exif:GPSLatitude='1'/></dc:x>"#, #"<dc:myLongitude>1</dc:myLongitude>"#,
        #"<dc:x xmlns="http://vendor.example/"><Secret/></dc:x>"#,
    ])
    func locationIsRemovedInEverySyntax(_ content: String) throws {
        let text = try #require(Self.filtered(Self.packet(content), .withoutLocation))

        #expect(!text.contains("Secret") && !text.contains("GPS") && !text.contains("Longitude"))
        #expect(text.contains(#"dc:source="kept""#))
    }

    @Test(arguments: [
        " exif:GPSLatitude=\"1\"", " exif:GPSLatitude = '1'", "\n\texif:GPSLatitude=\"1>2\"",
        " Secret=\"1\"", " photoshop:City=\"Secret\"",
    ])
    func locationAttributesAreRemoved(_ attribute: String) throws {
        let text = try #require(Self.filtered(Self.packet("", attributes: attribute), .withoutLocation))

        #expect(text == Self.packet(""))
    }

    @Test(arguments: [
        "", "text", "<x:xmpmeta", "<a/><b/>", "<a></b>", "<a><b></a></b>", "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>",
        "<undeclared:a/>", "<a xmlns:g='http://ns.adobe.com/exif&#x2F;1.0/' g:GPSLatitude='1'/>", "<a b=c/>", "<a b/>",
        "<a b='<'/>", "<a><![CDATA[</a>", "<a><!-- </a>", "</a>",
        String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100),
    ])
    func packetsThatAreNotUnderstoodAreOmitted(_ packet: String) {
        for policy in MetadataPolicy.allCases {
            #expect(Self.filtered(packet, policy) == nil)
            if !packet.isEmpty, packet.hasPrefix("<!") == false {
                #expect(Self.filtered(Self.packet(packet + "<"), policy) == nil)
            }
        }
    }

    @Test func packetInUTF16IsOmitted() {
        let packet = Self.packet("").utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }

        #expect(ImageMetadata(xmp: [0xFF, 0xFE] + packet).filtered(by: .all, width: 1, height: 1).xmp == nil)
    }

    @Test func packetCutAtEveryByteIsOmittedOrComplete() {
        let packet = MetadataBlocks.xmp
        let complete = ImageMetadata(xmp: packet).filtered(by: .all, width: 1, height: 1).xmp
        for count in 0..<packet.count {
            let result = ImageMetadata(xmp: Array(packet[..<count])).filtered(by: .all, width: 1, height: 1).xmp
            // Cuts behind the root element leave a complete packet without its end marker.
            if let result { #expect(complete?.starts(with: result) == true, "\(count) bytes") }
        }
    }

    @Test func filterOfAFilteredPacketChangesNothing() throws {
        for policy in [MetadataPolicy.copyright, .withoutLocation, .all] {
            let once = try #require(Self.filtered(String(decoding: MetadataBlocks.xmp, as: UTF8.self), policy))

            #expect(Self.filtered(once, policy) == once)
        }
    }

    @Test func packetWithTooManyNamesIsOmitted() {
        let names = String(repeating: "<dc:a/>", count: 50_001)

        #expect(Self.filtered(Self.packet(names), .all) == nil)
    }
}
