#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The path of the executable of this process.
enum ProgramPath {
    /// Nil when the system does not report it.
    static var current: String? {
        #if os(Linux)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = unsafe buffer.withMemoryRebound(to: CChar.self) { text in
                guard let base = text.baseAddress else { return 0 }
                return max(0, unsafe readlink("/proc/self/exe", base, text.count))
            }
        }
        return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
        #else
        return nil
        #endif
    }
}
