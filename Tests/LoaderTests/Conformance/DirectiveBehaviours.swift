@testable import PlatformImageLoader

/// Suites `cc-response`, `cc-request`, `pragma` and `stale` of http-tests/cache-tests: directives other than lifetimes
/// (RFC 9111 §4.2.4, §5.2, §5.4).
let directiveBehaviours: [Behaviour] = responseDirectives + requestDirectives + pragma + staleAnswers

private let freshForHours: ScriptedFields = ["Cache-Control": "max-age=10000", "Expires": 10_000, "Date": 0]
private let tag: ScriptedFields = ["ETag": "\"abcd\""]

private let responseDirectives: [Behaviour] = [
    directive("cc-resp-private-private", .optimal, answer: ["Cache-Control": "private, max-age=3600"], then: .cached),
    directive("cc-resp-no-store", answer: ["Cache-Control": "no-store"], then: .fetched),
    directive("cc-resp-no-store-case-insensitive", answer: ["Cache-Control": "No-StOrE"], then: .fetched),
    directive("cc-resp-no-store-fresh", answer: freshForHours.adding(["Cache-Control": "no-store"]), then: .fetched),
    newerNotStored("cc-resp-no-store-old-new", "no-store"),
    newerNotStored("cc-resp-no-store-old-max-age", "no-store, max-age=0"),
    directive("cc-resp-no-cache", answer: freshForHours.adding(["Cache-Control": "no-cache"]), then: .fetched),
    directive(
        "cc-resp-no-cache-case-insensitive", answer: freshForHours.adding(["Cache-Control": "No-CaChE"]), then: .fetched
    ),
    directive(
        "cc-resp-no-cache-revalidate", .optimal, answer: tag.adding(["Cache-Control": "no-cache"]), then: .etagValidated
    ),
    directive(
        "cc-resp-no-cache-revalidate-fresh", .optimal,
        answer: freshForHours.adding(["Cache-Control": "no-cache"]).adding(tag),
        then: .etagValidated),
    Behaviour(
        "headers-omit-headers-listed-in-Cache-Control-no-cache-single", .check,
        .notMet("a private cache stores the fields that no-cache lists", found: ["step 2: a is '1', not absent"]),
        steps: [
            .get(["Cache-Control": "no-cache=\"a\"", "a": "1", "b": "2", "Cache-Control": "max-age=3600", "Date": 0]),
            .get(expect: .cached, shows: ["b": "2"], hides: ["a"]),
        ]),
    Behaviour(
        "headers-omit-headers-listed-in-Cache-Control-no-cache", .check,
        .notMet(
            "a private cache stores the fields that no-cache lists",
            found: ["step 2: a is '1', not absent", "step 2: b is '2', not absent"]),
        steps: [
            .get([
                "Cache-Control": "no-cache=\"a, b\"", "a": "1", "b": "2", "c": "3", "Cache-Control": "max-age=3600",
                "Date": 0,
            ]), .get(expect: .cached, shows: ["c": "3"], hides: ["a", "b"]),
        ]),
    directive(
        "cc-resp-must-revalidate-fresh", .optimal,
        answer: tag.adding(["Cache-Control": "max-age=10000, must-revalidate"]),
        then: .cached),
    Behaviour(
        "cc-resp-must-revalidate-stale",
        steps: [
            .get(tag.adding(["Cache-Control": "max-age=2, must-revalidate"])), .get(expect: .cached, pause: 3),
            .get(expect: .etagValidated),
        ]),
    Behaviour(
        "cc-resp-immutable-fresh", .optimal,
        steps: [
            .get(tag.adding(["Cache-Control": "max-age=10000, immutable"]), pause: 3),
            .get(expect: .cached).with(\.policy, .revalidate),
        ]),
    Behaviour(
        "cc-resp-immutable-stale",
        steps: [
            .get(tag.adding(["Cache-Control": "max-age=2, immutable"]), pause: 3),
            .get(expect: .etagValidated).with(\.policy, .revalidate).with(\.sends, ["Cache-Control": "max-age=0"]),
        ]),
]

private let requestDirectives: [Behaviour] = [
    repeatedWithDirective("ccreq-ma0", answer: freshFields, directive: "max-age=0", then: .fetched, pause: 3),
    repeatedWithDirective("ccreq-ma1", answer: freshFields, directive: "max-age=1", then: .fetched, pause: 3),
    repeatedWithDirective(
        "ccreq-magreaterage", answer: ["Cache-Control": "max-age=3600", "Age": "1800"], directive: "max-age=600",
        then: .fetched),
    repeatedWithDirective(
        "ccreq-max-stale", answer: ["Cache-Control": "max-age=1"], directive: "max-stale=1000",
        then: .cached, pause: 3),
    repeatedWithDirective(
        "ccreq-max-stale-age", answer: ["Cache-Control": "max-age=1500", "Age": "2000"], directive: "max-stale=1000",
        then: .cached),
    repeatedWithDirective(
        "ccreq-min-fresh", answer: ["Cache-Control": "max-age=1500"], directive: "min-fresh=2000", then: .fetched),
    repeatedWithDirective(
        "ccreq-min-fresh-age", answer: ["Cache-Control": "max-age=1500", "Age": "1000"], directive: "min-fresh=1000",
        then: .fetched),
    repeatedWithDirective(
        "ccreq-no-cache", answer: ["Cache-Control": "max-age=3600"], directive: "no-cache", then: .fetched),
    repeatedWithDirective(
        "ccreq-no-cache-lm", answer: ["Cache-Control": "max-age=3600", "Last-Modified": -10_000, "Date": 0],
        directive: "no-cache",
        then: .dateValidated),
    repeatedWithDirective(
        "ccreq-no-cache-etag", answer: ["Cache-Control": "max-age=3600", "ETag": "abc"], directive: "no-cache",
        then: .etagValidated),
    repeatedWithDirective(
        "ccreq-no-store",
        .notMet(
            "no-store in a request forbids storing, not reuse (RFC 9111 §5.2.1.5)",
            found: ["step 2: cached, not fetched"]),
        answer: ["Cache-Control": "max-age=3600"], directive: "no-store", then: .fetched),
    Behaviour(
        "ccreq-oic", .check,
        steps: [.get(asking: ["Cache-Control": "only-if-cached"], expect: .notInCache).with(\.expectedStatus, 504)]),
]

private let pragma: [Behaviour] = [
    Behaviour(
        "pragma-request-no-cache", .check,
        .notMet("equals Cache-Control: no-cache when the request has no Cache-Control (RFC 9111 §5.4)"),
        steps: [
            .get(["Cache-Control": "max-age=3600"]), .get(asking: ["Pragma": "no-cache"], expect: .cached),
        ]),
    Behaviour(
        "pragma-request-extension", .check,
        steps: [
            .get(["Cache-Control": "max-age=3600"]),
            .get(asking: ["Pragma": "unrecognised-extension"], expect: .cached),
        ]),
    directive(
        "pragma-response-no-cache", .check, answer: ["Cache-Control": "max-age=3600", "Pragma": "no-cache"],
        then: .cached),
    directive(
        "pragma-response-no-cache-heuristic", .check, noHeuristics,
        answer: ["Date": 0, "Last-Modified": -10_000, "Pragma": "no-cache"], then: .cached),
    directive(
        "pragma-response-extension", .check,
        answer: ["Cache-Control": "max-age=3600", "Pragma": "unrecognised-extension"],
        then: .cached),
]

private let becomesStale: ScriptedFields = ["Cache-Control": "max-age=2", "Template-A": "1"]
private let optional = "with the option staleIfError, which is off by default"
private let noWarning = Behaviour.Verdict.notMet(
    "Warning is obsolete and never generated (RFC 9111 §5.5)", found: ["step 2: Warning is absent, not 110"])

private let staleAnswers: [Behaviour] = [
    Behaviour(
        "stale-close", .check, staleIfError: .upToOneHour, note: optional,
        steps: [.get(becomesStale, pause: 3), .get(expect: .cached).with(\.disconnects, true)]),
    Behaviour(
        "stale-503", .check, staleIfError: .upToOneHour, note: optional,
        steps: [
            .get(becomesStale, pause: 3), .get(status: 503, expect: .cached).with(\.expectedStatus, 200),
        ]),
    Behaviour(
        "stale-while-revalidate", .optimal,
        answer: tag.adding(["Cache-Control": "max-age=1, stale-while-revalidate=3600"]),
        then: .cached),
    Behaviour(
        "stale-while-revalidate-window",
        steps: [
            .get(tag.adding(["Cache-Control": "max-age=1, stale-while-revalidate=4"]), pause: 3),
            .get(["Cache-Control": "no-cache", "ETag": "\"def\""], expect: .cached, pause: 3), .get(expect: .fetched),
        ]),
    Behaviour(
        "stale-sie-close", .check, staleIfError: .serverDirective, note: optional,
        steps: [
            .get(["Cache-Control": "max-age=2, stale-if-error=60"], pause: 3),
            .get(expect: .cached).with(\.disconnects, true),
        ]),
    Behaviour(
        "stale-sie-503", .check, staleIfError: .serverDirective, note: optional,
        steps: [
            .get(["Cache-Control": "max-age=2, stale-if-error=60"], pause: 3),
            .get(status: 503, expect: .cached).with(\.expectedStatus, 200),
        ]),
    // `staleIfError` permits stale responses here, but `must-revalidate` and `no-cache` must prevent them.
    Behaviour(
        "stale-close-must-revalidate", staleIfError: .upToOneHour,
        steps: [
            .get(["Cache-Control": "max-age=2, must-revalidate"], pause: 3),
            .get(expect: .failed).with(\.disconnects, true),
        ]),
    Behaviour(
        "stale-close-no-cache", staleIfError: .upToOneHour,
        steps: [
            .get(["Cache-Control": "max-age=2, no-cache"], pause: 3), .get(expect: .failed).with(\.disconnects, true),
        ]),
    Behaviour(
        "stale-warning-stored", .check, noWarning, staleIfError: .upToOneHour,
        steps: [
            .get(staleFields), .get(expect: .cached, shows: ["Warning": "110"]).with(\.disconnects, true),
        ]),
    Behaviour(
        "stale-warning-become", .check, noWarning, staleIfError: .upToOneHour,
        steps: [
            .get(becomesStale, pause: 3), .get(expect: .cached, shows: ["Warning": "110"]).with(\.disconnects, true),
        ]),
]

/// A behaviour in the form of the directive suites: a second, equal request follows the first response immediately.
private func directive(
    _ id: String, _ kind: Behaviour.Kind = .required, _ verdict: Behaviour.Verdict = .met, answer: ScriptedFields,
    then: Step.Source
) -> Behaviour {
    Behaviour(id, kind, verdict, steps: [.get(answer), .get(expect: then)])
}

private func repeatedWithDirective(
    _ id: String, _ verdict: Behaviour.Verdict = .met, answer: ScriptedFields, directive: String, then: Step.Source,
    pause: Int = 0
) -> Behaviour {
    Behaviour(
        id, .check, verdict,
        steps: [.get(answer, pause: pause), .get(asking: ["Cache-Control": .text(directive)], expect: then)])
}

/// The first response is still fresh at the second and third load, so these loads send no request. The response of the
/// second step, which has the directive, is therefore never received.
private func newerNotStored(_ id: String, _ directive: String) -> Behaviour {
    Behaviour(
        id,
        steps: [
            .get(freshForHours.adding(["A": "1"]), pause: 3),
            .get(["Cache-Control": .text(directive), "Date": 0, "A": "2"], pause: 3),
            .get(expect: .cached, shows: ["A": "1"]),
        ])
}
