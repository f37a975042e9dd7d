/// Suites `heuristic` and `status` of http-tests/cache-tests: statuses whose responses are reused, with and without
/// explicit freshness (RFC 9111 §3, §4.2.2).
let statusBehaviours: [Behaviour] = heuristics + statuses + mustUnderstand

/// No lifetime is derived from Last-Modified: Docs/http-cache.md 2.
let noHeuristics = Behaviour.Verdict.notMet("heuristic freshness is off")

private let modifiedYesterday: ScriptedFields = ["Last-Modified": -86_400, "Date": 0]

private let heuristics: [Behaviour] = reusedByHeuristics + neverReusedByHeuristics + deltas

private let reusedByHeuristics: [Behaviour] =
    [200, 203, 404, 405, 410, 414, 501].map { status in
        Behaviour(
            "heuristic-\(status)-cached", .optimal, noHeuristics, steps: again(modifiedYesterday, status, then: .cached)
        )
    } + [
        Behaviour(
            "heuristic-599-cached", .optimal, noHeuristics,
            steps: again(modifiedYesterday.adding(["Cache-Control": "public"]), 599, then: .cached)),
        Behaviour(
            "other-heuristic-content-disposition-attachment", .check, noHeuristics,
            steps: again(
                modifiedYesterday.adding(["Content-Disposition": "attachment; filename=a.txt"]), 200, then: .cached)),
    ]

private let neverReusedByHeuristics: [Behaviour] = [201, 202, 403, 502, 503, 504, 599].map { status in
    Behaviour("heuristic-\(status)-not_cached", steps: again(modifiedYesterday, status, then: .fetched))
}

private let deltas: [Behaviour] = [5, 10, 30, 60, 300, 600, 1200, 1800, 3600, 43_200, 86_400].map { seconds in
    Behaviour(
        "heuristic-delta-\(seconds)", .check, noHeuristics,
        answer: ["Last-Modified": .date(-seconds), "Date": 0], then: .cached)
}

private let statuses: [Behaviour] = [
    200, 203, 299, 301, 302, 303, 307, 308, 400, 404, 410, 499, 500, 502, 503, 504, 599,
].flatMap { status in
    [
        Behaviour(
            "status-\(status)-fresh", .optimal,
            steps: [
                .get(freshFields, status: status, pause: 3),
                .get(status: status, expect: .cached).with(\.expectedStatus, status),
            ]),
        Behaviour("status-\(status)-stale", steps: again(staleFields, status, then: .fetched)),
    ]
}

private let mustUnderstand: [Behaviour] = [
    Behaviour(
        "status-599-must-understand",
        steps: [
            .get(["Cache-Control": "max-age=3600, no-store, must-understand"], status: 599),
            .get(expect: .fetched),
        ]),
    Behaviour(
        "status-200-must-understand", .optimal,
        steps: [.get(["Cache-Control": "max-age=3600, no-store, must-understand"]), .get(expect: .cached)]),
]

private func again(_ answer: ScriptedFields, _ status: Int, then: Step.Source) -> [Step] {
    [.get(answer, status: status), .get(status: status, expect: then)]
}
