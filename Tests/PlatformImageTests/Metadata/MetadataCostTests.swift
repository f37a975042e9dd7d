import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Time and memory of metadata from hostile files.
@Suite struct MetadataCostTests {
    private static let rdf = #"xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#""#

    private static func packet(_ attributes: String, _ content: String) -> [UInt8] {
        Array("<rdf:RDF \(rdf)><rdf:Description \(attributes)>\(content)</rdf:Description></rdf:RDF>".utf8)
    }

    /// Packets of about the same size whose names are expensive to compare with those of 200 declared namespaces.
    private static let hostilePackets: [(name: String, packet: [UInt8])] = {
        // The last characters differ, and the text is not in a normal form of Unicode.
        let address = String(repeating: "e\u{301}", count: 200)
        let declared = (0..<200).map { #"xmlns:p\#(1000 + $0)="\#(address)\#($0)""# }.joined(separator: " ")
        let long = String(repeating: "p", count: 100)
        let longDeclared = (0..<200).map { #"xmlns:\#(long)\#(1000 + $0)="\#($0)""# }.joined(separator: " ")
        return [
            ("many names", packet(declared, String(repeating: "<p1000:a/>", count: 30_000))),
            ("long prefixes", packet(longDeclared, String(repeating: "<\(long)1000:a/>", count: 3_000))),
            (
                "long names",
                packet(declared, String(repeating: "<p1000:\(String(repeating: "g", count: 900))/>", count: 300))
            ),
        ]
    }()

    private static func time(_ body: () -> Void) -> Duration {
        (0..<3).map { _ in ContinuousClock().measure(body) }.min() ?? .zero
    }

    /// 200 namespaces cost as much as one: the time does not depend on the product of names and namespaces.
    @Test(.requirement("A6"), arguments: hostilePackets.indices)
    func timeOfTheXMPFilterIsLinear(_ index: Int) {
        let (name, packet) = Self.hostilePackets[index]
        let plain = Self.packet(
            #"xmlns:dc="http://purl.org/dc/elements/1.1/""#,
            String(repeating: "<dc:a/>", count: packet.count / 7))
        for policy in [MetadataPolicy.copyright, .withoutLocation, .all] {
            let expected = Self.time { _ = XMPFilter.filter(plain, by: policy) }

            let time = Self.time { _ = XMPFilter.filter(packet, by: policy) }

            #expect(time < expected * 8, "\(name), \(policy)")
        }
    }

    @Test(.requirement("A6")) func resultIsNeverLargerThanThePacket() {
        var random = SplitMix(seed: 6)
        let packets = [MetadataBlocks.xmp] + Self.hostilePackets.map { Array($0.packet.prefix(20_000)) }
        for packet in packets {
            for _ in 0..<200 {
                var changed = packet
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    let at = Int.random(in: 0..<changed.count, using: &random)
                    let end = min(changed.count, at + Int.random(in: 0...30, using: &random))
                    changed.replaceSubrange(at..<end, with: packet[..<Int.random(in: 0...40, using: &random)])
                }
                for policy in MetadataPolicy.allCases {
                    #expect(XMPFilter.filter(changed, by: policy)?.count ?? 0 <= changed.count)
                }
            }
        }
    }

    /// A compressed chunk does not become much more metadata than the file has bytes.
    @Test(.requirement("A6"), arguments: [(60_000, true), (65_536, true), (65_537, false), (4_000_000, false)])
    func decompressedMetadataHasAtMostTheSizeOfTheFileOr64KiB(_ byteCount: Int, isRead: Bool) throws {
        let packet = Self.packet(
            #"xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="kept""#, "")
        let xmp = packet + [UInt8](repeating: 0x20, count: byteCount - packet.count)
        let stream = try #require(xmp.zlibCompressed())
        let chunk = MetadataFiles.chunk("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 1, 0, 0, 0] + stream)

        let file = try MetadataFiles.png(chunk)

        #expect(file.count < 10_000)
        #expect(try (ImageDecoder().metadata(of: file).xmp == xmp) == isRead)
        #expect(try (ImageDecoder().metadata(of: file).xmp == nil) == !isRead)
    }

    @Test(.requirement("A6")) func decompressedMetadataOfALargeFileIsRead() throws {
        let xmp = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) | 1 }
        let stream = try #require(xmp.zlibCompressed())
        let chunk = MetadataFiles.chunk("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 1, 0, 0, 0] + stream)
        let other = MetadataFiles.chunk("prIv", [UInt8](repeating: 1, count: 200_000))

        #expect(try ImageDecoder().metadata(of: MetadataFiles.png(chunk + other)).xmp == xmp)
    }

    /// Every poll of an encode can stop it, those in the filters included.
    @Test(.requirement("A6")) func filtersStopWhenTheFlagIsRaised() throws {
        let sets = [[UInt8]](repeating: MetadataBlocks.dataSet(2, 120, [65]), count: 20_000).flatMap { $0 }
        var encoder = ImageEncoder()
        encoder.options.metadata = ImageMetadata(xmp: Self.hostilePackets[0].packet, iptc: sets)
        encoder.options.metadataPolicy = .all
        let flag = CancellationFlag()
        let file = try encoder.encode(MetadataFiles.bitmap, as: .png, cancellation: flag)
        let plain = CancellationFlag()
        _ = try ImageEncoder().encode(MetadataFiles.bitmap, as: .png, cancellation: plain)

        #expect(flag.pollCount > plain.pollCount + 100)
        #expect(!file.isEmpty)
        for polls in 0..<min(flag.pollCount, 150) {
            let raised = CancellationFlag()
            raised.cancelAfter(polls: polls)
            #expect(throws: EncodeError.self) {
                try encoder.encode(MetadataFiles.bitmap, as: .png, cancellation: raised)
            }
            #expect(raised.pollCount <= polls + 3)
        }
    }

    @Test(
        .requirement("A15"),
        arguments: [
            "<?secret Paris?>", "<?xpacket Paris?>", "<?xml-stylesheet href='Paris'?>", "<?xpacket begin='Paris'?>",
            "<?xpacket begin=\"\" id=\"W5M0MpCehiHzreSzNTczkc9d\" Paris?>", "<?Paris?>", "<?xpacket end=\"Paris\"?>",
        ])
    func processingInstructionsAreRemoved(_ instruction: String) throws {
        let rights = #"xmlns:dc="http://purl.org/dc/elements/1.1/" dc:rights="kept""#
        let inner = String(decoding: Self.packet(rights, instruction), as: UTF8.self)
        let plain = String(decoding: Self.packet(rights, ""), as: UTF8.self)
        for text in [inner, instruction + plain, plain + instruction, instruction + inner + instruction] {
            for policy in [MetadataPolicy.copyright, .withoutLocation, .all] {
                let result = try #require(XMPFilter.filter(Array(text.utf8), by: policy))
                #expect(String(decoding: result, as: UTF8.self) == plain)
            }
        }
    }

    @Test(.requirement("A15")) func wrapperOfThePacketIsKept() throws {
        let rights = #"xmlns:dc="http://purl.org/dc/elements/1.1/" dc:rights="kept""#
        let packet = String(decoding: Self.packet(rights, ""), as: UTF8.self)
        for mark in ["", "\u{FEFF}"] {
            for quote in ["\"", "'"] {
                let text =
                    "<?xpacket begin=\(quote)\(mark)\(quote) id=\(quote)W5M0MpCehiHzreSzNTczkc9d\(quote)?>"
                    + packet + "<?xpacket end=\(quote)w\(quote)?>"
                #expect(XMPFilter.filter(Array(text.utf8), by: .copyright) == Array(text.utf8))
            }
        }
    }

    @Test(
        .requirement("A15"),
        arguments: [
            "<lr:hierarchicalSubject><rdf:Bag><rdf:li>Places|Paris</rdf:li></rdf:Bag></lr:hierarchicalSubject>",
            "<lr:HierarchicalSubject>Places|Paris</lr:HierarchicalSubject>",
            "<lr:weightedFlatSubject>Paris</lr:weightedFlatSubject>", "<x lr:hierarchicalSubject='Paris' xmlns=''/>",
        ])
    func hierarchicalKeywordsAreRemovedWithTheLocation(_ content: String) throws {
        let packet = Self.packet(
            #"xmlns:lr="http://ns.adobe.com/lightroom/1.0/" "#
                + #"xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="kept""#,
            content)

        let result = try #require(XMPFilter.filter(packet, by: .withoutLocation))

        #expect(!String(decoding: result, as: UTF8.self).contains("Paris"))
        #expect(String(decoding: result, as: UTF8.self).contains("kept"))
    }

    /// 800,000 data sets: the only allocations are the records, the result and its growth. In a process of its own,
    /// because other tests allocate memory at the same time.
    @Test(.requirement("A16")) func dataSetsNeedNoMemoryOfTheirOwn() async {
        await #expect(processExitsWith: .success) {
            var sets: [UInt8] = []
            for _ in 0..<800_000 { sets += [0x1C, 2, 25, 0, 0] }
            let metadata = ImageMetadata(iptc: sets)
            let start = ResidentMemory.peakBytes

            let result = metadata.filtered(by: .all, width: 1, height: 1).iptc

            precondition(result == sets)
            let growth = ResidentMemory.peakBytes - start
            precondition(growth < 24 << 20, "\(growth) bytes")
        }
    }

    @Test(.requirement("A16")) func dataSetsThatNoPolicyKeepsAreOmitted() {
        let sets = [[UInt8]](repeating: MetadataBlocks.dataSet(2, 25, []), count: 1_000).flatMap { $0 }

        #expect(IPTCRecords(sets)?.filtered(by: .copyright) == nil)
        #expect(IPTCRecords(sets)?.filtered(by: .all) == sets)
    }

    @Test(.requirement("A16"), arguments: EncodedFormat.allCases)
    func workBytesOfAnEncodeCountMetadataAndProfile(_ format: EncodedFormat) {
        var encoder = ImageEncoder()
        let plain = encoder.workBytes(width: 10, height: 10, hasAlpha: false, as: format)
        encoder.options.metadata = ImageMetadata(exif: [UInt8](repeating: 0, count: 1_000))

        #expect(encoder.workBytes(width: 10, height: 10, hasAlpha: false, as: format) == plain)
        encoder.options.metadataPolicy = .all
        let expected = format == .gif ? plain : plain + 6_000
        #expect(encoder.workBytes(width: 10, height: 10, hasAlpha: false, as: format) == expected)
    }
}
