/// Suite `age-parse` of http-tests/cache-tests, and the behaviours of its suite `other` about Age and Date (RFC 9111
/// §4.2.3, §5.1).
let ageBehaviours: [Behaviour] = [
    aged("age-parse-nonnumeric", age: ["Age": "abc"], then: .cached),
    aged("age-parse-negative", age: ["Age": "-7200"], then: .cached),
    aged("age-parse-float", age: ["Age": "7200.0"], then: .cached),
    aged("age-parse-large-minus-one", age: ["Age": "2147483647"], then: .fetched),
    aged("age-parse-large", age: ["Age": "2147483648"], then: .fetched),
    aged("age-parse-larger", age: ["Age": "2147483649"], then: .fetched),
    aged("age-parse-suffix", age: ["Age": "7200, 0"], then: .fetched),
    aged("age-parse-prefix", age: ["Age": "0, 7200"], then: .cached),
    aged("age-parse-suffix-twoline", age: ["Age": "7200", "Age": "0"], then: .fetched),
    aged("age-parse-prefix-twoline", age: ["Age": "0", "Age": "7200"], then: .cached),
    aged("age-parse-dup-0", age: ["Age": "0, 0"], then: .cached),
    aged("age-parse-dup-0-twoline", age: ["Age": "0", "Age": "0"], then: .cached),
    Behaviour(
        "age-parse-dup-old", answer: ["Date": 0, "Cache-Control": "max-age=10000", "Age": "3600", "Age": "3600"],
        then: .cached),
    aged(
        "age-parse-parameter", .check,
        .notMet("the value is not only digits, so the field is ignored", found: ["step 2: cached, not fetched"]),
        age: ["Age": "7200;foo=bar"]),
    aged(
        "age-parse-numeric-parameter", .check,
        .notMet("the value is not only digits, so the field is ignored", found: ["step 2: cached, not fetched"]),
        age: ["Age": "7200;foo=111"]),

    Behaviour(
        "other-age-gen", steps: [.get(freshFields, pause: 3), .get(expect: .cached, shows: ["Age": .moreThan(2)])]),
    Behaviour(
        "other-age-delay", .check,
        .notMet(
            "a response that was just received is delivered unchanged",
            found: ["step 1: Age is absent, not more than 0"]),
        steps: [
            .get(["Cache-Control": "max-age=3600", "Date": 0], shows: ["Age": .moreThan(0)]).with(\.delay, 5)
        ]),
    Behaviour(
        "other-age-update-expires",
        steps: [
            .get(["Expires": 2_592_000, "Date": 0, "Age": "30"], pause: 3),
            .get(expect: .cached, shows: ["Age": .moreThan(32)]),
        ]),
    Behaviour(
        "other-age-update-max-age",
        steps: [
            .get(["Cache-Control": "max-age=3600", "Date": 0, "Age": "30"], pause: 3),
            .get(expect: .cached, shows: ["Age": .moreThan(32)]),
        ]),
    Behaviour("other-date-update", steps: [.get(freshFields, pause: 3), .get(expect: .cached, shows: ["Date": 0])]),
    Behaviour(
        "other-date-update-expires",
        steps: [
            .get(["Expires": 2_592_000, "Date": 0], pause: 3), .get(expect: .cached, shows: ["Date": 0]),
        ]),
    Behaviour(
        "other-date-update-expires-update", .check,
        steps: [
            .get(["Expires": 2_592_000, "Date": 0], pause: 3),
            .get(expect: .cached, shows: ["Expires": 2_592_000]),
        ]),
]

/// The fields of a response that stays fresh for more than a day.
let freshFields: ScriptedFields = ["Expires": 100_000, "Last-Modified": 0, "Date": 0]
/// The fields of a response that was never fresh.
let staleFields: ScriptedFields = ["Expires": -5000, "Last-Modified": -100_000, "Date": 0]

private func aged(
    _ id: String, _ kind: Behaviour.Kind = .required, _ verdict: Behaviour.Verdict = .met, age: ScriptedFields,
    then: Step.Source = .fetched
) -> Behaviour {
    Behaviour(id, kind, verdict, answer: age.adding(["Date": 0, "Cache-Control": "max-age=3600"]), then: then)
}
