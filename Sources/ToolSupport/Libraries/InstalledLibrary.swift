import PlatformImage

/// A C library used by the codecs, with its version, its package, and the security fixes it lacks.
package struct InstalledLibrary: Hashable, Sendable {
    /// The name of the project, such as `libpng`.
    package let name: String
    /// The version, such as `1.6.39`; nil for a library that is used only indirectly and has no known package.
    package let version: String?
    /// True when the version was reported by the loaded library; false when it is the version of the headers at compile
    /// time or of the installed package, and when it is unknown.
    package let isLoadedVersion: Bool
    /// The installed package; nil when no package database can be read or the database does not contain this library.
    package let package: InstalledPackage?
    /// The fixes that this version is known to lack.
    package let missingFixes: [SecurityFix]

    /// All codec libraries, including those used by libtiff.
    package static func all(in database: PackageDatabase = PackageDatabase()) -> [InstalledLibrary] {
        let linked = CodecLibrary.linked()
        // libtiff also uses libwebp, which is linked directly only with the trait WebP.
        let indirect = LibraryTable.embedded.names.filter { name in !linked.contains { $0.name == name } }
        return linked.map { library in
            InstalledLibrary(
                name: library.name, version: library.version, isLoadedVersion: library.isLoaded, database: database)
        }
            + indirect.map { name in
                InstalledLibrary(name: name, version: nil, isLoadedVersion: false, database: database)
            }
    }

    init(name: String, version: String?, isLoadedVersion: Bool, database: PackageDatabase) {
        let package = database.package(of: name)
        let upstream = version ?? package?.version.upstream
        self.name = name
        self.version = upstream
        self.isLoadedVersion = isLoadedVersion
        self.package = package
        missingFixes = LibraryTable.embedded.fixes.filter { fix in
            guard fix.library == name, let upstream else { return false }
            return fix.isMissing(upstream: upstream, package: package, release: database.release)
        }
    }

    /// One line, such as `libpng 1.6.39, package libpng16-16 1.6.39-2+deb12u6`.
    package var description: String {
        let number = version ?? "version unknown"
        let source = isLoadedVersion || version == nil || package != nil ? "" : " (version at compile time)"
        let level = package.map { "package \($0.name) \($0.version.text)" } ?? "patch level unknown"
        return "\(name) \(number)\(source), \(level)"
    }

    /// One line for each missing fix, such as
    /// `libpng 1.6.39 (patch level unknown) lacks the fix of CVE-2025-64720, which is in libpng 1.6.51`.
    package var warnings: [String] {
        missingFixes.map { fix in
            let fixed = fix.upstream.map { ", which is in \(name) \($0)" } ?? ""
            let installed = package.map { " (package \($0.name) \($0.version.text))" } ?? " (patch level unknown)"
            return "\(name) \(version ?? "")\(installed) lacks the fix of \(fix.id)\(fixed)"
        }
    }
}
