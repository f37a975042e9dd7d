import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Hosts of URLs: IPv4 and IPv6 literals in all notations, names, and internationalized names.
@Suite struct HostLiteralTests {
    @Test(.requirement("SV3")) func everyNotationOfLoopbackIsParsedAsLoopback() {
        for text in [
            "127.0.0.1", "127.1", "127.0.1", "0177.0.0.1", "0177.1", "0x7f.1", "0x7F.0x0.0x0.0x1", "2130706433",
            "0x7f000001", "0X7F000001", "017700000001", "127.0.0.1.", "00000177.0.0.01", "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]", "[::FFFF:7F00:1]", "[0:0:0:0:0:ffff:7f00:1]", "１２７.0.0.1", "127．0．0．1", "①②⑦.1",
        ] {
            #expect(SourceHost(text) == .address(.v4(0x7F00_0001)), "\(text)")
        }
    }

    @Test func validHostIsParsedAsAddressOrNameAndInvalidHostIsRejected() {
        let table: [(text: String, meaning: String?)] = [
            ("example.com", "example.com"), ("EXAMPLE.Com.", "example.com"), ("localhost.", "localhost"), ("a", "a"),
            ("my_host-1.example", "my_host-1.example"), ("1.example", "1.example"), ("0x7f.example", "0x7f.example"),
            ("example.c0m", "example.c0m"), ("127.0.0.1.nip.io", "127.0.0.1.nip.io"), ("0xg", "0xg"),
            ("[::1]", "[::1]"), ("[2001:DB8::0:1]", "[2001:db8::1]"), ("0", "0.0.0.0"),
            ("255.255.255.255", "255.255.255.255"),
            ("1.2.65535", "1.2.255.255"), ("1.16777215", "1.255.255.255"), ("4294967295", "255.255.255.255"),
            // The last label is a number, but the host is not an address.
            ("1.2.3.4.5", nil), ("256.1.1.1", nil), ("1.2.3.256", nil), ("1.2.65536", nil), ("1.16777216", nil),
            ("4294967296", nil), ("08.1.1.1", nil), ("1.1.1.09", nil), ("0x", nil), ("1.0x", nil), ("example.0x", nil),
            ("example.1", nil), ("a.b.0x7f", nil), ("99999999999999999999", nil), ("0x1ffffffff", nil),
            // Texts that are not hosts.
            ("", nil), (".", nil), ("..", nil), ("a..b", nil), (".a", nil), ("127.0.0.1..", nil), ("-a.example", nil),
            ("a-.example", nil), ("a b", nil), ("a%2eb", nil), ("%31", nil), ("a/b", nil), ("a:b", nil), ("a@b", nil),
            ("a\\b", nil), ("a\0", nil), ("a\n", nil), ("*", nil), ("[127.0.0.1]", nil), ("[::1", nil), ("::1", nil),
            ("[::1]a", nil), ("[fe80::1%eth0]", nil), ("[fe80::1%25eth0]", nil), ("[]", nil), ("[:::]", nil),
            ("\(String(repeating: "a", count: 64)).example", nil), ("\(String(repeating: "a.", count: 127))a", nil),
            // Names with characters outside ASCII.
            ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.example", "xn--bcher-kva.example"),
            ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("例え.example", "xn--r8jz45g.example"),
            ("испытание.example", "xn--80akhbyknj4f.example"), ("παράδειγμα.example", "xn--hxajbheg2az3al.example"),
            ("straße.example", "xn--strae-oqa.example"), ("ｅｘａｍｐｌｅ.com", "example.com"),
            ("xn--bücher.example", nil), ("a。b", nil), ("a⁄b.example", nil), ("℀.example", nil), ("😀.example", nil),
            ("a\u{200D}b.example", nil), ("a\u{202E}b.example", nil),
        ]
        for row in table {
            #expect(SourceHost(row.text)?.description == row.meaning, "\(row.text.debugDescription)")
        }
    }

    /// Every text that the system's `inet_aton` accepts must be parsed to the address that `inet_aton` returns.
    @Test(.requirement("SV3")) func ipv4AddressNotationsAreParsedLikeInetAton() {
        let parts = ["0", "1", "127", "256", "0x7f", "0177", "08", "0x", "65536", "4294967295"]
        var texts = parts
        for _ in 0..<3 {
            texts += texts.filter { $0.split(separator: ".").count < 4 }.flatMap { text in parts.map { "\(text).\($0)" }
            }
        }
        for text in Set(texts) {
            var address = in_addr()
            let expected = inet_aton(text, &address) != 0 ? IPAddress.v4(UInt32(bigEndian: address.s_addr)) : nil
            let host = SourceHost(text)
            if host != expected.map(SourceHost.address) { Issue.record("\(text): \(String(describing: host))") }
        }
        #expect(Set(texts).count > 10_000)
    }

    /// The sample strings of RFC 3492 §7.1 that are valid labels of host names, in lowercase.
    @Test func labelOfEachSampleOfRFC3492IsEncodedAsPunycode() {
        let table: [(text: String, code: String)] = [
            ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
            ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"),
            ("pročprostěnemluvíčesky", "proprostnemluvesky-uyb24dma41a"),
            ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
            ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
            ("porquénopuedensimplementehablarenespañol", "porqunopuedensimplementehablarenespaol-fmd56a"),
            ("tạisaohọkhôngthểchỉnóitiếngviệt", "tisaohkhngthchnitingvit-kjcr8268qyxafd2f1b9g"),
            ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"), ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"),
            ("そのスピードで", "d9juau41awczczp"),
        ]
        for row in table { #expect(SourceHost(row.text)?.description == "xn--" + row.code, "\(row.code)") }
    }

    @Test func parsingAHostOfUpTo8192CharactersDoesNotTrap() {
        for count in [1, 63, 64, 253, 254, 1_024, 8_192] {
            _ = SourceHost(String(repeating: "9", count: count))
            _ = SourceHost(String(repeating: "é", count: count))
            _ = SourceHost("[" + String(repeating: ":", count: count) + "]")
        }
        let far = String(repeating: "\u{10FFFD}", count: 200) + "a"
        #expect(SourceHost(far) == nil)
    }
}
