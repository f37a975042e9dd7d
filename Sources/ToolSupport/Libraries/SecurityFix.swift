/// A security fix of a codec library, with the versions that contain it.
package struct SecurityFix: Hashable, Sendable {
    /// The CVE identifier, such as `CVE-2025-64720`.
    package let id: String
    /// The ``CodecLibrary/name`` of the library.
    package let library: String
    /// The first upstream release with the fix; nil when there is none yet.
    package let upstream: String?
    /// The first package version with the fix, by distribution release, such as `debian bookworm`.
    package let packages: [String: String]

    /// Returns true when a library of this version is known to lack the fix.
    ///
    /// Without a package, or for a distribution release that ``packages`` does not contain, the patch level is unknown:
    /// the fix is then reported as missing only when the version is older than each version with the fix.
    ///
    /// - Parameters:
    ///   - upstream: The version of the library.
    ///   - package: The installed package; nil when unknown.
    ///   - release: The distribution release, such as `debian bookworm`; nil when unknown.
    func isMissing(upstream: String, package: InstalledPackage?, release: String?) -> Bool {
        let version = PackageVersion(upstream)
        if let first = self.upstream, version >= PackageVersion(first) { return false }
        if let package, let release, let fixed = packages[release] { return package.version < PackageVersion(fixed) }
        let oldest = (packages.values.map { PackageVersion($0).upstream } + [self.upstream].compactMap { $0 })
            .map { PackageVersion($0) }.min()
        return oldest.map { version < $0 } ?? false
    }
}
