import PlatformImage
import Testing

@Suite struct MetadataReaderTests {
    @Test func allBlocksOfAJPEGAreRead() throws {
        #expect(try ImageDecoder().metadata(of: MetadataFiles.jpeg()) == MetadataBlocks.all)
    }

    @Test(arguments: [true, false])
    func allBlocksOfAPNGAreRead(compressesXMP: Bool) throws {
        let file = try MetadataFiles.png(compressesXMP: compressesXMP)

        #expect(try ImageDecoder().metadata(of: file) == MetadataBlocks.all)
    }

    @Test(arguments: [true, false])
    func descriptiveTagsOfATIFFBecomeAnEXIFBlock(little: Bool) throws {
        let metadata = try ImageDecoder().metadata(of: MetadataFiles.tiff(little: little))

        let exif = NaiveEXIF(try #require(metadata.exif))
        #expect(exif.first.keys.sorted() == [315, 33432, 34665, 34853])
        #expect(exif.first[33432] == Array(MetadataBlocks.copyright.utf8) + [0])
        #expect(exif.camera.keys.sorted() == [36867])
        #expect(exif.gps.keys.sorted() == [1])
        #expect(metadata.xmp == MetadataBlocks.xmp)
        #expect(metadata.iptc == MetadataBlocks.iptc)
    }

    @Test func fileWithoutMetadataHasNone() throws {
        for format in [EncodedFormat.png, .jpeg] {
            let file = try ImageEncoder().encode(MetadataFiles.bitmap, as: format)

            #expect(try ImageDecoder().metadata(of: file).isEmpty)
        }
    }

    /// Every block of a cut file is equal to that of the complete file or missing; of IPTC in JPEG segments, complete
    /// resources can be missing too.
    @Test func fileCutAtEveryByteGivesIntactBlocksOrNone() throws {
        for file in [try MetadataFiles.jpeg(), try MetadataFiles.png(compressesXMP: true), MetadataFiles.tiff()] {
            let all = try ImageDecoder().metadata(of: file)
            for count in 0..<file.count {
                guard let metadata = try? ImageDecoder().metadata(of: Array(file[..<count])) else { continue }
                #expect(metadata.xmp == nil || metadata.xmp == all.xmp, "\(count) bytes")
                #expect(metadata.iptc == nil || metadata.iptc == all.iptc, "\(count) bytes")
                if let exif = metadata.exif { #expect(EXIF(exif) != nil, "\(count) bytes") }
            }
        }
    }

    @Test func replacedBytesNeverTrap() throws {
        for file in [try MetadataFiles.jpeg(), try MetadataFiles.png(compressesXMP: true), MetadataFiles.tiff()] {
            for index in stride(from: 0, to: file.count, by: 3) {
                for value: UInt8 in [0, 0x80, 0xFF] {
                    var changed = file
                    changed[index] = value
                    guard let metadata = try? ImageDecoder().metadata(of: changed) else { continue }
                    let filtered = metadata.filtered(by: .all, width: 1, height: 1)
                    if let exif = filtered.exif { #expect(EXIF(exif)?.orientation == nil, "byte \(index)") }
                }
            }
        }
    }

    @Test func blocksOverTheItemLimitAreOmitted() throws {
        for file in [try MetadataFiles.jpeg(), try MetadataFiles.png(), try MetadataFiles.png(compressesXMP: true)] {
            for (limit, expected) in [
                // In a PNG the limit applies to the chunk, with keyword and compression.
                (MetadataBlocks.xmp.count + 100, MetadataBlocks.all),
                (MetadataBlocks.xmp.count - 1, ImageMetadata(exif: MetadataBlocks.exif(), iptc: MetadataBlocks.iptc)),
            ] {
                var decoder = ImageDecoder()
                decoder.options.limits.maxMetadataItem = limit
                let metadata = try decoder.metadata(of: file)
                #expect(metadata.xmp == expected.xmp, "\(limit)")
                #expect(metadata.exif == expected.exif, "\(limit)")
            }
        }
    }

    @Test func blocksOverTheRestOfTheTotalLimitAreOmitted() throws {
        var decoder = ImageDecoder()
        decoder.options.limits.maxMetadataTotal = MetadataBlocks.exif().count + MetadataBlocks.xmp.count - 1

        let metadata = try decoder.metadata(of: MetadataFiles.png())

        #expect(metadata.exif == MetadataBlocks.exif())
        #expect(metadata.xmp == nil)
    }

    @Test func compressedTextThatExpandsBeyondTheLimitIsOmitted() throws {
        var decoder = ImageDecoder()
        decoder.options.limits.maxMetadataItem = MetadataBlocks.xmp.count - 1
        decoder.options.limits.maxMetadataTotal = nil
        let text = Array("XML:com.adobe.xmp".utf8) + [0, 1, 0, 0, 0] + MetadataFiles.stored(MetadataBlocks.xmp)
        let file = try MetadataFiles.png(MetadataFiles.chunk("iTXt", text))

        #expect(try decoder.metadata(of: file).xmp == nil)
        #expect(try ImageDecoder().metadata(of: file).xmp == MetadataBlocks.xmp)
    }

    @Test func textChunkWithAWrongChecksumIsIgnored() throws {
        var text = MetadataFiles.chunk("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + MetadataBlocks.xmp)
        text[text.count - 1] ^= 1

        #expect(try ImageDecoder().metadata(of: MetadataFiles.png(text)).xmp == nil)
    }

    @Test func missingPageOfATIFFThrows() {
        var decoder = ImageDecoder()
        decoder.options.page = 1

        #expect(throws: DecodeError.self) { try decoder.metadata(of: MetadataFiles.tiff()) }
    }
}
