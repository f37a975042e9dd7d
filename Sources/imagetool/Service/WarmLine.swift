import PlatformImageLoader
import PlatformImageToolSupport

/// One target from the list of `imagetool warm`; empty lines and comments are skipped.
struct WarmLine: Sendable {
    /// Line number from 1; skipped lines count.
    let number: Int
    /// Text of the line; invalid UTF-8 is replaced by U+FFFD.
    let text: String

    static func list(_ bytes: [UInt8]) -> [Self] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated().compactMap {
            (index, line) in
            let text = String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
            return text.isEmpty || text.hasPrefix("#") ? nil : Self(number: index + 1, text: text)
        }
    }

    /// Absolute URL of the target; `nil` when the line is neither a path nor a URL that begins with `base` and a slash,
    /// or when it contains a space, a control character or a character outside ASCII.
    func url(of base: String) -> String? {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        if text.hasPrefix("/") { return base + text }
        return text.hasPrefix(base + "/") ? text : nil
    }

    /// Requests the target, not before the time that `pace` assigns to `index`.
    func request(from client: ServiceClient, _ base: String, _ pace: Pace, _ index: Int) async -> WarmResult {
        guard let url = url(of: base) else {
            return WarmResult(
                line: number, target: text,
                error: "the line must be a path that begins with / or a URL that begins with \(base)/, in ASCII "
                    + "without spaces or control characters")
        }
        try? await Task.sleep(until: pace.instant(of: index), clock: .continuous)
        let begin = ContinuousClock.now
        do {
            let response = try await client.get(url)
            let elapsed = begin.duration(to: .now) / .milliseconds(1)
            return WarmResult(
                line: number, target: text, status: response.status, cache: response.cache, bytes: response.bytes,
                milliseconds: elapsed,
                error: (200...299).contains(response.status) ? nil : "the response status is \(response.status)")
        } catch let error as LoadError {
            return WarmResult(line: number, target: text, error: "\(error.code): \(error.message)")
        } catch {
            return WarmResult(line: number, target: text, error: "\(error)")
        }
    }
}

/// Constant request rate: the first request starts immediately, the others at equal intervals.
struct Pace: Sendable {
    let perSecond: Double
    let start: ContinuousClock.Instant

    /// - Parameter index: Index of the request, from 0.
    func instant(of index: Int) -> ContinuousClock.Instant { start + .seconds(Double(index) / perSecond) }
}

/// Result of requesting one target.
struct WarmResult: Sendable {
    let line: Int
    let target: String
    /// HTTP status; `nil` when there was no response.
    var status: Int?
    /// Value of `X-Cache`; `nil` when the response has none.
    var cache: String?
    var bytes = 0
    var milliseconds = 0.0
    var error: String?

    var isSuccess: Bool { error == nil }

    var json: JSON {
        .object([
            ("line", .integer(line)), ("target", .string(target)), ("status", .optional(status)),
            ("cache", .optional(cache)), ("bytes", .integer(bytes)), ("milliseconds", .number(milliseconds)),
            ("error", .optional(error)),
        ])
    }

    /// Table with one row per HTTP status and `X-Cache` value: number of targets, total bytes and total milliseconds.
    static func table(_ results: [Self]) -> String {
        var table = Table([
            ("status", .right), ("cache", .left), ("targets", .right), ("bytes", .right), ("ms", .right),
        ])
        func key(_ result: Self) -> [String] {
            [result.status.map { String($0) } ?? "none", result.cache ?? "-"]
        }
        let groups = Dictionary(grouping: results, by: key).sorted { $0.key.lexicographicallyPrecedes($1.key) }
        for (key, group) in groups {
            let milliseconds = group.reduce(0) { $0 + $1.milliseconds }
            let bytes = group.reduce(0) { $0 + $1.bytes }
            table.append(key + [String(group.count), String(bytes), fixed(milliseconds, digits: 1)])
        }
        return table.text
    }
}
