/// Suites `headers` and `update304` of http-tests/cache-tests: which fields are stored and which fields a 304 response
/// changes (RFC 9111 §3.1, §3.2).
let fieldBehaviours: [Behaviour] = single + fields.map(\.storing) + fields.compactMap(\.updating)

private let single: [Behaviour] = [
    Behaviour(
        "headers-omit-headers-listed-in-Connection",
        steps: [
            .get(freshFields.adding(["Connection": "a, b", "a": "1", "b": "2", "c": "3"]), pause: 3),
            .get(expect: .cached, shows: ["c": "3"], hides: ["a", "b", "Connection"]),
        ]),
    Behaviour(
        "304-lm-use-stored-Test-Header",
        steps: [
            .get(
                ["Cache-Control": "max-age=2", "Last-Modified": newYear, "Date": 0, "Test-Header": "first"],
                pause: 3),
            .get(
                ["Last-Modified": newYear, "Date": 0], expect: .dateValidated, shows: ["Test-Header": "first"]),
        ]),
]

private let newYear: ScriptedValue = "Wed, 01 Jan 2020 00:00:00 GMT"

/// A field, two values for it, and the expected behaviour of the cache.
private struct Field {
    let name: String
    var before = "value-one"
    var after = "value-two"
    /// True for a field that is specific to the connection and is never stored.
    var isOfTheConnection = false
    /// The kind of the behaviour `304-etag-update-response-NAME` in cache-tests.
    var update = Behaviour.Kind.check
    /// True when a 304 response must not change the field.
    var isKept = false
    var updateVerdict = Behaviour.Verdict.met

    var storing: Behaviour {
        let lifetime: ScriptedFields = name == "Cache-Control" ? [:] : ["Cache-Control": "max-age=3600"]
        var second = Step.get(expect: .cached)
        if isOfTheConnection {
            second.hides = [name]
        } else {
            second.shows.lines = [(name, .text(after))]
        }
        return Behaviour(
            "headers-store-\(name)",
            steps: [
                .get(lifetime.adding(["Date": 0, name: .text(after)]), pause: 3).with(\.body, "0123456789"),
                second.with(\.body, "0123456789"),
            ])
    }

    var updating: Behaviour? {
        if isOfTheConnection { return nil }
        let lifetime: ScriptedFields = name == "Cache-Control" ? [:] : ["Cache-Control": "max-age=2"]
        let tag: ScriptedFields = name == "ETag" ? [:] : ["ETag": "\"tag-of-one\""]
        let shown: ScriptedFields = [name: .text(isKept ? before : after)]
        return Behaviour(
            "304-etag-update-response-\(name)", update, updateVerdict,
            steps: [
                .get(lifetime.adding(tag).adding(["Date": 0, name: .text(before)]), pause: 3).with(\.body, "01234"),
                .get(
                    lifetime.adding(tag).adding(["Date": 0, name: .text(after)]), expect: .etagValidated, shows: shown
                )
                .with(\.body, "01234"),
                .get(expect: .cached, shows: shown).with(\.body, "01234"),
            ])
    }
}

private let fields: [Field] = special + ofTheConnection

private let special: [Field] = [
    Field(name: "Test-Header", update: .required), Field(name: "X-Test-Header", update: .required),
    Field(name: "Content-Foo", update: .required), Field(name: "X-Content-Foo", update: .required),
    Field(name: "Cache-Control", before: "max-age=1", after: "max-age=3600", update: .required),
    // The body has 10 bytes in the storing test and 5 bytes in the updating test.
    Field(name: "Content-Length", before: "5", after: "10", update: .required, isKept: true),
    Field(name: "Content-Location", before: "/foo", after: "/bar"),
    Field(name: "Content-MD5", before: "rL0Y20zC+Fzt72VPzMSk2A==", after: "N7UdGUp1E+RbVvZSTy1R8g=="),
    Field(
        name: "Content-Range",
        updateVerdict: .notMet(
            "a 304 does not change the fields that describe the stored body",
            found: [
                "step 2: Content-Range is 'value-one', not value-two",
                "step 3: Content-Range is 'value-one', not value-two",
            ])),
    Field(
        name: "Content-Security-Policy", before: "default-src 'self'",
        after: "default-src 'self' cdn.example.com"),
    Field(name: "Content-Type", before: "text/plain", after: "text/plain;charset=utf-8"),
    Field(name: "Clear-Site-Data", before: "cache", after: "cookies"),
    Field(
        name: "ETag", before: "\"abcdef\"", after: "\"ghijkl\"",
        updateVerdict: .notMet(
            "a different strong entity tag is for a different body (RFC 9111 §4.3.4); the request is repeated",
            found: [
                "step 2: fetched, not etagValidated", "step 2: status 999", "step 3: fetched, not cached",
                "step 3: ETag is absent, not \"ghijkl\"",
            ])),
    Field(name: "Expires", before: "Fri, 01 Jan 2038 01:01:01 GMT", after: "Mon, 11 Jan 2038 11:11:11 GMT"),
    Field(name: "Public-Key-Pins"),
    Field(name: "X-Frame-Options", before: "deny", after: "sameorigin"),
    Field(name: "X-XSS-Protection", before: "1", after: "1; mode=block"),
]

private let ofTheConnection: [Field] = [
    "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
    "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade",
].map { Field(name: $0, isOfTheConnection: true) }
