/// Numbers of the outputs of one run, with the reasons for those that were not written.
struct ThumbSummary {
    /// Outputs that were written, or that would be written with `--dry-run`.
    var writtenCount = 0
    private(set) var skippedCount = 0
    private(set) var failedCount = 0
    private var skipped: [String: Int] = [:]
    private var failed: [String: Int] = [:]
    private let isDryRun: Bool

    init(isDryRun: Bool) { self.isDryRun = isDryRun }

    mutating func addSkipped(_ reason: String, count: Int = 1) {
        skippedCount += count
        skipped[reason, default: 0] += count
    }

    /// - Parameter code: Name of the failure, such as `noInput`.
    mutating func addFailed(_ code: String) {
        failedCount += 1
        failed[code, default: 0] += 1
    }

    /// One line, such as `3 written, 1 skipped (output exists: 1), 2 failed (malformed: 1, unsupported: 1)`.
    var text: String {
        "\(writtenCount) \(isDryRun ? "would be written" : "written"), "
            + "\(skippedCount) skipped\(Self.list(skipped)), \(failedCount) failed\(Self.list(failed))"
    }

    private static func list(_ counts: [String: Int]) -> String {
        guard !counts.isEmpty else { return "" }
        return " (" + counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + ")"
    }
}
