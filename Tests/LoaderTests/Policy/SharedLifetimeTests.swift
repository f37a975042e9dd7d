import Testing

@testable import PlatformImageLoader

/// Lifetime and restrictions of a response in a shared cache (RFC 9111 §3, §4.2).
@Suite struct SharedLifetimeTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private static let now = WallTime(seconds: 784_111_777)

    struct LifetimeCase: Sendable {
        let fields: HeaderFields
        var remaining: Int64?
        var isPrivate = false
        var forbidsStoring = false
    }

    static let rows: [LifetimeCase] = [
        LifetimeCase(fields: ["Cache-Control": "max-age=60"], remaining: 60),
        LifetimeCase(fields: ["Cache-Control": "max-age=60, s-maxage=10"], remaining: 10),
        LifetimeCase(fields: ["Cache-Control": "s-maxage=x, max-age=60"], remaining: 0),
        LifetimeCase(fields: ["Cache-Control": "s-maxage=\"10, max-age=60"], remaining: 0),
        LifetimeCase(fields: ["Cache-Control": "max-age=60", "Age": "70"], remaining: -10),
        LifetimeCase(fields: ["Cache-Control": "no-cache, max-age=60"], remaining: 0),
        LifetimeCase(fields: ["Cache-Control": "private, max-age=60"], remaining: 60, isPrivate: true),
        LifetimeCase(fields: ["Cache-Control": "max-age=60", "Set-Cookie": "a=b"], remaining: 60, isPrivate: true),
        LifetimeCase(fields: ["Cache-Control": "no-store"], forbidsStoring: true),
        LifetimeCase(fields: ["Vary": "*"], forbidsStoring: true),
        LifetimeCase(fields: ["Vary": "Accept"]),
        LifetimeCase(
            fields: ["Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Expires": "Sun, 06 Nov 1994 08:50:37 GMT"],
            remaining: 60),
        LifetimeCase(fields: ["Expires": "0"], remaining: 0),
        LifetimeCase(fields: [:]),
    ]

    @Test(arguments: rows)
    func responseFieldsDetermineTheSharedCacheLifetimeAndWhetherStoringIsForbidden(_ row: LifetimeCase) {
        let lifetime = SharedLifetime(row.fields, now: Self.now)
        #expect(lifetime.remaining == row.remaining)
        #expect(lifetime.isPrivate == row.isPrivate)
        #expect(lifetime.forbidsStoring == row.forbidsStoring)
    }
}
