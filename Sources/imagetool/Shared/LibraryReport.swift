import PlatformImageToolSupport

/// Codec libraries as printed by `imagetool --version --verbose` and logged by the service.
struct LibraryReport {
    let libraries: [InstalledLibrary]

    init(_ libraries: [InstalledLibrary]) { self.libraries = libraries }

    /// One line for each missing security fix.
    var warnings: [String] { libraries.flatMap(\.warnings) }

    /// The tool's version, one line per library, and the warnings.
    func text(toolVersion: String) -> String {
        let lines = libraries.map { "  \($0.description)" } + warnings.map { "warning: \($0)" }
        return "imagetool \(toolVersion)\n" + lines.map { $0 + "\n" }.joined()
    }
}
