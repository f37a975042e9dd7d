/// Suites `expires` and `expires-parse` of http-tests/cache-tests: the lifetime that Expires gives (RFC 9111 §5.3) and
/// dates (RFC 9110 §5.6.7).
let expiresBehaviours: [Behaviour] = [
    Behaviour("freshness-expires-future", .optimal, answer: ["Expires": 2_592_000, "Date": 0], then: .cached),
    Behaviour("freshness-expires-past", answer: ["Expires": -2_592_000, "Date": 0], then: .fetched),
    Behaviour("freshness-expires-present", steps: [.get(["Expires": 0, "Date": 0]), .get(expect: .fetched)]),
    Behaviour("freshness-expires-old-date", answer: ["Expires": 300, "Date": 400], then: .fetched),
    Behaviour("freshness-expires-invalid", answer: ["Expires": "0", "Date": 0], then: .fetched),
    Behaviour(
        "freshness-expires-invalid-date", .optimal,
        steps: [.get(["Date": "foo", "Expires": 10]), .get(expect: .cached)]),
    Behaviour(
        "freshness-expires-age-slow-date",
        steps: [.get(["Date": -10, "Expires": 10, "Age": "25"]), .get(expect: .fetched)]),
    Behaviour(
        "freshness-expires-age-fast-date",
        steps: [.get(["Date": 10, "Expires": 20, "Age": "15"]), .get(expect: .fetched)]),

    expiring("freshness-expires-32bit", .optimal, date: "Tue, 19 Jan 2038 14:14:08 GMT", then: .cached),
    expiring("freshness-expires-far-future", .optimal, date: "Sun, 21 Nov 2286 04:46:39 GMT", then: .cached),
    expiring("freshness-expires-rfc850", .optimal, date: "Thursday, 18-Aug-50 02:01:18 GMT", then: .cached),
    expiring("freshness-expires-ansi-c", .optimal, date: "Thu Aug  8 02:01:18 2050", then: .cached),
    expiring("freshness-expires-wrong-case-weekday", .optimal, date: "THU, 18 Aug 2050 02:01:18 GMT", then: .cached),
    expiring("freshness-expires-wrong-case-month", .optimal, date: "Thu, 18 AUG 2050 02:01:18 GMT", then: .cached),
    expiring("freshness-expires-wrong-case-tz", .optimal, date: "Thu, 18 Aug 2050 02:01:18 gMT", then: .cached),
    expiring("freshness-expires-invalid-utc", date: "Thu, 18 Aug 2050 02:01:18 UTC"),
    expiring("freshness-expires-invalid-aest", date: "Thu, 18 Aug 2050 02:01:18 AEST"),
    expiring("freshness-expires-invalid-2-digit-year", date: "Thu, 18 Aug 50 02:01:18 GMT"),
    expiring("freshness-expires-invalid-no-comma", date: "Thu 18 Aug 2050 02:01:18 GMT"),
    expiring("freshness-expires-invalid-multiple-spaces", date: "Thu, 18  Aug  2050 02:01:18 GMT"),
    expiring("freshness-expires-invalid-date-dashes", date: "Thu, 18-Aug-2050 02:01:18 GMT"),
    expiring("freshness-expires-invalid-time-periods", date: "Thu, 18 Aug 2050 02.01.18 GMT"),
    expiring("freshness-expires-invalid-1-digit-hour", date: "Thu, 18 Aug 2050 2:01:18 GMT"),
    // In cache-tests the two lines also have one-digit hours; here the only error is that there are two lines.
    Behaviour(
        "freshness-expires-invalid-multiple-lines",
        steps: [
            .get([
                "Expires": "Thu, 18 Aug 2050 02:01:18 GMT", "Expires": "Thu, 18 Aug 2050 02:01:19 GMT", "Date": 0,
            ]), .get(expect: .fetched),
        ]),
]

private func expiring(
    _ id: String, _ kind: Behaviour.Kind = .required, date: String, then: Step.Source = .fetched
) -> Behaviour {
    Behaviour(id, kind, answer: ["Expires": .text(date), "Date": 0], then: then)
}
