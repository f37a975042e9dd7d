import PlatformImageLoader
import PlatformImageToolSupport

/// One round of the demonstration: every URL is loaded once.
struct DemoRound {
    /// Expected source of the images in a round.
    enum Kind: String, CaseIterable {
        case network, memory, disk, revalidated

        var name: String { self == .revalidated ? "304" : rawValue }

        var source: LoadOutcome.Source {
            switch self {
            case .network: .network
            case .memory: .memory
            case .disk: .disk
            case .revalidated: .revalidated
            }
        }

        var requestsOrigin: Bool { self == .network || self == .revalidated }
        /// True when the loader decodes files in this round.
        var decodes: Bool { self == .network || self == .disk }
    }

    let kind: Kind
    var loads = 0
    var sources: [LoadOutcome.Source: Int] = [:]
    /// Number of loads that returned no image or an image whose pixels differ from those of the file.
    var mismatchCount = 0
    /// Description of the round's first error.
    var firstError: String?
    /// Number of requests that the origin received, and of body bytes that it sent.
    var requests = 0
    var bodyBytes = 0
    var decodedBytes = 0
    var milliseconds = 0.0

    init(_ kind: Kind) { self.kind = kind }

    static let table = Table([
        ("round", .left), ("loads", .right), ("network", .right), ("memory", .right), ("disk", .right), ("304", .right),
        ("errors", .right), ("requests", .right), ("body bytes", .right), ("ms", .right), ("decoded MB/s", .right),
    ])

    /// Row of ``table``.
    var cells: [String] {
        let counts = [.network, .memory, .disk, .revalidated, .error].map { (source: LoadOutcome.Source) in
            String(sources[source] ?? 0)
        }
        // Bytes per microsecond equal megabytes per second.
        let speed = kind.decodes ? fixed(Double(decodedBytes) / (milliseconds * 1_000), digits: 0) : "-"
        return [kind.name, String(loads)] + counts
            + [String(requests), String(bodyBytes), fixed(milliseconds, digits: 0), speed]
    }

    /// Deviations from the expected figures, one sentence each; empty when there are none.
    ///
    /// - Parameter fileBytes: Total file bytes over all URLs.
    func deviations(urlCount: Int, fileBytes: Int) -> [String] {
        let expected: [(String, Int, Int)] = [
            ("loads", loads, urlCount),
            ("images from \(kind.source.rawValue)", sources[kind.source] ?? 0, urlCount),
            ("images whose pixels differ from their file", mismatchCount, 0),
            ("requests at the origin", requests, kind.requestsOrigin ? urlCount : 0),
            ("body bytes", bodyBytes, kind == .network ? fileBytes : 0),
        ]
        let deviations = expected.filter { $0.1 != $0.2 }.map {
            "round \(kind.name): \($0.1) \($0.0), expected \($0.2)"
        }
        return deviations + (firstError.map { ["round \(kind.name): \($0)"] } ?? [])
    }
}
