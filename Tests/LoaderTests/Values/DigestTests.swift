import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Test vectors of FIPS 180-4 (examples of NIST), RFC 4231 (HMAC-SHA-256) and RFC 2202 (HMAC-SHA-1). Other expected
/// values were computed with hashlib and hmac of Python.
struct DigestTests {
    private static let hashes: [(message: [UInt8], digest: String)] = [
        ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            Array(
                ("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
                    + "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu").utf8),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        (
            [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
        (
            (0..<1024).map { UInt8($0 % 256) },
            "785b0751fc2c53dc14a4ce3d800e69ef9ce1009eb327ccf458afe09c242c26c9"
        ),
    ]

    private struct Code: Sendable {
        let key: [UInt8]
        let message: [UInt8]
        /// SHA-1 and SHA-256; nil where the RFC of the function has no such vector.
        let sha1, sha256: String?
    }

    private static let codes: [Code] = [
        Code(
            key: [UInt8](repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
            sha1: "b617318655057264e28bc0b6fb378c8ef146be00",
            sha256: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        Code(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            sha1: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
            sha256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        Code(
            key: [UInt8](repeating: 0xAA, count: 20), message: [UInt8](repeating: 0xDD, count: 50),
            sha1: "125d7342b9ac11cd91a39af48aa17b4f63f175d3",
            sha256: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        Code(
            key: (1...25).map { UInt8($0) }, message: [UInt8](repeating: 0xCD, count: 50),
            sha1: "4c9007f4026250c6bc8414f9bf50c86c2d7235da",
            sha256: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        Code(
            key: [UInt8](repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8), sha1: nil,
            sha256: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        Code(
            key: [UInt8](repeating: 0xAA, count: 131),
            message: Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8), sha1: nil,
            sha256: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
        Code(
            key: [], message: [], sha1: "fbdb1d1b18aa6c08324b7d64b71fb76370690e1d",
            sha256: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ]

    @Test func sha256OfPublishedMessagesHasThePublishedDigest() {
        for (message, digest) in Self.hashes { #expect(String(hexadecimal: SHA256.hash(message)) == digest) }
    }

    @Test func sha256OfAMessageInTwoPartsEqualsTheDigestOfTheMessage() {
        let message = (0..<200).map { UInt8($0) }
        let expected = SHA256.hash(message)
        for cut in 0...message.count {
            var hash = SHA256()
            hash.update(Array(message[..<cut]))
            message[cut...].withUnsafeBytes { hash.update($0) }
            #expect(hash.finalize() == expected)
        }
    }

    @Test func hmacOfPublishedMessagesHasThePublishedCode() {
        for each in Self.codes {
            if let sha1 = each.sha1 {
                #expect(String(hexadecimal: HMAC.code(.sha1, key: each.key, message: each.message)) == sha1)
            }
            if let sha256 = each.sha256 {
                #expect(String(hexadecimal: HMAC.code(.sha256, key: each.key, message: each.message)) == sha256)
            }
        }
    }

    @Test func hmacOfAMessageInTwoPartsEqualsTheCodeOfTheMessage() {
        let (key, message) = ([UInt8](1...64), (0..<100).map { UInt8($0) })
        let expected = HMAC.code(.sha256, key: key, message: message)
        for cut in 0...message.count {
            var hmac = HMAC(.sha256, key: key)
            hmac.update(Array(message[..<cut]))
            hmac.update(Array(message[cut...]))
            #expect(hmac.finalize() == expected)
        }
    }

    @Test func comparisonFindsEveryChangedBitAndEveryOtherLength() {
        let code = HMAC.code(.sha256, key: [1], message: [2])
        #expect(isEqualInConstantTime(code, code))
        #expect(isEqualInConstantTime([], []))
        #expect(!isEqualInConstantTime(code, []) && !isEqualInConstantTime(code, code + [0]))
        for bit in 0..<(code.count * 8) {
            var other = code
            other[bit / 8] ^= 1 << (bit % 8)
            #expect(!isEqualInConstantTime(code, other))
        }
    }

    @Test func randomBytesHaveTheRequestedCountAndDiffer() {
        #expect(secureRandomBytes(0).isEmpty)
        let values = (0..<100).map { _ in secureRandomBytes(32) }
        #expect(values.allSatisfy { $0.count == 32 })
        #expect(Set(values).count == 100)
    }
}
