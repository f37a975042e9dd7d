import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

struct RedactionTests {
    @Test(
        arguments: [
            ("https://h/a", "https://h/a"), ("https://u:p@h/a#f", "https://h/a"),
            ("https://h/a?k=v&l=w", "https://h/a?k=***&l=***"),
            ("https://h/a?v", "https://h/a?***"), ("https://h/?", "https://h/?"),
            ("https://h/?&a=&=b", "https://h/?&a=&=***"),
            ("https://h/?a=b=c", "https://h/?a=***"), ("https://h/x@y", "https://h/x@y"), ("u:secret@h/a", "***"),
            ("https:/u:secret@h", "***"), ("http://u:pa/ss@h/", "***"), ("http://u:p?secret@h/", "***"), ("", ""),
            ("ftp://u:secret@h/", "***"), ("ftp://h/a?b=c", "ftp://h/a?b=***"), ("http://h:x/a\nb", "http://h:x/a?b"),
            ("no address\u{2028}at\u{85}all", "no address?at?all"),
        ])
    func redactedURLShowsQueryNamesAndHidesQueryValues(_ row: (String, String)) {
        #expect(Redaction.hidingQueryValues(row.0) == row.1)
    }

    @Test func customRedactionSelectsTheShownQueryValues() {
        let redaction = Redaction { name, value in
            switch name {
            case "width": value
            case "": "(\(value.count))"
            default: nil
            }
        }
        #expect(redaction("https://u@h/?width=12&sig=ab%26c&flag") == "https://h/?width=12&sig=***&(4)")
        #expect(Redaction.showingQueries("https://u:p@h/?a=b&c#f") == "https://h/?a=b&c")
    }

    @Test func urlInAnErrorContainsNoQuery() {
        #expect(Redaction.masked("https://u:p@h/a?k=v#f") == "https://h/a?***")
        #expect(Redaction.masked("https://h/a") == "https://h/a")
    }

    /// Replaces or removes each byte of a URL, except the bytes of its password and the `@`. Without the `@` the URL
    /// has no password by any reading of RFC 3986.
    @Test func redactedURLWithAnyMutatedByteDoesNotShowThePassword() {
        let original = Array("https://user:SECRET@host:80/path?k=v#f".utf8)
        let secret = 13..<19
        var shown: [String] = []
        for position in original.indices where !secret.contains(position) && original[position] != 0x40 {
            for byte in Array("/?#@:&= \na".utf8) {
                var changed = original
                changed[position] = byte
                let before = String(decoding: changed, as: UTF8.self)
                let after = Redaction.hidingQueryValues(before)
                // If the changed URL has a valid host, SECRET is in its path or in a query name and is not a password
                // (RFC 3986).
                if after.contains("SECRET"), Origin(before) == nil { shown.append(before) }
                var removed = original
                removed.remove(at: position)
                let shorter = String(decoding: removed, as: UTF8.self)
                if Origin(shorter) == nil, Redaction.hidingQueryValues(shorter).contains("SECRET") {
                    shown.append(shorter)
                }
            }
        }
        #expect(shown.isEmpty)
    }
}
