#if Loader
/// All rows, and the part of Docs/cache-tests.md that is made of them.
enum ConformanceTable {
    /// The number of behaviours that the project publishes.
    static let published = 370

    static let groups: [(title: String, file: String, behaviours: [Behaviour])] = [
        ("Freshness by Cache-Control", "FreshnessBehaviours", freshnessBehaviours),
        ("Age and Date", "AgeBehaviours", ageBehaviours),
        ("Expires", "ExpiresBehaviours", expiresBehaviours),
        ("Directives of responses and requests, stale answers", "DirectiveBehaviours", directiveBehaviours),
        ("Statuses", "StatusBehaviours", statusBehaviours),
        ("Vary", "VaryBehaviours", varyBehaviours),
        ("Stored and updated fields", "FieldBehaviours", fieldBehaviours),
        ("Validators, keys and interim answers", "OtherBehaviours", otherBehaviours),
    ]

    static let behaviours = groups.flatMap(\.behaviours)

    /// How many of a kind concern us, and how many of those are met.
    static func count(_ kind: Behaviour.Kind) -> (all: Int, met: Int) {
        let ofKind = behaviours.filter { $0.kind == kind }
        return (ofKind.count, ofKind.count { $0.verdict == .met })
    }

    /// The generated lines of the document.
    static var markdown: [String] {
        var lines = ["| Kind | Concern us | Met | Not met |", "|---|---|---|---|"]
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
        lines += ["### Left aside", ""]
        let aside = LeftAside.all.reduce(0) { $0 + $1.ids.count }
        lines += ["\(aside) of the \(published) behaviours do not concern a private cache of GETs for pictures.", ""]
        lines += ["| Reason | Number | Behaviours |", "|---|---|---|"]
        lines += LeftAside.all.map { group in
            "| \(group.reason) | \(group.ids.count) | \(group.ids.map { "`\($0)`" }.joined(separator: ", ")) |"
        }
        lines += ["", "### Beyond the project", "", "Rows in `Tests/LoaderTests/Conformance/OwnBehaviours.swift`.", ""]
        lines += ["| Behaviour | What it is |", "|---|---|"]
        return lines + ownBehaviours.map { "| `\($0.id)` | \($0.note) |" }
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
#endif
