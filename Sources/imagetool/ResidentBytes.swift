/// Which figure of `/proc/self/status`.
enum ResidentFigure: String {
    case current = "VmRSS:"
    /// The highest so far.
    case peak = "VmHWM:"
}

/// Resident memory of this process in bytes; 0 where `/proc` is not there.
func residentBytes(_ figure: ResidentFigure) -> Int {
    guard let bytes = try? readInput("/proc/self/status", limit: 1 << 20) else { return 0 }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(figure.rawValue) }
    let kibibytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
    return kibibytes.flatMap { Int($0) }.map { $0 * 1024 } ?? 0
}
