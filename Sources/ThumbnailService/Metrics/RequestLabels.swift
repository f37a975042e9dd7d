/// The labels of `imagetool_requests_total`.
struct RequestLabels: Hashable, Sendable {
    let dialect: DialectName
    /// First digit of the status, 2 to 5.
    let statusClass: Int
    /// `error` for status 4xx and 5xx. For other responses the ``Provenance``, or `other` when there is none.
    let result: String

    /// Creates the labels of a response.
    ///
    /// - Parameter status: HTTP status code.
    init(_ dialect: DialectName, status: Int, _ provenance: Provenance?) {
        self.dialect = dialect
        statusClass = min(max(2, status / 100), 5)
        result = statusClass > 3 ? "error" : provenance?.rawValue ?? "other"
    }

    private init(_ dialect: DialectName, _ statusClass: Int, _ result: String) {
        self.dialect = dialect
        self.statusClass = statusClass
        self.result = result
    }

    static var all: [Self] {
        let results = Provenance.allCases.map(\.rawValue) + ["other"]
        return DialectName.allCases.flatMap { dialect in
            [2, 3].flatMap { status in results.map { Self(dialect, status, $0) } }
                + [4, 5].map { Self(dialect, $0, "error") }
        }
    }

    var dimensions: [(String, String)] {
        [("dialect", dialect.rawValue), ("status", "\(statusClass)xx"), ("result", result)]
    }
}

/// Name of a target's dialect in logs and metrics.
enum DialectName: String, CaseIterable, Sendable { case thumbor, iiif, post, none }

/// Origin of a response: a cache layer, a revalidated result, or a render.
enum Provenance: String, CaseIterable, Sendable { case memory, disk, revalidated, render }
