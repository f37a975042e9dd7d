#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A system call or a function of OpenSSL that failed while an origin or a certificate was created.
struct OriginError: Error, CustomStringConvertible {
    let description: String

    init(_ message: String) { description = "loopback origin: \(message)" }

    /// - Parameter number: The value of `errno`.
    init(_ message: String, number: Int32) {
        self.init("\(message): \(String(cString: strerror(number))) (errno \(number))")
    }
}
