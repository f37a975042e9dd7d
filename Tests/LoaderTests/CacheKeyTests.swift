#if Loader
import Testing

@testable import Loader

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
    func anAddressIsNormalisedNoFurtherThanItsMeaning(_ row: (String, String)) {
        #expect(CacheKey(url: row.0)?.url == row.1)
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com/", "http:/example.com", "http://", "http:///x", "http://:80/",
        "http://a:99999/", "http://a:8x/", "http://a b/", "http://a/\u{0}", "http://[::1/", "data:,x",
    ])
    func whatIsNoAddressHasNoKey(_ url: String) {
        #expect(CacheKey(url: url) == nil)
    }

    @Test func keysOfDifferentPartsHaveDifferentDigests() throws {
        let keys = [
            try #require(CacheKey(url: "http://a/x")), try #require(CacheKey(url: "https://a/x")),
            try #require(CacheKey(url: "http://a/X")), try #require(CacheKey(url: "http://a/x", partition: "p")),
            try #require(CacheKey(url: "http://a/x?1")),
        ]

        #expect(Set(keys.map { $0.digest() }).count == keys.count)
        #expect(keys[0].digest(variant: [1]) != keys[0].digest())
        #expect(keys[0].digest(variant: [1]) != keys[0].digest(variant: [2]))
    }
}
#endif
