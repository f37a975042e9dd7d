import PlatformImageLoader
import Testing

@testable import PlatformImageService

/// The digest that identifies one version of a source.
@Suite struct SourceBytesTests {
    private func digest(_ fields: HeaderFields, bytes: [UInt8] = [1, 2, 3], url: String = "http://a.test/1") -> String {
        SourceBytes(bytes, url: url, fields: fields, isFresh: true, now: .now).digest
    }

    @Test func sourceWithAStrongETagIsIdentifiedByURLAndETagAndLastModifiedAndLength() {
        let one = digest(["ETag": "\"1\""])
        #expect(one.utf8.count == 64)
        #expect(digest(["ETag": "\"1\"", "Cache-Control": "max-age=5"]) == one)
        #expect(one != SourceBytes([1, 2, 3]).digest)
        for other in [
            digest(["ETag": "\"2\""]), digest(["ETag": "\"1\""], url: "http://b.test/1"),
            digest(["ETag": "\"1\""], bytes: [1, 2]),
            digest(["ETag": "\"1\"", "Last-Modified": "Sat, 21 Nov 2026 00:00:00 GMT"]),
        ] {
            #expect(other != one)
        }
    }

    @Test(
        arguments: [
            [:], ["ETag": "W/\"1\""], ["ETag": "1"], ["ETag": "\"\""], ["ETag": "\"1\", \"2\""], ["ETag": "\""],
            ["ETag": "\"1\"2\""], ["ETag": ""],
        ] as [HeaderFields])
    func sourceWithoutAStrongETagIsIdentifiedByItsBytes(_ fields: HeaderFields) {
        #expect(digest(fields) == SourceBytes([1, 2, 3]).digest)
        #expect(digest(fields, bytes: [1, 2, 4]) != digest(fields))
    }

    @Test func sourceWithTwoETagLinesIsIdentifiedByItsBytes() {
        var fields: HeaderFields = ["ETag": "\"1\""]
        fields.append("ETag", "\"1\"")
        #expect(digest(fields) == SourceBytes([1, 2, 3]).digest)
    }
}
