#if Loader
import Testing

@testable import Loader

/// What a response says to a cache that serves many (RFC 9111 §3, §4.2).
@Suite struct SharedLifetimeTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private static let now = WallTime(seconds: 784_111_777)

    @Test(arguments: [
        (["Cache-Control": "max-age=60"] as HeaderFields, 60 as Int64?, false, false),
        (["Cache-Control": "max-age=60, s-maxage=10"], 10, false, false),
        (["Cache-Control": "s-maxage=x, max-age=60"], 0, false, false),
        (["Cache-Control": "s-maxage=\"10, max-age=60"], 0, false, false),
        (["Cache-Control": "max-age=60", "Age": "70"], -10, false, false),
        (["Cache-Control": "no-cache, max-age=60"], 0, false, false),
        (["Cache-Control": "private, max-age=60"], 60, true, false),
        (["Cache-Control": "max-age=60", "Set-Cookie": "a=b"], 60, true, false),
        (["Cache-Control": "no-store"], nil, false, true),
        (["Vary": "*"], nil, false, true),
        (["Vary": "Accept"], nil, false, false),
        (["Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Expires": "Sun, 06 Nov 1994 08:50:37 GMT"], 60, false, false),
        (["Expires": "0"], 0, false, false),
        ([:], nil, false, false),
    ])
    func fieldsSayHowLongManyMayKeepIt(
        _ fields: HeaderFields, _ remaining: Int64?, _ isPrivate: Bool, _ forbidsStoring: Bool
    ) {
        let lifetime = SharedLifetime(fields, now: Self.now)
        #expect(lifetime.remaining == remaining)
        #expect(lifetime.isPrivate == isPrivate)
        #expect(lifetime.forbidsStoring == forbidsStoring)
    }
}
#endif
