import PlatformImage
import PlatformImageLoopbackOrigin
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

private let trace = "0af7651916cd43dd8448eb211c80319c"
private let parent = "b7ad6b7169203331"

/// W3C Trace Context: parsing of incoming fields, and the fields of requests to origins.
@Suite struct TraceContextTests {
    @Test func validTraceparentIsParsed() throws {
        let context = try #require(TraceContext(parent: "00-\(trace)-\(parent)-01", state: nil))
        #expect(context.traceID == trace)
        #expect(context.parentID == parent)
        #expect(context.flags == 1)
        #expect(context.state == nil)
        // A future version: the known parts are used, unknown flags are not forwarded.
        let later = try #require(TraceContext(parent: "cc-\(trace)-\(parent)-ff-more", state: nil))
        #expect(later.flags == 3)
        #expect(later.fields(spanID: 255).map(\.value) == ["00-\(trace)-00000000000000ff-03"])
    }

    @Test(
        arguments: [
            "", "00", "00-\(trace)-\(parent)", "00-\(trace)-\(parent)-1", "00-\(trace)-\(parent)-01-more",
            "00-\(trace)-\(parent)-01x", "ff-\(trace)-\(parent)-01", "cc-\(trace)-\(parent)-01.more",
            "00-00000000000000000000000000000000-\(parent)-01", "00-\(trace)-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-\(parent)-01", "00-\(trace)-\(parent)-0g", "0x-\(trace)-\(parent)-01",
            "00_\(trace)-\(parent)-01", "00-\(trace)-\(parent)-01, 00-\(trace)-\(parent)-01",
            " 00-\(trace)-\(parent)-01",
        ] as [String])
    func invalidTraceparentIsIgnored(_ text: String) {
        #expect(TraceContext(parent: text, state: "a=1") == nil)
    }

    @Test func traceparentWithOneInvalidByteIsIgnored() {
        let valid = Array("00-\(trace)-\(parent)-01".utf8)
        for index in valid.indices {
            for byte in [0x00, 0x0A, 0x20, 0x2D, 0x47, 0x67, 0x7F] as [UInt8] where byte != valid[index] {
                var bytes = valid
                bytes[index] = byte
                #expect(TraceContext(parent: String(decoding: bytes, as: UTF8.self), state: nil) == nil)
            }
        }
    }

    @Test(
        arguments: [
            ("a=1", "a=1"), ("a=1,b=2", "a=1,b=2"), (" a=1 ,\tb=2 ,, ", "a=1,b=2"), ("t-1@v=x y", "t-1@v=x y"),
            ("1a=1", "1a=1"), ("", nil), (",", nil), ("a", nil), ("A=1", nil), ("a=", nil), ("a=1=2", nil),
            ("a=1,a=2", nil), ("a@b@c=1", nil), ("a=\u{7F}", nil), ("a=é", nil), ("=1", nil), ("a b=1", nil),
        ] as [(String, String?)])
    func validTracestateIsForwardedAndInvalidTracestateIsDropped(_ text: String, _ kept: String?) {
        #expect(TraceState.validated(text) == kept)
    }

    @Test func tracestateWithOver32MembersOrAValueOver256CharactersIsDropped() {
        let members = (0..<33).map { "k\($0)=v" }
        #expect(TraceState.validated(members.prefix(32).joined(separator: ",")) != nil)
        #expect(TraceState.validated(members.joined(separator: ",")) == nil)
        let long = "a=" + String(repeating: "x", count: 256)
        #expect(TraceState.validated(long) == long)
        #expect(TraceState.validated(long + "x") == nil)
        #expect(TraceState.validated(long + ",b=" + long.dropFirst(2)) == long)
    }

    /// W3C Trace Context 3.3.1.5: at least 512 characters of combined members are forwarded.
    @Test func tracestateIsCutAfterTheLastCompleteMemberWithin512Bytes() {
        func member(_ key: Character, _ count: Int) -> String {
            let name = String(repeating: key, count: max(1, count - 257))
            return name + "=" + String(repeating: "x", count: count - name.count - 1)
        }
        #expect(member("a", 512).count == 512)
        let cases: [(sizes: [Int], forwarded: Int)] = [
            ([511], 1), ([512], 1), ([513], 0), ([512, 3], 1), ([508, 3], 2), ([509, 3], 1), ([255, 256], 2),
            ([256, 256], 1), ([255, 253, 3], 2), ([255, 251, 4], 3),
        ]
        for (sizes, forwarded) in cases {
            let members = zip("abc", sizes).map { member($0, $1) }
            let expected = members.prefix(forwarded).joined(separator: ",")
            let found = TraceState.validated(members.joined(separator: ","))
            #expect(found == (forwarded == 0 ? nil : expected), "\(sizes)")
        }
    }

    @Test func originReceivesTheTraceIDWithANewParentID() async throws {
        let file = try Bitmap.landscape(40, 30).png()
        let origin = try await LoopbackOrigin { request in
            request.target == "/old.png" ? .redirect(to: "/new.png") : .ok(file)
        }
        try await withService(origin: origin) { service in
            let target = "/unsafe/20x20/127.0.0.1:\(origin.port)/old.png"
            let fields = [("traceparent", "00-\(trace)-\(parent)-01"), ("tracestate", "a=1")]
            let reply = try await service.send(target, fields: fields)
            #expect(reply.status == 200)
        }
        let parents = origin.requests.compactMap { $0["traceparent"] }
        #expect(parents.count == 2)
        for sent in parents {
            let context = try #require(TraceContext(parent: sent, state: nil))
            #expect(context.traceID == trace)
            #expect(context.parentID != parent)
            #expect(context.flags == 1)
        }
        #expect(Set(parents).count == 2)
        #expect(origin.requests.map { $0["tracestate"] } == ["a=1", "a=1"])
        await origin.stop()
    }

    @Test(
        arguments: [[], [("tracestate", "a=1")], [("traceparent", "00-x-y-01"), ("tracestate", "a=1")]]
            as [[(String, String)]])
    func originReceivesNoTraceFieldsWithoutAValidTraceparent(_ fields: [(String, String)]) async throws {
        let file = try Bitmap.landscape(40, 30).png()
        let origin = try await LoopbackOrigin { _ in .ok(file) }
        try await withService(origin: origin) { service in
            let target = "/unsafe/20x20/127.0.0.1:\(origin.port)/a.png"
            let reply = try await service.send(target, fields: fields)
            #expect(reply.status == 200)
        }
        #expect(origin.requests.map { $0["traceparent"] } == [nil])
        #expect(origin.requests.map { $0["tracestate"] } == [nil])
        await origin.stop()
    }
}
