#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Properties of the machine that affect measurements.
public enum Machine {
    /// `model name` in `/proc/cpuinfo`; `nil` when the system does not report it, such as macOS.
    public static var processor: String? {
        let line = start(of: "/proc/cpuinfo").split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":", maxSplits: 1).last.map { String($0.drop { $0 == " " }) }
    }

    /// Setting of transparent huge pages: `always`, `madvise` or `never`; `nil` when the system does not report it,
    /// such as macOS.
    public static var hugePages: String? {
        let setting = start(of: "/sys/kernel/mm/transparent_hugepage/enabled")
        return setting.split(whereSeparator: { $0 == " " || $0 == "\n" })
            .first { $0.hasPrefix("[") }.map { String($0.dropFirst().dropLast()) }
    }

    /// The first 16 KiB of a text file; empty when it cannot be opened.
    private static func start(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
