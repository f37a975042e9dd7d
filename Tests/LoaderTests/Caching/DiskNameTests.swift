import Testing

@testable import PlatformImageLoader

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite struct DiskNameTests {
    @Test(arguments: [0, 1, 0xFFFF, .max] as [UInt64])
    func temporaryFileNameContainsTheProcessID(_ number: UInt64) {
        let name = DiskName(Array("0  http://example.com/a".utf8))

        let bytes = name.temporaryName(number).map { UInt8(bitPattern: $0) }

        #expect(bytes.last == 0)
        #expect(DiskName.process(ofTemporary: bytes.dropLast()) == getpid())
        #expect(String(decoding: bytes, as: UTF8.self).contains(".\(String(number, radix: 16)).tmp"))
    }

    @Test func diskNameIsParsedFromShardAndFileName() {
        let name = DiskName(Array("0  http://example.com/a".utf8))

        let file = name.fileName.dropLast().map { UInt8(bitPattern: $0) }

        #expect(DiskName(shard: name.shard, fileName: file) == name)
        let path = name.pathInShard(name.fileName).dropLast().map { UInt8(bitPattern: $0) }
        #expect("v1/" + String(decoding: path, as: UTF8.self) == name.path)
    }

    @Test func repeatedUniqueNumberCallsReturnDifferentNumbers() throws {
        let cache = DiskCache(directory: "/nowhere", createsDirectory: false)

        let numbers = (0..<10_000).map { _ in cache.uniqueNumber() }

        #expect(Set(numbers).count == numbers.count)
    }

    @Test func hasSameBytesDistinguishesUnicodeNormalizationForms() {
        let (composed, apart) = ("caf\u{E9}", "cafe\u{301}")

        #expect(composed == apart)
        #expect(!composed.hasSameBytes(as: apart))
        #expect(composed.hasSameBytes(as: "caf\u{E9}"))
        #expect(!"a".hasSameBytes(as: "b"))
        #expect("".hasSameBytes(as: ""))
    }

    @Test(arguments: [
        "Connection", "keep-alive", "Proxy-Authenticate", "proxy-authentication-info", "PROXY-AUTHORIZATION",
        "proxy-connection", "TE", "Trailer", "transfer-encoding", "Upgrade",
    ])
    func connectionSpecificFieldsAreRemovedFromHeaderFields(_ name: String) {
        let fields: HeaderFields = [name: "x", "Content-Type": "image/png", "Traile": "y"]

        #expect(fields.removingConnectionFields().lines.map(\.name) == ["Content-Type", "Traile"])
    }
}
