import PlatformImage

/// An installed system package and its version.
package struct InstalledPackage: Hashable, Sendable {
    /// The name, such as `libpng16-16`.
    package let name: String
    /// The installed version, including the patch level.
    package let version: PackageVersion
}

/// The installed packages of the codec libraries, from the package database of dpkg or rpm.
package struct PackageDatabase: Sendable {
    /// The distribution and its release, such as `debian bookworm`; nil when `/etc/os-release` does not name them.
    package let release: String?

    /// Versions by package name.
    private let versions: [String: PackageVersion]

    /// Reads the database of the running system.
    package init() { self.init(root: []) }

    /// Reads the database below `root`, a path as bytes; empty for the running system.
    init(root: [UInt8]) {
        release = Self.release(below: root)
        let names = LibraryTable.embedded.packageNames.values.flatMap { $0 }
        if let status = ProcFile.contents(of: root + "/var/lib/dpkg/status".utf8, maxBytes: 64 << 20) {
            versions = Self.versions(inStatus: status, of: Set(names))
        } else {
            let files = Self.versions(inFilesBelow: root, of: names)
            versions = files.isEmpty && root.isEmpty ? RPMQuery.versions(of: names) : files
        }
    }

    /// The package of a library, by ``CodecLibrary/name``; nil when none is installed or no database can be read.
    func package(of library: String) -> InstalledPackage? {
        for name in LibraryTable.embedded.packageNames[library] ?? [] {
            if let version = versions[name] { return InstalledPackage(name: name, version: version) }
        }
        return nil
    }

    private static func release(below root: [UInt8]) -> String? {
        guard let bytes = ProcFile.contents(of: root + "/etc/os-release".utf8, maxBytes: 1 << 16) else { return nil }
        var fields: [Substring: String] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { continue }
            let value = line[line.index(after: equals)...].filter { $0 != "\"" && $0 != "'" }
            fields[line[..<equals]] = String(value)
        }
        guard let id = fields["ID"], let name = fields["VERSION_CODENAME"] ?? fields["VERSION_ID"] else { return nil }
        return "\(id) \(name)"
    }

    /// Reads the packages of container images without a package manager (distroless): one file per package in
    /// `/var/lib/dpkg/status.d`.
    private static func versions(inFilesBelow root: [UInt8], of names: [String]) -> [String: PackageVersion] {
        var versions: [String: PackageVersion] = [:]
        for name in names {
            let path = root + "/var/lib/dpkg/status.d/\(name)".utf8
            guard let bytes = ProcFile.contents(of: path, maxBytes: 1 << 20) else { continue }
            versions.merge(Self.versions(inStatus: bytes, of: [name], needsStatus: false)) { $1 }
        }
        return versions
    }

    /// Parses paragraphs with `Package`, `Status` and `Version` (deb822(5)). For a package installed for several
    /// architectures the oldest version is used.
    static func versions(
        inStatus bytes: [UInt8], of names: Set<String>, needsStatus: Bool = true
    ) -> [String: PackageVersion] {
        var versions: [String: PackageVersion] = [:]
        var name: String?
        var version: PackageVersion?
        var isInstalled = !needsStatus
        func endParagraph() {
            if let name, let version, isInstalled, names.contains(name) {
                versions[name] = versions[name].map { min($0, version) } ?? version
            }
            (name, version, isInstalled) = (nil, nil, !needsStatus)
        }
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            switch line.first {
            case nil: endParagraph()
            case UInt8(ascii: "P"): name = value(of: "Package: ", in: line) ?? name
            case UInt8(ascii: "V"): version = value(of: "Version: ", in: line).map { PackageVersion($0) } ?? version
            case UInt8(ascii: "S"):
                if let status = value(of: "Status: ", in: line) { isInstalled = status.hasSuffix(" installed") }
            default: break
            }
        }
        endParagraph()
        return versions
    }

    private static func value(of field: String, in line: ArraySlice<UInt8>) -> String? {
        guard line.starts(with: field.utf8) else { return nil }
        return String(decoding: line.dropFirst(field.utf8.count), as: UTF8.self)
    }
}
