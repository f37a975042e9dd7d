import Testing

@testable import PlatformImageLoader

/// Malformed and very long headers: nothing traps, and parsing takes linear time.
struct HostileHeaderTests {
    private static let headers: [String] = [
        "max-age=3600, stale-while-revalidate=\"5\", ext=\"a\\\"b, c\", no-cache=\"x, y\"",
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "W/\"tag\"", "accept, *, User-Agent", "100, 5",
    ]
    private static let names = [
        "Cache-Control", "Expires", "Date", "Age", "Vary", "ETag", "Last-Modified", "Connection",
    ]

    /// Passes the fields to `CacheOutcome` and `CacheDecision` as fields of a response, a request and a 304 response.
    private func exercise(_ fields: HeaderFields) throws {
        let stored = try PolicyFixture.outcome(200, fields).entry
        let request = CacheRequest(fields: fields, policy: .cacheElseLoad)
        let updated = try PolicyFixture.outcome(304, fields, entry: stored, request: request).entry ?? stored
        let decision = CacheDecision.decide(
            entry: updated, request: CacheRequest(), settings: CacheSettings(), now: PolicyFixture.now)
        switch decision {
        case .useStored(let shown, _): #expect(shown.fields[lines: "Age"].count == 1)
        case .send(let plan, _): #expect(!plan.isPassThrough)
        case .fail, .notInCache: #expect(Bool(false), "\(decision)")
        }
    }

    @Test func everyPrefixOfAHeaderIsParsedWithoutTrapping() throws {
        for header in Self.headers {
            let bytes = Array(header.utf8)
            for name in Self.names {
                for cut in 0...bytes.count {
                    let fields = HeaderFields([HeaderField(name, bytes: Array(bytes[..<cut]))])
                    try exercise(fields)
                }
            }
        }
    }

    @Test func headerWithAnyChangedByteIsParsedWithoutTrapping() throws {
        for header in Self.headers {
            let bytes = Array(header.utf8)
            for index in bytes.indices {
                for byte in [0x00, 0x09, 0x20, 0x22, 0x2C, 0x30, 0x3D, 0x5C, 0x7F, 0x80, 0xFF] as [UInt8] {
                    var changed = bytes
                    changed[index] = byte
                    let fields = HeaderFields(Self.names.map { HeaderField($0, bytes: changed) })
                    let control = CacheControl(fields)
                    #expect(control.maxAge.map { $0 >= 0 && $0 <= DeltaSeconds.max } != false)
                    _ = try PolicyFixture.outcome(200, fields)
                }
            }
        }
    }

    /// Headers with one list member 20,000 times; with quadratic work, the test would take minutes.
    @Test(arguments: [
        ",", "\"", "\\", "\"\\", "=", "a=\"", "max-age=1,", "no-cache=\"x\",", " ", "a ,", "a=b\"c", "\"a\",",
    ])
    func longHeadersAreParsedInLinearTime(_ member: String) throws {
        let bytes = Array(repeatElement(Array(member.utf8), count: 20_000).joined())

        for name in ["Cache-Control", "Age", "Date", "Connection"] {
            let fields = HeaderFields([HeaderField(name, bytes: bytes)])
            #expect(try PolicyFixture.outcome(200, fields).result != .transportFailure)
        }
    }

    @Test func thousandsOfVaryNamesAreParsedInLinearTime() throws {
        let count = 20_000
        let vary = (0..<count).map { "name-\($0)" }.joined(separator: ",")
        let request = CacheRequest(fields: HeaderFields((0..<count).map { HeaderField("Name-\($0)", "\($0)") }))

        let entry = try #require(try PolicyFixture.outcome(200, ["Vary": vary], request: request).entry)
        let response = try #require(entry.response)

        #expect(response.vary.count == count)
        #expect(Vary.matches(response, request.fields))
        #expect(!Vary.matches(response, ["Name-0": "0"]))
    }

    @Test func response304WithThousandsOfLinesIsMergedInLinearTime() throws {
        let many = HeaderFields((0..<20_000).map { HeaderField("X-\($0)", "a") } + [HeaderField("ETag", "\"a\"")])
        let entry = try PolicyFixture.entry(many, age: 10)

        let updated = try PolicyFixture.outcome(304, many, entry: entry).entry

        // The merged response has all lines of the 304 response, and a Date.
        #expect(updated?.response?.fields.lines.count == many.lines.count + 1)
    }
}
