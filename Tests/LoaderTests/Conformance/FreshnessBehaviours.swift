/// Suites `cc-freshness` and `cc-parse` of http-tests/cache-tests: the lifetime that Cache-Control gives (RFC 9111
/// §4.2.1, §5.2).
let freshnessBehaviours: [Behaviour] = [
    Behaviour("freshness-none", .check, answer: [:], then: .fetched),
    Behaviour("freshness-max-age", .optimal, answer: ["Cache-Control": "max-age=3600"], then: .cached),
    Behaviour("freshness-max-age-stale", answer: ["Cache-Control": "max-age=2"], then: .fetched),
    Behaviour("freshness-max-age-0", answer: ["Cache-Control": "max-age=0"], then: .fetched),
    Behaviour(
        "freshness-max-age-max-minus-1", .optimal, answer: ["Cache-Control": "max-age=2147483647"], then: .cached),
    Behaviour("freshness-max-age-max", .optimal, answer: ["Cache-Control": "max-age=2147483648"], then: .cached),
    Behaviour("freshness-max-age-max-plus-1", .optimal, answer: ["Cache-Control": "max-age=2147483649"], then: .cached),
    Behaviour("freshness-max-age-max-plus", .optimal, answer: ["Cache-Control": "max-age=99999999999"], then: .cached),
    Behaviour(
        "freshness-max-age-age", answer: ["Date": 0, "Cache-Control": "max-age=3600", "Age": "7200"], then: .fetched),
    Behaviour(
        "freshness-max-age-date", .check, answer: ["Date": -7200, "Cache-Control": "max-age=3600"], then: .fetched),
    Behaviour(
        "freshness-max-age-expires", .optimal, answer: ["Cache-Control": "max-age=3600", "Expires": -7200, "Date": 0],
        then: .cached),
    Behaviour(
        "freshness-max-age-expires-invalid", .optimal,
        answer: ["Cache-Control": "max-age=3600", "Expires": "0", "Date": 0],
        then: .cached),
    Behaviour(
        "freshness-max-age-0-expires", answer: ["Expires": 3600, "Cache-Control": "max-age=0", "Date": 0],
        then: .fetched),
    Behaviour(
        "freshness-max-age-extension", .optimal, answer: ["Cache-Control": "foobar, max-age=3600"], then: .cached),
    Behaviour("freshness-max-age-case-insenstive", .optimal, answer: ["Cache-Control": "MaX-aGe=3600"], then: .cached),
    Behaviour("freshness-max-age-negative", answer: ["Cache-Control": "max-age=-3600"], then: .fetched),
    Behaviour(
        "freshness-max-age-s-maxage-private", answer: ["Cache-Control": "s-maxage=3600, max-age=1"], then: .fetched),
    Behaviour(
        "freshness-max-age-s-maxage-private-multiple",
        answer: ["Cache-Control": "s-maxage=3600", "Cache-Control": "max-age=1"], then: .fetched),

    Behaviour(
        "freshness-max-age-two-fresh-stale-sameline", .check, answer: ["Cache-Control": "max-age=1800, max-age=1"],
        then: .cached),
    Behaviour(
        "freshness-max-age-two-fresh-stale-sepline", .check,
        answer: ["Cache-Control": "max-age=1800", "Cache-Control": "max-age=1"], then: .cached),
    Behaviour(
        "freshness-max-age-two-stale-fresh-sameline", .check, .notMet("the first max-age is used"),
        answer: ["Cache-Control": "max-age=1, max-age=1800"], then: .cached),
    Behaviour(
        "freshness-max-age-two-stale-fresh-sepline", .check, .notMet("the first max-age is used"),
        answer: ["Cache-Control": "max-age=1", "Cache-Control": "max-age=1800"], then: .cached),
    Behaviour("freshness-max-age-quoted", .check, answer: ["Cache-Control": "max-age=\"3600\""], then: .cached),
    Behaviour(
        "freshness-max-age-ignore-quoted", answer: ["Cache-Control": "extension=\"max-age=3600\", max-age=1"],
        then: .fetched),
    Behaviour(
        "freshness-max-age-ignore-quoted-rev", answer: ["Cache-Control": "max-age=1, extension=\"max-age=3600\""],
        then: .fetched),
    Behaviour(
        "freshness-max-age-space-before-equals", .check, answer: ["Cache-Control": "max-age =3600"], then: .fetched),
    Behaviour(
        "freshness-max-age-space-after-equals", .check, answer: ["Cache-Control": "max-age= 3600"], then: .fetched),
    Behaviour("freshness-max-age-leading-zero", answer: ["Cache-Control": "max-age=003600"], then: .cached),
    Behaviour("freshness-max-age-single-quoted", answer: ["Cache-Control": "max-age='3600'"], then: .fetched),
    Behaviour(
        "freshness-max-age-decimal-zero", .check, .notMet("the value is not only digits, so the lifetime is 0"),
        answer: ["Cache-Control": "max-age=3600.0"], then: .cached),
    Behaviour(
        "freshness-max-age-decimal-five", .check, .notMet("the value is not only digits, so the lifetime is 0"),
        answer: ["Cache-Control": "max-age=3600.5"], then: .cached),
    Behaviour(
        "freshness-max-age-a100", .check, .notMet("the value is not only digits, so the lifetime is 0"),
        answer: ["Cache-Control": "max-age=a3600"], then: .cached),
    Behaviour(
        "freshness-max-age-100a", .check, .notMet("the value is not only digits, so the lifetime is 0"),
        answer: ["Cache-Control": "max-age=3600a"], then: .cached),
]
