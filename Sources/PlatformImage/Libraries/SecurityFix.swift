/// A security fix of a codec library: the versions that have it.
package struct SecurityFix: Hashable, Sendable {
    /// The number in the list of common vulnerabilities, such as `CVE-2025-64720`.
    package let id: String
    /// The ``CodecLibrary/name`` of the library.
    package let library: String
    /// The first release of the project that has the fix; nil when there is none yet.
    package let upstream: String?
    /// The first package that has the fix, by release, such as `debian bookworm`.
    package let packages: [String: String]

    init(_ id: String, _ library: String, _ upstream: String?, _ packages: [String: String]) {
        self.id = id
        self.library = library
        self.upstream = upstream
        self.packages = packages
    }

    /// True when this version is known to lack the fix.
    ///
    /// For a release of a distribution that the table lacks, or without a package, the patch level is unknown: the fix
    /// counts as missing only when the version is older than the oldest one that any release of the table patched.
    ///
    /// - Parameters:
    ///   - upstream: The version of the library.
    ///   - package: The installed package; nil when it is unknown.
    ///   - release: Such as `debian bookworm`; nil when it is unknown.
    func isMissing(upstream: String, package: InstalledPackage?, release: String?) -> Bool {
        let version = PackageVersion(upstream)
        if let first = self.upstream, version >= PackageVersion(first) { return false }
        if let package, let release, let fixed = packages[release] { return package.version < PackageVersion(fixed) }
        let oldest = (packages.values.map { PackageVersion($0).upstream } + [self.upstream].compactMap { $0 })
            .map { PackageVersion($0) }.min()
        return oldest.map { version < $0 } ?? false
    }
}
