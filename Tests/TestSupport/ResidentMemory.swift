import Foundation

/// Resident memory of this process, from the kernel.
public enum ResidentMemory {
    /// The highest resident size so far (`VmHWM`), in bytes; 0 where `/proc` is not there.
    public static var peakBytes: Int { field("VmHWM:") }
    /// The resident size now (`VmRSS`), in bytes.
    public static var currentBytes: Int { field("VmRSS:") }

    private static func field(_ name: String) -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        let kilobytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
        return kilobytes.flatMap { Int($0) }.map { $0 * 1024 } ?? 0
    }
}
