import PlatformImage
import PlatformImageTestSupport
import Testing

/// Camera, date, author and place of an EXIF block.
@Suite struct EXIFFactTests {
    private typealias Entry = MetadataBlocks.Entry

    private static func exif(_ first: [Entry], camera: [Entry] = [], gps: [Entry] = []) -> EXIF? {
        EXIF(MetadataBlocks.exif(little: true, first: first, camera: camera, gps: gps))
    }

    @Test(.requirement("N24"), arguments: [true, false]) func factsOfACameraAreRead(little: Bool) throws {
        let exif = try #require(EXIF(MetadataBlocks.exif(little: little)))

        #expect(exif.make == "Maker" && exif.artist == MetadataBlocks.artist)
        #expect(exif.copyright == MetadataBlocks.copyright && exif.dateTimeOriginal == "2026:11:23 08:00:00")
        #expect(exif.model == nil && exif.software == nil && exif.hasGPS)
        #expect(exif.orientation == .right && !exif.isDamaged)
    }

    @Test(.requirement("N24")) func factsOfATIFFAreThoseOfThePage() throws {
        let first = [Entry.text(272, "X100"), .text(305, "Firmware 1.0")]

        let exif = try #require(Self.exif(first))

        #expect(exif.model == "X100" && exif.software == "Firmware 1.0" && exif.make == nil && !exif.hasGPS)
    }

    @Test(
        .requirement("N24"),
        arguments: [
            ("Nikon\u{0}", "Nikon"), ("  Nikon  ", "Nikon"), ("a\u{1B}[31mb", "a [31mb"), ("a\r\nb\tc", "a  b c"),
            ("a\u{202E}b\u{2028}c", "a b c"), ("\u{7F}\u{0}x", nil), ("   ", nil), ("", nil), ("Zoë 象", "Zoë 象"),
        ] as [(String, String?)])
    func textsHaveNoControlCharacters(stored: String, expected: String?) {
        #expect(Self.exif([.text(271, stored)])?.make == expected)
    }

    @Test(.requirement("N24")) func textsHaveAtMost1000Bytes() throws {
        let ascii = try #require(Self.exif([.text(271, String(repeating: "x", count: 70_000))])?.make)
        let wide = try #require(Self.exif([.text(271, "y" + String(repeating: "象", count: 20_000))])?.make)

        #expect(ascii.utf8.count == 1_000 && wide.utf8.count <= 1_000 && wide.hasPrefix("y象象"))
        #expect(Self.exif([Entry(271, 2, [0x43, 0xE9, 0])])?.make == "C\u{E9}")
    }

    @Test(.requirement("N24")) func copyrightOfPhotographerAndEditorAreJoined() {
        #expect(Self.exif([.text(33432, "A\u{0}B")])?.copyright == "A; B")
        #expect(Self.exif([.text(33432, " \u{0}B")])?.copyright == "B")
    }

    @Test(.requirement("N24")) func unknownDateIsNil() {
        for date in ["0000:00:00 00:00:00", "    :  :     :  :  ", ""] {
            #expect(Self.exif([.text(271, "m")], camera: [.text(36867, date)])?.dateTimeOriginal == nil)
        }
    }

    @Test(.requirement("N24")) func gpsVersionAloneIsNoPlace() {
        #expect(Self.exif([.text(271, "m")], gps: [Entry(0, 1, [2, 3, 0, 0])])?.hasGPS == false)
        #expect(Self.exif([.text(271, "m")], gps: [.text(1, "N")])?.hasGPS == true)
    }

    @Test(.requirement("N24")) func damagedTextIsIgnored() {
        var block = MetadataBlocks.exif(little: true, first: [.text(271, "Maker and more")])
        block.replaceSubrange(14..<18, with: [0xFF, 0xFF, 0xFF, 0xFF])  // the count

        #expect(EXIF(block)?.make == nil)
    }
}
