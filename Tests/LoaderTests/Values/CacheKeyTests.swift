import Testing

@testable import PlatformImageLoader

struct CacheKeyTests {
    @Test(arguments: [
        ("HTTP://Example.COM/a", "http://example.com/a"),
        ("http://example.com", "http://example.com/"),
        ("http://example.com?q", "http://example.com/?q"),
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:443/", "https://example.com/"),
        ("https://example.com:80/", "https://example.com:80/"),
        ("http://example.com:/x", "http://example.com/x"),
        ("http://example.com/A%2Fb?b=2&a=1#part", "http://example.com/A%2Fb?b=2&a=1"),
        ("http://me:secret@example.com/", "http://example.com/"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
    ])
    func urlIsNormalizedOnlyToEquivalentForms(_ row: (String, String)) {
        #expect(CacheKey(url: row.0)?.url == row.1)
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com/", "http:/example.com", "http://", "http:///x", "http://:80/",
        "http://a:99999/", "http://a:0/", "http://a:0000/", "http://a:8x/", "http://a b/", "http://a/\u{0}",
        "http://[::1/", "data:,x",
    ])
    func invalidURLHasNoCacheKey(_ url: String) {
        #expect(CacheKey(url: url) == nil)
    }

    @Test func headerFieldDescriptionHidesCredentials() {
        let fields: HeaderFields = [
            "Content-Type": "image/png", "set-cookie": "a=secret", "Authorization": "Basic dTpw",
        ]

        #expect("\(fields)" == "[Content-Type: image/png, set-cookie: ***, Authorization: ***]")
    }

    @Test func differentURLsPartitionsAndVariantsHaveDifferentFileNames() throws {
        let keys = [
            try #require(CacheKey(url: "http://a/x")), try #require(CacheKey(url: "https://a/x")),
            try #require(CacheKey(url: "http://a/X")), try #require(CacheKey(url: "http://a/x", partition: "p")),
            try #require(CacheKey(url: "http://a/x?1")),
        ]

        #expect(Set(keys.map { DiskName($0.bytes) }).count == keys.count)
        let variants = [[], [1], [2]].map { DiskName(keys[0].bytes, variant: $0) }
        #expect(Set(variants).count == 3)
    }

    /// Swift strings compare by canonical equivalence, but the two spellings of é differ in bytes and identify
    /// different resources.
    @Test func canonicallyEquivalentUnicodeURLsAreDifferentKeys() throws {
        let composed = "\u{E9}"
        let decomposed = "e\u{301}"
        #expect(composed == decomposed)
        let keys = try [composed, decomposed].map { try #require(CacheKey(url: "http://a/" + $0)) }
        let partitions = try [composed, decomposed].map {
            try #require(CacheKey(url: "http://a/", partition: $0))
        }

        #expect(keys[0] != keys[1])
        #expect(partitions[0] != partitions[1])
        #expect(Set(keys + partitions + keys).count == 4)
    }
}
