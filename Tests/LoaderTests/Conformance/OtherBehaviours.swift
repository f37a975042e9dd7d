/// Suites `conditional-inm`, `other` and `interim` of http-tests/cache-tests (RFC 9110 §13, §15.2; RFC 9111 §2,
/// §4.3.1).
let otherBehaviours: [Behaviour] = conditionals + keys + interims

private func becomesStale(_ tag: ScriptedValue) -> Step {
    .get(["Cache-Control": "max-age=2", "ETag": tag], pause: 3)
}

private let conditionals: [Behaviour] = [
    Behaviour(
        "conditional-etag-vary-headers",
        steps: [
            .get(
                ["Expires": 1, "ETag": "\"abcdef\"", "Date": 0, "Vary": "Abc"], asking: ["Abc": "123"], pause: 3),
            .get(asking: ["Abc": "123"], expect: .etagValidated).with(\.sends, ["Abc": "123"]),
        ]),
    Behaviour(
        "conditional-etag-vary-headers-mismatch",
        steps: [
            .get(
                ["Expires": 10_000, "ETag": "\"abcdef\"", "Date": 0, "Vary": "Abc"], asking: ["Abc": "123"], pause: 3),
            .get(asking: ["Abc": "456"], expect: .fetched).with(\.omits, ["If-None-Match"]),
        ]),
    Behaviour(
        "conditional-etag-strong-generate", .optimal,
        steps: [
            becomesStale("\"abcdef\""),
            .get(expect: .etagValidated).with(\.sends, ["If-None-Match": "\"abcdef\""]),
        ]),
    Behaviour(
        "conditional-etag-weak-generate-weak", .optimal,
        steps: [
            becomesStale("W/\"abcdef\""),
            .get(expect: .etagValidated).with(\.sends, ["If-None-Match": "W/\"abcdef\""]),
        ]),
    Behaviour(
        "conditional-etag-strong-generate-unquoted", .check,
        .notMet(
            "an entity tag is sent back byte for byte",
            found: ["step 2: the origin sees no If-None-Match of \"abcdef\""]),
        steps: [
            becomesStale("abcdef"), .get(expect: .etagValidated).with(\.sends, ["If-None-Match": "\"abcdef\""]),
        ]),
    Behaviour(
        "conditional-etag-forward", .check,
        steps: [.get(asking: ["If-None-Match": "\"abcdef\""]).with(\.sends, ["If-None-Match": "\"abcdef\""])]),
    Behaviour(
        "conditional-etag-forward-unquoted", .check,
        .notMet(
            "the caller's fields are sent unchanged",
            found: ["step 1: the origin sees no If-None-Match of \"abcdef\""]),
        steps: [.get(asking: ["If-None-Match": "abcdef"]).with(\.sends, ["If-None-Match": "\"abcdef\""])]),
]

private let keys: [Behaviour] = [
    Behaviour(
        "query-args-different",
        steps: [
            .get(freshFields, pause: 3).with(\.url, "http://origin.test/picture?test=1"),
            .get(expect: .fetched).with(\.url, "http://origin.test/picture?test=2"),
        ]),
    Behaviour(
        "query-args-same", .optimal,
        steps: [
            .get(freshFields, pause: 3).with(\.url, "http://origin.test/picture?test=1"),
            .get(expect: .cached).with(\.url, "http://origin.test/picture?test=1"),
        ]),
    Behaviour(
        "other-fresh-content-disposition-attachment", .check,
        answer: freshFields.adding(["Content-Disposition": "attachment; filename=example.txt"]), then: .cached),
    Behaviour(
        "other-cookie", .optimal,
        steps: [.get(freshFields, pause: 3), .get(asking: ["Cookie": "a=b"], expect: .cached)]),
]

private let lasting: ScriptedFields = ["Cache-Control": "max-age=100000", "Date": 0]
private let hints: ScriptedFields = ["Link": "</styles.css>; rel=preload; as=style", "X-My-Header": "test"]
private let notHandedOn = Behaviour.Verdict.notMet(
    "the final response is cached, but the loader does not deliver interim responses",
    found: ["step 1: no interim response is delivered"])

private let interims: [Behaviour] = [
    Behaviour(
        "interim-102", .optimal, notHandedOn,
        steps: [
            .get(lasting, pause: 3).with(\.interim, (102, [:])).with(\.showsInterim, true), .get(expect: .cached),
        ]),
    Behaviour(
        "interim-103", .optimal, notHandedOn,
        steps: [
            .get(lasting, pause: 3).with(\.interim, (103, hints)).with(\.showsInterim, true), .get(expect: .cached),
        ]),
    Behaviour(
        "interim-not-cached", note: "checks what is stored, because the loader does not deliver interim responses",
        steps: [.get(lasting, expect: .fetched, pause: 3).with(\.interim, (103, hints)), .get(expect: .cached)]),
    Behaviour(
        "interim-no-header-reuse", .optimal, note: "checks the fields of the final response",
        steps: [
            .get(lasting, expect: .fetched, hides: ["X-My-Header"], pause: 3).with(\.interim, (103, hints)),
            .get(expect: .cached, hides: ["X-My-Header"]),
        ]),
]
