#if Loader
import Testing

@testable import PlatformImageLoader

/// Lifetime and restrictions of a response in a shared cache (RFC 9111 §3, §4.2).
@Suite struct SharedLifetimeTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private static let now = WallTime(seconds: 784_111_777)

    struct Row: Sendable {
        let fields: HeaderFields
        var remaining: Int64?
        var isPrivate = false
        var forbidsStoring = false
    }

    static let rows: [Row] = [
        Row(fields: ["Cache-Control": "max-age=60"], remaining: 60),
        Row(fields: ["Cache-Control": "max-age=60, s-maxage=10"], remaining: 10),
        Row(fields: ["Cache-Control": "s-maxage=x, max-age=60"], remaining: 0),
        Row(fields: ["Cache-Control": "s-maxage=\"10, max-age=60"], remaining: 0),
        Row(fields: ["Cache-Control": "max-age=60", "Age": "70"], remaining: -10),
        Row(fields: ["Cache-Control": "no-cache, max-age=60"], remaining: 0),
        Row(fields: ["Cache-Control": "private, max-age=60"], remaining: 60, isPrivate: true),
        Row(fields: ["Cache-Control": "max-age=60", "Set-Cookie": "a=b"], remaining: 60, isPrivate: true),
        Row(fields: ["Cache-Control": "no-store"], forbidsStoring: true),
        Row(fields: ["Vary": "*"], forbidsStoring: true),
        Row(fields: ["Vary": "Accept"]),
        Row(
            fields: ["Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Expires": "Sun, 06 Nov 1994 08:50:37 GMT"],
            remaining: 60),
        Row(fields: ["Expires": "0"], remaining: 0),
        Row(fields: [:]),
    ]

    @Test(arguments: rows)
    func fieldsGiveTheSharedLifetimeAndRestrictions(_ row: Row) {
        let lifetime = SharedLifetime(row.fields, now: Self.now)
        #expect(lifetime.remaining == row.remaining)
        #expect(lifetime.isPrivate == row.isPrivate)
        #expect(lifetime.forbidsStoring == row.forbidsStoring)
    }
}
#endif
