import PlatformImageTestSupport
import Testing

@testable import PlatformImageHTTPServer

@Suite struct HostFieldTests {
    @Test(
        .requirement("HS11"),
        arguments: [
            ("a.example", true), ("A.EXAMPLE:80", true), ("a.example:", true), ("a:65535", true),
            ("[2001:db8::1]", true), ("[::1]:8080", true), ("1.2.3.4:1", true), ("localhost", true), ("a_b-c.d", true),
            ("[::]", true), ("[1:2:3:4:5:6:7:8]", true), ("[1:2:3:4:5:6:7::]", true), ("[::2:3:4:5:6:7:8]", true),
            ("[::ffff:1.2.3.4]", true), ("[1:2:3:4:5:6:1.2.3.4]", true), ("[fe80::1%25eth0]", false), ("", false),
            (":80", false), ("a:65536", false), ("a:000080", false), ("a:8o", false), ("a:-1", false),
            ("a:80:80", false), ("::1", false), ("[::1", false), ("[]", false), ("[a.example]", false),
            ("[::1]80", false), ("[::1]:x", false), ("[:]", false), ("[:::]", false), ("[1::2::3]", false),
            ("[1:2:3:4:5:6:7:8:9]", false), ("[1:2:3:4:5:6:7]", false), ("[1:2:3:4:5:6:7:8::]", false),
            ("[12345::]", false), ("[1:2:3:4:5:6:7:1.2.3.4]", false), ("[::1.2.3]", false), ("[::1.2.3.256]", false),
            ("[::01.2.3.4]", false), ("[::1.2.3.4.5]", false), ("[1:]", false), ("[:1]", false), ("[v1.a]", false),
            ("user@a.example", false), ("a.example/", false), ("a.example?b", false), ("a#b", false), ("a b", false),
            ("a,b", false), ("a\"b", false), ("<a>", false), ("a%2eb", false), ("\u{E4}.example", false),
            ("a\\b", false), ("http://a.example", false),
        ])
    func hostFieldIsValidatedAsHostAndPort(_ value: String, isValid: Bool) {
        let bytes = Array(value.utf8)

        #expect(HostField.isValid(bytes.span, 0..<bytes.count) == isValid)
    }

    @Test(.requirement("HS11")) func hostOverTheMaximumLengthIsInvalid() {
        for (count, isValid) in [(255, true), (256, false)] {
            let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count)
            #expect(HostField.isValid(bytes.span, 0..<count) == isValid)
        }
    }
}
