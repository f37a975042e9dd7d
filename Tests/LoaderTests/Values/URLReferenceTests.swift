import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct URLReferenceTests {
    private func resolved(_ reference: String, at base: String = "http://a/b/c/d;p?q") -> String {
        let target = URLReference(reference.utf8).resolved(against: URLReference(base.utf8))
        return String(decoding: target.bytes, as: UTF8.self)
    }

    /// RFC 3986 §5.4.1.
    @Test(
        arguments: [
            ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
            (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
            ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
            ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
            ("../../g", "http://a/g"),
        ])
    func normalReferenceExamplesOfRFC3986AreResolved(_ row: (String, String)) {
        #expect(resolved(row.0) == row.1)
    }

    /// RFC 3986 §5.4.2, for strict parsers.
    @Test(
        arguments: [
            ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"),
            ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."),
            ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
            ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
            ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
            ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
            ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
        ])
    func abnormalReferenceExamplesOfRFC3986AreResolved(_ row: (String, String)) {
        #expect(resolved(row.0) == row.1)
    }

    @Test(
        arguments: [
            ("g", "http://a", "http://a/g"), ("?y", "http://a", "http://a?y"), ("..", "http://a", "http://a/"),
            ("g", "http://a?q", "http://a/g"), ("//b", "https://a/x?q", "https://b"),
            ("", "http://a/x#f", "http://a/x"),
            ("//b/../c", "https://a/x", "https://b/c"), ("a//b/..//c", "http://h/", "http://h/a///c"),
            ("/a//../b", "http://h/x", "http://h/a/b"), ("http://b/./c/../d", "http://a/", "http://b/d"),
        ])
    func urlReferencesAreResolvedAgainstBaseURLsOtherThanThatOfRFC3986(_ row: (String, String, String)) {
        #expect(resolved(row.0, at: row.1) == row.2)
    }

    @Test func colonEndsASchemeOnlyAfterValidSchemeCharacters() {
        #expect(URLReference("ab+c-d.1:x".utf8).scheme == Array("ab+c-d.1".utf8))
        for text in ["1a:x", ":x", "a_b:x", "a/b:x", "é:x", "./a:x", "a%20b:x"] {
            #expect(URLReference(text.utf8).scheme == nil, "\(text)")
        }
    }

    /// Parses all texts of up to six characters that consist of the delimiters and one letter.
    @Test func parsedURLReferenceIsWrittenWithItsOriginalBytes() {
        let alphabet = Array("a:/?#.".utf8)
        var texts: [[UInt8]] = [[]]
        var wrong: [[UInt8]] = []
        for _ in 0..<6 {
            texts = texts.flatMap { text in alphabet.map { text + [$0] } }
            wrong += texts.filter { URLReference($0).bytes != $0 }
        }
        #expect(wrong.isEmpty)
    }

    /// Compares with the buffer algorithm of RFC 3986 §5.2.4.
    @Test func dotSegmentRemovalMatchesTheAlgorithmOfRFC3986() {
        let alphabet = Array("/.a".utf8)
        var paths: [[UInt8]] = [Array("/".utf8)]
        var wrong: [String] = []
        for _ in 0..<7 {
            paths = paths.flatMap { path in alphabet.map { path + [$0] } }
            for path in paths {
                let target = URLReference("s://h".utf8 + path).resolved(against: URLReference("http://a".utf8))
                if target.path != Self.removingDotSegmentsWithBuffer(path) {
                    wrong.append(String(decoding: path, as: UTF8.self))
                }
            }
        }
        #expect(wrong.isEmpty)
    }

    private static func removingDotSegmentsWithBuffer(_ path: [UInt8]) -> [UInt8] {
        var input = String(decoding: path, as: UTF8.self)
        var output = ""
        while !input.isEmpty {
            if input.hasPrefix("../") {
                input.removeFirst(3)
            } else if input.hasPrefix("./") {
                input.removeFirst(2)
            } else if input.hasPrefix("/./") {
                input.removeFirst(2)
            } else if input == "/." {
                input = "/"
            } else if input.hasPrefix("/../") || input == "/.." {
                input = input == "/.." ? "/" : String(input.dropFirst(3))
                output = output.lastIndex(of: "/").map { String(output[..<$0]) } ?? ""
            } else if input == "." || input == ".." {
                input = ""
            } else {
                output.append(input.removeFirst())
                while let next = input.first, next != "/" { output.append(input.removeFirst()) }
            }
        }
        return Array(output.utf8)
    }
}
