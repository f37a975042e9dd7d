#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What figures depend on besides the code.
public enum Machine {
    /// The `model name` line of `/proc/cpuinfo`; nil elsewhere.
    public static var processor: String? {
        let line = start(of: "/proc/cpuinfo").split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":", maxSplits: 1).last.map { String($0.drop { $0 == " " }) }
    }

    /// When the kernel gives out huge pages unasked: `always`, `madvise` or `never`; nil where that is not told.
    public static var hugePages: String? {
        let setting = start(of: "/sys/kernel/mm/transparent_hugepage/enabled")
        return setting.split(whereSeparator: { $0 == " " || $0 == "\n" })
            .first { $0.hasPrefix("[") }.map { String($0.dropFirst().dropLast()) }
    }

    /// The first 16 KiB of a file of text, or nothing.
    private static func start(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
