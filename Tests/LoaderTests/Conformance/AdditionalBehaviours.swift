@testable import PlatformImageLoader

/// Rules of Docs/http-cache.md that cache-tests does not cover, in the same form and counted separately.
let additionalBehaviours: [Behaviour] = [
    Behaviour(
        "own-tag-of-any-bytes", note: "an entity tag that is not UTF-8 is sent back byte for byte",
        steps: [
            .get(["Cache-Control": "no-cache", "ETag": .bytes([0x22, 0xFC, 0x80, 0xFF, 0x22])]),
            .get(expect: .etagValidated).with(\.sends, ["If-None-Match": .bytes([0x22, 0xFC, 0x80, 0xFF, 0x22])]),
        ]),
    Behaviour(
        "own-no-store-removes-the-older", note: "a response with no-store removes the stored response",
        steps: [
            .get(["Cache-Control": "max-age=1"], pause: 3), .get(["Cache-Control": "no-store"], expect: .fetched),
            .get(expect: .notInCache).with(\.policy, .cacheOnly),
        ]),
    Behaviour(
        "own-304-with-no-store", note: "a load with a 304 with no-store returns the stored body and removes the entry",
        steps: [
            .get(["Cache-Control": "max-age=1", "ETag": "\"a\""], pause: 3),
            .get(["Cache-Control": "no-store", "ETag": "\"a\""], expect: .etagValidated),
            .get(expect: .notInCache).with(\.policy, .cacheOnly),
        ]),
    Behaviour(
        "own-304-about-another-body",
        note: "after a 304 with a different strong tag, the request is repeated without conditions",
        steps: [
            .get(["Cache-Control": "max-age=2", "ETag": "\"a\""], pause: 3),
            .get(["Cache-Control": "max-age=60", "ETag": "\"b\""], expect: .fetched).with(\.confirmsAnything, true),
            .get(expect: .cached, shows: ["ETag": "\"b\""]),
        ]),
    Behaviour(
        "own-206-without-range-request", note: "a 206 response to a request without Range is never stored",
        steps: [.get(["Cache-Control": "max-age=3600"], status: 206), .get(expect: .fetched)]),
    Behaviour(
        "own-body-cut-short", note: "a truncated body is never stored, and the older entry stays",
        steps: [
            .get(["Cache-Control": "max-age=1", "ETag": "\"a\""], pause: 3),
            .get(["Cache-Control": "max-age=3600", "ETag": "\"b\""]).with(\.cutsBody, true),
            .get(["ETag": "\"a\""], expect: .etagValidated),
        ]),
    Behaviour(
        "own-503-keeps-the-older", note: "an error never replaces a stored body",
        steps: [
            .get(["Cache-Control": "max-age=1", "ETag": "\"a\""], pause: 3),
            .get(status: 503, expect: .fetched).with(\.expectedStatus, 503), .get(expect: .etagValidated),
        ]),
    Behaviour(
        "own-clock-set-back", note: "an entry dated in the future is stale",
        steps: [
            .get(["Cache-Control": "max-age=3600", "ETag": "\"a\""], pause: -86_400), .get(expect: .etagValidated),
        ]),
    Behaviour(
        "own-failed-refresh-in-the-background", note: "stale-while-revalidate continues to apply within its window",
        steps: [
            .get(["Cache-Control": "max-age=1, stale-while-revalidate=60", "ETag": "\"a\""], pause: 3),
            .get(expect: .cached, pause: 3).with(\.disconnects, true), .get(expect: .cached),
        ]),
    Behaviour(
        "own-must-revalidate-offline", note: "cacheElseLoad does not override must-revalidate",
        steps: [
            .get(["Cache-Control": "max-age=1, must-revalidate"], pause: 3),
            .get(expect: .failed).with(\.policy, .cacheElseLoad).with(\.disconnects, true),
            .get(expect: .notInCache).with(\.policy, .cacheOnly),
        ]),
]
