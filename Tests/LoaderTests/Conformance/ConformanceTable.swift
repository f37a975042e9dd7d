/// All behaviours, one table row each, and the part of Docs/cache-tests.md that is generated from them.
enum ConformanceTable {
    /// The number of behaviours that cache-tests publishes.
    static let published = 370

    static let groups: [(title: String, file: String, behaviours: [Behaviour])] = [
        ("Freshness by Cache-Control", "FreshnessBehaviours", freshnessBehaviours),
        ("Age and Date", "AgeBehaviours", ageBehaviours),
        ("Expires", "ExpiresBehaviours", expiresBehaviours),
        ("Directives of responses and requests, stale responses", "DirectiveBehaviours", directiveBehaviours),
        ("Statuses", "StatusBehaviours", statusBehaviours),
        ("Vary", "VaryBehaviours", varyBehaviours),
        ("Stored and updated fields", "FieldBehaviours", fieldBehaviours),
        ("Validators, keys and interim responses", "OtherBehaviours", otherBehaviours),
    ]

    static let behaviours = groups.flatMap(\.behaviours)

    /// The number of applicable behaviours of a kind, and how many of them are met.
    static func count(_ kind: Behaviour.Kind) -> (all: Int, met: Int) {
        let ofKind = behaviours.filter { $0.kind == kind }
        return (ofKind.count, ofKind.count { $0.verdict == .met })
    }

    /// The generated lines of the document.
    static var markdown: [String] {
        var lines = ["| Kind | Applicable | Met | Not met |", "|---|---|---|---|"]
        for kind in Behaviour.Kind.allCases {
            let (all, met) = count(kind)
            lines.append("| \(kind.rawValue) | \(all) | \(met) | \(all - met) |")
        }
        let met = behaviours.count { $0.verdict == .met }
        lines += ["| all | \(behaviours.count) | \(met) | \(behaviours.count - met) |", ""]
        for group in groups {
            lines += ["### \(group.title)", "", "Rows in `Tests/LoaderTests/Conformance/\(group.file).swift`.", ""]
            lines += ["| Behaviour | Kind | Met | Remark |", "|---|---|---|---|"]
            lines += group.behaviours.map(row) + [""]
        }
        lines += ["### Excluded", ""]
        let aside = ExcludedBehaviours.all.reduce(0) { $0 + $1.ids.count }
        lines += [
            "\(aside) of the \(published) behaviours do not apply to a private cache of GET requests for images.", "",
        ]
        lines += ["| Reason | Number | Behaviours |", "|---|---|---|"]
        lines += ExcludedBehaviours.all.map { group in
            "| \(group.reason) | \(group.ids.count) | \(group.ids.map { "`\($0)`" }.joined(separator: ", ")) |"
        }
        lines += [
            "", "### Additional behaviours", "", "Rows in `Tests/LoaderTests/Conformance/AdditionalBehaviours.swift`.",
            "",
        ]
        lines += ["| Behaviour | Description |", "|---|---|"]
        return lines + additionalBehaviours.map { "| `\($0.id)` | \($0.note) |" }
    }

    private static func row(_ behaviour: Behaviour) -> String {
        let (met, remark) =
            switch behaviour.verdict {
            case .met: ("yes", behaviour.note)
            case .notMet(let reason, _): ("no", reason)
            }
        return "| `\(behaviour.id)` | \(behaviour.kind.rawValue) | \(met) | \(remark) |"
    }
}
