import PlatformImage

/// The table `libraries.txt`: packages and security fixes of the codec libraries. `Scripts/bootstrap` and
/// `Scripts/verify/libraries` read the same file.
struct LibraryTable: Sendable {
    /// The ``CodecLibrary/name`` of each codec library, also of those that only libtiff uses.
    private(set) var names: [String] = []
    /// The names of the run-time package of each codec library: that of Debian 12, then those of other distributions.
    private(set) var packageNames: [String: [String]] = [:]
    /// The fixes that a decoder of untrusted bytes should have.
    private(set) var fixes: [SecurityFix] = []

    /// The table of this build.
    static let embedded = LibraryTable(PackageResources.libraries_txt)

    /// - Parameter text: The bytes of the table. A row with too few words or an unknown first word is a programming
    ///   error and traps.
    init(_ text: [UInt8]) {
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "library": addLibrary(words)
            case "package": packageNames[words[1]]?.append(contentsOf: words[2...])
            case "fix": fixes.append(SecurityFix(words))
            case "development", "minimum", nil: break
            default: preconditionFailure("libraries.txt: \(line)")
            }
        }
    }

    /// - Parameter words: `library NAME PRODUCT LINK-NAME DEVELOPMENT FORMULA RUN-TIME`. Only codecs use the libraries
    ///   of the products `core` and `indirect`.
    private mutating func addLibrary(_ words: [String]) {
        guard ["core", "indirect"].contains(words[2]), packageNames[words[1]] == nil else { return }
        names.append(words[1])
        packageNames[words[1]] = [words[6]]
    }
}

extension SecurityFix {
    /// - Parameter words: `fix ID NAME UPSTREAM RELEASE=VERSION...`, with releases of Debian.
    fileprivate init(_ words: [String]) {
        let packages = words.dropFirst(4).map { word in
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            return ("debian \(parts[0])", parts[1])
        }
        self.init(
            id: words[1], library: words[2], upstream: words[3] == "-" ? nil : words[3],
            packages: Dictionary(uniqueKeysWithValues: packages))
    }
}
