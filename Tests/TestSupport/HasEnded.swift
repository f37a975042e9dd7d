#if os(Linux)
import Foundation

/// True when a process has ended, whether its parent has waited for it or not.
///
/// A signal that ends a process returns before the end: until then, its sockets accept data.
public func hasEnded(_ process: Int32) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return true }
    return status.contains(") Z ") || status.contains(") X ")
}
#endif
