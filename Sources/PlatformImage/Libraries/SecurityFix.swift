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

    init(_ id: String, _ library: String, _ upstream: String?, _ packages: [String: String]) {
        self.id = id
        self.library = library
        self.upstream = upstream
        self.packages = packages
    }

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

extension SecurityFix {
    /// The fixes that a decoder of untrusted bytes should have.
    ///
    /// Sources: the changelogs of the Debian packages and of the projects, read on 2026-11-22. Not listed: defects of
    /// command-line tools, and defects in code that is never called here: CVE-2026-12912 of libtiff (8-bit ABGR output
    /// of PixarLog), CVE-2026-42798 of lcms2 (`.cube` files).
    static let table: [SecurityFix] = libpng + libtiff + giflib + libwebp + otherLibraries

    private static let libpng = [
        fix("CVE-2025-64505", "libpng", "1.6.51", png(1, 1, 1)),
        fix("CVE-2025-64506", "libpng", "1.6.51", png(1, 1, 1)),
        fix("CVE-2025-64720", "libpng", "1.6.51", png(1, 1, 1)),
        fix("CVE-2025-65018", "libpng", "1.6.51", png(1, 1, 1)),
        fix("CVE-2025-66293", "libpng", "1.6.52", png(1, 1, 1)),
        fix("CVE-2026-22695", "libpng", "1.6.54", png(2, 2, 2)),
        fix("CVE-2026-22801", "libpng", "1.6.54", png(2, 2, 2)),
        fix("CVE-2026-25646", "libpng", "1.6.55", png(2, 3, 3)),
        fix("CVE-2026-33416", "libpng", "1.6.56", png(3, 4, 4)),
        fix("CVE-2026-33636", "libpng", "1.6.56", png(3, 4, 4)),
        fix("CVE-2026-34757", "libpng", "1.6.57", png(4, 5, 5)),
        fix("CVE-2026-46675", "libpng", "1.6.59", png(nil, 6, 6)),
    ]

    private static let libtiff = [
        fix("CVE-2023-52356", "libtiff", "4.7.0", tiff("4.2.0-1+deb11u6", "4.5.0-6+deb12u2", "4.7.0-1")),
        fix("CVE-2024-7006", "libtiff", "4.7.0", tiff("4.2.0-1+deb11u6", "4.5.0-6+deb12u2", "4.7.0-1")),
        fix("CVE-2025-9900", "libtiff", "4.7.1", tiff("4.2.0-1+deb11u7", "4.5.0-6+deb12u3", "4.7.0-3+deb13u1")),
        fix("CVE-2026-4775", "libtiff", "4.7.2", tiff("4.2.0-1+deb11u8", "4.5.0-6+deb12u4", "4.7.0-3+deb13u2")),
    ]

    private static let giflib = [
        fix(
            "CVE-2026-23868", "giflib", "6.1.2",
            [bullseye: "5.1.9-2+deb11u1", bookworm: "5.2.1-2.5+deb12u1", trixie: "5.2.2-1+deb13u1"]),
        fix(
            "CVE-2026-26740", "giflib", nil,
            [bullseye: "5.1.9-2+deb11u1", bookworm: "5.2.1-2.5+deb12u1", trixie: "5.2.2-1+deb13u1"]),
    ]

    private static let otherLibraries = [
        fix(
            "CVE-2026-41254", "lcms2", "2.19",
            [bullseye: "2.12~rc1-2+deb11u1", bookworm: "2.14-2+deb12u1", trixie: "2.16-2+deb13u1"]),
        fix("CVE-2018-25032", "zlib", "1.2.12", [bullseye: "1:1.2.11.dfsg-2+deb11u1"]),
        fix("CVE-2022-37434", "zlib", "1.2.13", [bullseye: "1:1.2.11.dfsg-2+deb11u2", bookworm: "1:1.2.13.dfsg-1"]),
    ]

    private static let libwebp =
        [
            "CVE-2018-25009", "CVE-2018-25010", "CVE-2018-25011", "CVE-2018-25013", "CVE-2018-25014", "CVE-2020-36328",
            "CVE-2020-36329", "CVE-2020-36330", "CVE-2020-36331", "CVE-2020-36332",
        ].map { fix($0, "libwebp", "1.0.1", [bullseye: "0.6.1-2.1"]) } + [
            fix("CVE-2023-1999", "libwebp", "1.3.1", [bullseye: "0.6.1-2.1+deb11u1", bookworm: "1.2.4-0.2"]),
            fix("CVE-2023-4863", "libwebp", "1.3.2", [bullseye: "0.6.1-2.1+deb11u2", bookworm: "1.2.4-0.2+deb12u1"]),
        ]

    private static let bullseye = "debian bullseye"
    private static let bookworm = "debian bookworm"
    private static let trixie = "debian trixie"

    private static func fix(
        _ id: String, _ library: String, _ upstream: String?, _ packages: [String: String]
    ) -> SecurityFix {
        SecurityFix(id, library, upstream, packages)
    }

    /// The fixed package versions of libpng in Debian 11, 12 and 13, by the number N of the security upload
    /// (`+deb12uN`); nil when Debian 11 has no fixed version.
    private static func png(_ bullseyeUpload: Int?, _ bookwormUpload: Int, _ trixieUpload: Int) -> [String: String] {
        var packages = [bookworm: "1.6.39-2+deb12u\(bookwormUpload)", trixie: "1.6.48-1+deb13u\(trixieUpload)"]
        if let bullseyeUpload { packages[bullseye] = "1.6.37-3+deb11u\(bullseyeUpload)" }
        return packages
    }

    private static func tiff(_ bullseyeUpload: String, _ bookwormUpload: String, _ trixieUpload: String) -> [String:
        String]
    {
        [bullseye: bullseyeUpload, bookworm: bookwormUpload, trixie: trixieUpload]
    }
}
