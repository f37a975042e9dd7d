#if Loader
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension ImageLoader.Configuration {
    /// `$XDG_CACHE_HOME`, if it is absolute, or else `~/.cache`, then the program's name and `name`; nil without both.
    static func defaultDirectory(named name: String) -> String? {
        guard let base = folder(in: "XDG_CACHE_HOME") ?? folder(in: "HOME").map({ $0 + "/.cache" }) else { return nil }
        let program = CommandLine.arguments.first?.split(separator: "/").last.map { String($0) } ?? "PlatformImage"
        return "\(base)/\(program)/\(name)"
    }

    /// The absolute path that a variable of the environment holds; nil for anything else.
    private static func folder(in variable: String) -> String? {
        guard let value = getenv(variable) else { return nil }
        let path = String(cString: value)
        return path.hasPrefix("/") ? path : nil
    }
}
#endif
