import PlatformImageToolSupport

/// Resident memory fields of `/proc/self/status`.
enum ResidentFigure: String {
    case current = "VmRSS:"
    /// Peak since the start of the process.
    case peak = "VmHWM:"
}

/// Resident memory of this process in bytes; 0 without `/proc`.
func residentBytes(_ figure: ResidentFigure) -> Int {
    guard let bytes = try? readInput("/proc/self/status", limit: 1 << 20) else { return 0 }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(figure.rawValue) }
    let kibibytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
    return kibibytes.flatMap { Int($0) }.map { $0 * 1024 } ?? 0
}

/// Formats named figures as a table; a figure whose name ends with `Bytes` is also shown in MiB.
func table(of figures: [(String, Int)]) -> String {
    var table = Table([("figure", .left), ("value", .right), ("MiB", .right)])
    for (name, value) in figures {
        table.append([
            name, String(value), name.hasSuffix("Bytes") ? fixed(Double(value) / 1_048_576, digits: 1) : "",
        ])
    }
    return table.text
}
