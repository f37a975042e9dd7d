import Foundation
import Testing

@testable import PlatformImageToolSupport

@Suite struct PackageVersionTests {
    /// Pairs of versions, the lower version first.
    static let rising: [(String, String)] = [
        ("1.6.39-2", "1.6.39-2+deb12u1"), ("1.6.39-2+deb12u6", "1.6.39-2+deb12u10"), ("1.6.9", "1.6.39"),
        ("2.12~rc1-2", "2.12-1"), ("9.9", "1:0.1"), ("1:1.2.11.dfsg-2", "1:1.2.11.dfsg-2+deb11u1"),
        ("1.0-1~bpo1", "1.0-1"), ("1.0a", "1.0+"), ("1.0", "1.0a"), ("4.5.0", "4.5.0-1"), ("0.9.8-1", "0.10.0-1"),
    ]

    @Test(arguments: rising)
    func versionsAreOrderedLikeDpkg(_ lower: String, _ higher: String) {
        #expect(PackageVersion(lower) < PackageVersion(higher))
        #expect(!(PackageVersion(higher) < PackageVersion(lower)))
    }

    @Test(arguments: [("1.0", "1.00"), ("1.01", "1.1"), ("1.0-0", "1.0")])
    func versionsThatDifferInLeadingZerosOrRevisionZeroAreEqual(_ a: String, _ b: String) {
        #expect(!(PackageVersion(a) < PackageVersion(b)) && !(PackageVersion(b) < PackageVersion(a)))
    }

    @Test func upstreamVersionOmitsEpochAndRevision() {
        let table = [
            "1.6.39-2+deb12u6": "1.6.39", "1:1.2.13.dfsg-1": "1.2.13.dfsg", "2.14": "2.14", "1:2.1.5-2": "2.1.5",
            "1.2-3-4": "1.2-3", "": "",
        ]
        for (text, upstream) in table { #expect(PackageVersion(text).upstream == upstream) }
    }

    /// Compares all pairs of these versions with `dpkg --compare-versions`.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/dpkg")))
    func versionOrderMatchesTheDpkgCommandForAllPairs() {
        let parts = ["", "1", "01", "10", "a", "~", "~a", "+", "1a", "1.1", "1~"]
        let versions = parts.map { "1\($0)-1" } + parts.map { "1-1\($0)" } + ["1:1-1", "0:1-1"]
        var script = ""
        var expected: [Bool] = []
        for a in versions {
            for b in versions {
                script += "dpkg --compare-versions '\(a)' lt '\(b)' && echo 1 || echo 0\n"
                expected.append(PackageVersion(a) < PackageVersion(b))
            }
        }
        // Uses RPMQuery, because AddressSanitizer reports a leak of 32 bytes for each process of Foundation's Process.
        let output = RPMQuery.output(of: ["/bin/sh", "-c", script], within: .seconds(1_200))

        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map { $0 == "1" }
        #expect(lines == expected)
        #expect(expected.contains(true) && expected.contains(false))
    }
}
