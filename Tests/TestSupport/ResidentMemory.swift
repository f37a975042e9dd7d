import Foundation

/// Resident memory of this process, read from `/proc/self/status`.
public enum ResidentMemory {
    /// The peak resident size (`VmHWM`) in bytes; 0 without `/proc`.
    public static var peakBytes: Int { field("VmHWM:") }
    /// The current resident size (`VmRSS`) in bytes; 0 without `/proc`.
    public static var currentBytes: Int { field("VmRSS:") }

    private static func field(_ name: String) -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        let kilobytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
        return kilobytes.flatMap { Int($0) }.map { $0 * 1024 } ?? 0
    }
}
