import Foundation
import PlatformImageTestSupport
import Testing

/// Compiler hardening flags of the decoders, and the sanitizers and fuzzers that run on them.
@Suite struct HardeningTests {
    private static func text(_ path: String) throws -> String {
        let root = Fixture.folder.deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test(.requirement("SV25")) func everyCTargetHasTheHardeningFlagsInThePackageManifest() throws {
        let manifest = try Self.text("Package.swift")
        for flag in ["-fstack-protector-strong", "-D_FORTIFY_SOURCE=2"] { #expect(manifest.contains("\"\(flag)\"")) }
        let targets = manifest.components(separatedBy: ".target(").dropFirst().filter {
            $0.firstMatch(of: #/^\s*name: "C/#) != nil
        }
        let own = targets.filter { $0.components(separatedBy: ".target(")[0].contains("cSettings: codecSettings") }
        #expect(targets.count == 12)
        #expect(own.count == targets.count)
    }

    @Test(.requirement("SV25")) func fuzzScriptNamesEveryDecoderAndMakefileRunsSanitizers() throws {
        let makefile = try Self.text("Makefile")
        for word in ["--sanitize=address", "-fsanitize=undefined", "--sanitize=thread", "\nfuzz:"] {
            #expect(makefile.contains(word), "\(word)")
        }
        let fuzz = try Self.text("Fuzz/run")
        let swiftTargets = try #require(fuzz.firstMatch(of: #/swift_targets="(.+)"/#)?.1)
        let all = try #require(fuzz.firstMatch(of: #/\ntargets=\$\{\*:-(.+)\}/#)?.1)
        let targets = all.replacing("$swift_targets", with: swiftTargets).split(separator: " ")
        for target in ["png", "jpeg", "gif", "tiff", "bmp", "webp", "webp-animation", "worker", "http"] {
            #expect(targets.contains { $0 == target }, "\(target)")
        }
    }
}
