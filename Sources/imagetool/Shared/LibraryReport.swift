import PlatformImage

/// The codec libraries as `imagetool --version --verbose` prints them and the service logs them.
struct LibraryReport {
    let libraries: [CodecLibrary]

    init(_ libraries: [CodecLibrary]) { self.libraries = libraries }

    /// One line for each missing fix.
    var warnings: [String] { libraries.flatMap(\.warnings) }

    /// The tool's version, a line for each library, and the warnings.
    func text(toolVersion: String) -> String {
        let lines = libraries.map { "  \($0.description)" } + warnings.map { "warning: \($0)" }
        return "imagetool \(toolVersion)\n" + lines.map { $0 + "\n" }.joined()
    }
}
