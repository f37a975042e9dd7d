import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageToolSupport

@Suite struct InstalledLibraryTests {
    private static let bookworm = "PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\nVERSION_CODENAME=bookworm\n"

    private func database(_ packages: String, release: String? = bookworm) throws -> (PackageDatabase, SystemTree) {
        var files = ["var/lib/dpkg/status": packages]
        files["etc/os-release"] = release
        let tree = try SystemTree(files)
        return (PackageDatabase(root: Array(tree.root.utf8)), tree)
    }

    private func paragraph(_ name: String, _ version: String, status: String = "install ok installed") -> String {
        "Package: \(name)\nStatus: \(status)\nPriority: optional\nVersion: \(version)\nDescription: x\n more\n\n"
    }

    private func libpng(_ version: String, _ database: PackageDatabase) -> InstalledLibrary {
        InstalledLibrary(name: "libpng", version: version, isLoadedVersion: true, database: database)
    }

    @Test func linkedLibrariesReportNumericVersions() {
        let libraries = InstalledLibrary.all()

        #expect(
            libraries.prefix(7).map(\.name) == [
                "libpng", "libjpeg-turbo", "giflib", "libtiff", "lcms2", "libdeflate", "zlib",
            ])
        for library in libraries.prefix(7) {
            let digits = (library.version ?? "").split(separator: ".").compactMap { Int($0) }
            #expect(digits.count >= 2, "\(library.description)")
        }
    }

    @Test func patchedPackageHasNoMissingSecurityFixes() throws {
        let (database, _) = try database(paragraph("libpng16-16", "1.6.39-2+deb12u6"))

        let library = libpng("1.6.39", database)

        #expect(database.release == "debian bookworm")
        #expect(library.description == "libpng 1.6.39, package libpng16-16 1.6.39-2+deb12u6")
        #expect(library.missingFixes.isEmpty && library.warnings.isEmpty)
    }

    @Test func packageOlderThanASecurityFixReportsTheFixAsMissing() throws {
        let (database, _) = try database(paragraph("libpng16-16", "1.6.39-2+deb12u4"))

        let library = libpng("1.6.39", database)

        #expect(library.missingFixes.map(\.id) == ["CVE-2026-34757", "CVE-2026-46675"])
        #expect(
            library.warnings.first
                == "libpng 1.6.39 (package libpng16-16 1.6.39-2+deb12u4) lacks the fix of CVE-2026-34757, "
                + "which is in libpng 1.6.57")
    }

    @Test func upstreamReleaseWithAllSecurityFixesHasNoMissingFixes() throws {
        let (database, _) = try database(paragraph("libpng16-16t64", "1.6.59-1"), release: nil)

        #expect(libpng("1.6.59", database).missingFixes.isEmpty)
    }

    /// For a distribution that is not in the table, the patch level is unknown: a fix is reported as missing only if
    /// the version is older than the oldest patched version in the table.
    @Test(arguments: [
        ("1.6.39", "ID=ubuntu\nVERSION_CODENAME=noble\n", 0), ("1.6.36", "ID=ubuntu\nVERSION_CODENAME=noble\n", 11),
        ("1.6.38", "ID=ubuntu\nVERSION_CODENAME=noble\n", 0),
    ])
    func distributionNotInTheSecurityFixTableIsComparedWithTheOldestPatchedVersion(
        _ version: String, _ release: String, _ missing: Int
    ) throws {
        let (database, _) = try database(paragraph("libpng16-16", "\(version)-1"), release: release)

        // Debian 11 has no fix of CVE-2026-46675. The oldest patched version is 1.6.39 of Debian 12, so this CVE is
        // also reported for 1.6.36 and 1.6.38.
        let ids = libpng(version, database).missingFixes.map(\.id).filter { $0 != "CVE-2026-46675" }

        #expect(ids.count == missing)
    }

    @Test func patchLevelWithoutAPackageDatabaseIsUnknown() throws {
        let tree = try SystemTree()
        let database = PackageDatabase(root: Array(tree.root.utf8))

        let library = libpng("1.6.39", database)

        #expect(library.description == "libpng 1.6.39, patch level unknown")
        #expect(library.missingFixes.isEmpty)
        #expect(
            libpng("1.6.34", database).missingFixes.count
                == LibraryTable.embedded.fixes.filter { $0.library == "libpng" }.count)
    }

    @Test func dpkgStatusFilesOfDistrolessContainerImagesAreRead() throws {
        let tree = try SystemTree([
            "etc/os-release": Self.bookworm,
            "var/lib/dpkg/status.d/libpng16-16": "Package: libpng16-16\nVersion: 1.6.39-2+deb12u5\n",
        ])

        let database = PackageDatabase(root: Array(tree.root.utf8))

        #expect(database.package(of: "libpng")?.version.text == "1.6.39-2+deb12u5")
    }

    @Test(arguments: [
        "", "\n\n\n", "Package: libpng16-16\n", "Version: 1\n\nPackage: libpng16-16\n\n", "Package:\nVersion:\n\n",
        "Package: libpng16-16\nStatus: deinstall ok config-files\nVersion: 1\n",
    ])
    func dpkgStatusParagraphsWithoutAnInstalledPackageAreSkipped(_ text: String) {
        #expect(PackageDatabase.versions(inStatus: Array(text.utf8), of: ["libpng16-16"]).isEmpty)
    }

    @Test func oldestPackageVersionOfSeveralArchitecturesIsUsed() throws {
        let (database, _) = try database(
            paragraph("libpng16-16", "1.6.39-2+deb12u6") + paragraph("libpng16-16", "1.6.39-2+deb12u1"))

        #expect(database.package(of: "libpng")?.version.text == "1.6.39-2+deb12u1")
    }

    /// Runs a command with the output of `rpm -q --qf`, a command with endless output, and one that does not exist.
    @Test func rpmVersionsAreReadFromTheCommandOutput() {
        let lines = "libpng 1.6.37-12.el9\\npackage giflib is not installed\\nlibtiff 1:4.4.0-13.el9\\n"

        let versions = RPMQuery.versions(
            of: ["libpng", "giflib", "libtiff"], program: ["/bin/sh", "-c", "printf '\(lines)'"])
        let endless = RPMQuery.versions(of: ["libpng"], program: ["/bin/sh", "-c", "yes 'libpng 1'"])
        let missing = RPMQuery.versions(of: ["libpng"], program: ["/does/not/exist"])

        #expect(versions.mapValues(\.text) == ["libpng": "1.6.37-12.el9", "libtiff": "1:4.4.0-13.el9"])
        #expect(endless.isEmpty && missing.isEmpty)
    }

    /// `Scripts/bootstrap` fails when a library is older than the version that `Scripts/lib/libraries.sh` prints.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/dpkg")), arguments: ["bookworm", "trixie"])
    func bootstrapScriptRequiresVersionsWithTheSecurityFixesOfDebian(_ release: String) {
        let path = Fixture.folder.deletingLastPathComponent().appending(path: "Scripts/lib/libraries.sh").path()
        let names = ["libpng": "libpng-dev", "libtiff": "libtiff-dev", "giflib": "libgif-dev", "lcms2": "liblcms2-dev"]
        for (library, name) in names {
            let script = ". '\(path)'; printf %s \"$(minimum \(release) \(name))\""
            let output = RPMQuery.output(of: ["/bin/bash", "-c", script], within: .seconds(60))
            let minimum = String(decoding: output, as: UTF8.self)
            for fix in LibraryTable.embedded.fixes where fix.library == library {
                guard let fixed = fix.packages["debian \(release)"] else { continue }
                #expect(!(PackageVersion(minimum) < PackageVersion(fixed)), "\(release) \(fix.id): \(minimum)")
            }
        }
    }

    @Test func rowsOfTheTableBecomePackageNamesAndFixes() {
        let table = LibraryTable(
            Array(
                """
                # A comment.
                library libpng core   png  libpng-dev libpng libpng16-16
                library libcurl loader curl libcurl4-openssl-dev - libcurl4

                package libpng libpng16-16t64 libpng
                package libcurl libcurl4t64
                development libpng libpng16-dev
                fix CVE-1 libpng 1.6.51 bullseye=1:1-1+deb11u1 trixie=1.6.48-1
                fix CVE-2 libpng - trixie=2
                minimum libpng noble=3
                """.utf8))

        #expect(table.names == ["libpng"])
        #expect(table.packageNames == ["libpng": ["libpng16-16", "libpng16-16t64", "libpng"]])
        #expect(table.fixes.map(\.id) == ["CVE-1", "CVE-2"] && table.fixes.map(\.upstream) == ["1.6.51", nil])
        #expect(table.fixes[0].packages == ["debian bullseye": "1:1-1+deb11u1", "debian trixie": "1.6.48-1"])
    }
}
