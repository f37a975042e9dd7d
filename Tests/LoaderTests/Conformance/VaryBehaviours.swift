/// Suites `vary` and `vary-parse` of http-tests/cache-tests: secondary keys (RFC 9111 §4.1).
let varyBehaviours: [Behaviour] = [
    Behaviour("vary-match", .optimal, steps: varied("Foo", ["Foo": "1"], then: ["Foo": "1"], .cached)),
    Behaviour("vary-no-match", steps: varied("Foo", ["Foo": "1"], then: ["Foo": "2"], .fetched)),
    Behaviour("vary-omit-stored", steps: varied("Foo", [:], then: ["Foo": "1"], .fetched)),
    Behaviour("vary-omit", steps: varied("Foo", ["Foo": "1"], then: [:], .fetched)),
    Behaviour(
        "vary-invalidate", .optimal,
        steps: [
            .get(lasting.adding(["Vary": "Foo"]), asking: ["Foo": "1"]).with(\.body, "one"),
            .get(lasting.adding(["Vary": "Foo"]), asking: ["Foo": "2"], expect: .fetched).with(\.body, "two"),
            .get(asking: ["Foo": "1"], expect: .cached).with(\.body, "one"),
        ]),
    Behaviour(
        "vary-cache-key", .optimal,
        steps: varied("Foo", ["Foo": "1", "Other": "2"], then: ["Foo": "1", "Other": "3"], .cached)),
    Behaviour("vary-2-match", .optimal, steps: varied("Foo, Bar", two, then: two, .cached)),
    Behaviour("vary-2-no-match", steps: varied("Foo, Bar", two, then: ["Foo": "2", "Bar": "abc"], .fetched)),
    Behaviour("vary-2-match-omit", steps: varied("Foo, Bar", two, then: [:], .fetched)),
    Behaviour("vary-3-match", .optimal, steps: varied("Foo, Bar, Baz", three, then: three, .cached)),
    Behaviour(
        "vary-3-no-match",
        steps: varied("Foo, Bar, Baz", three, then: ["Foo": "2", "Bar": "abc", "Baz": "789"], .fetched)),
    Behaviour(
        "vary-3-order",
        steps: varied("Foo, Bar, Baz", three, then: ["Foo": "1", "Baz": "789", "Bar": "abcde"], .fetched)),
    Behaviour(
        "vary-3-omit", .optimal,
        steps: varied("Foo, Bar, Baz", ["Foo": "1", "Baz": "789"], then: ["Foo": "1", "Baz": "789"], .cached)),
    Behaviour("vary-star", steps: varied("*", fooBaz, then: fooBaz, .fetched)),
    Behaviour(
        "vary-normalise-combine", .optimal,
        steps: varied("Foo", ["Foo": "1, 2"], then: ["Foo": "1", "Foo": "2"], .cached)),
    languages("vary-normalise-lang-order", .notMet("values are not reordered before they are compared"), "de, en"),
    languages("vary-normalise-lang-case", .met, "eN, De"),
    languages("vary-normalise-lang-space", .met, " en ,   de"),
    Behaviour(
        "vary-normalise-lang-select", .optimal, .notMet("a stored language is not chosen by quality values"),
        steps: [
            .get(
                lasting.adding(["Vary": "Accept-Language", "Content-Language": "de"]),
                asking: ["Accept-Language": "en, de"]),
            .get(asking: ["Accept-Language": "fr;q=0.5, de;q=1.0"], expect: .cached),
        ]),
    Behaviour(
        "vary-normalise-space", .optimal,
        steps: varied("Foo", ["Foo": "1,2"], then: ["Foo": " 1, 2 "], .cached)),

    star("vary-syntax-star", ["Vary": "*"]),
    star("vary-syntax-star-star", ["Vary": "*, *"]),
    star("vary-syntax-star-star-lines", ["Vary": "*", "Vary": "*"]),
    star("vary-syntax-empty-star", ["Vary": ", *"]),
    star("vary-syntax-empty-star-lines", ["Vary": "", "Vary": "*"]),
    star("vary-syntax-star-foo", ["Vary": "*, Foo"]),
    star("vary-syntax-foo-star", ["Vary": "Foo, *"]),
]

private let lasting: ScriptedFields = ["Cache-Control": "max-age=5000", "Last-Modified": -3000, "Date": 0]
private let two: ScriptedFields = ["Foo": "1", "Bar": "abc"]
private let three: ScriptedFields = ["Foo": "1", "Bar": "abc", "Baz": "789"]
private let fooBaz: ScriptedFields = ["Foo": "1", "Baz": "789"]

private func varied(
    _ names: String, _ first: ScriptedFields, then second: ScriptedFields, _ source: Step.Source
) -> [Step] {
    [.get(lasting.adding(["Vary": .text(names)]), asking: first), .get(asking: second, expect: source)]
}

private func languages(_ id: String, _ verdict: Behaviour.Verdict, _ second: String) -> Behaviour {
    Behaviour(
        id, .optimal, verdict,
        steps: varied(
            "Accept-Language", ["Accept-Language": "en, de"], then: ["Accept-Language": .text(second)], .cached))
}

private func star(_ id: String, _ vary: ScriptedFields) -> Behaviour {
    Behaviour(id, steps: [.get(lasting.adding(vary), asking: fooBaz), .get(asking: fooBaz, expect: .fetched)])
}
