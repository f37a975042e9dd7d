#if Service
import Foundation
import PlatformImageTestSupport
import Testing

/// SV25: how the decoders are built, and what looks for faults in them.
@Suite struct HardeningTests {
    private static func text(_ path: String) throws -> String {
        let root = Fixture.folder.deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test("SV25 every target of C is built with the hardening flags") func everyTargetOfCIsHardened() throws {
        let manifest = try Self.text("Package.swift")
        for flag in ["-fstack-protector-strong", "-D_FORTIFY_SOURCE=2"] { #expect(manifest.contains("\"\(flag)\"")) }
        let targets = manifest.components(separatedBy: ".target(").dropFirst().filter {
            $0.firstMatch(of: #/^\s*name: "C/#) != nil
        }
        let own = targets.filter { $0.components(separatedBy: ".target(")[0].contains("cSettings: codecSettings") }
        #expect(targets.count == 4)
        #expect(own.count == targets.count)
    }

    @Test("SV25 sanitizers and fuzzing run over every decoder") func sanitizersAndFuzzingRun() throws {
        let makefile = try Self.text("Makefile")
        for word in ["--sanitize=address", "-fsanitize=undefined", "--sanitize=thread", "\nfuzz:"] {
            #expect(makefile.contains(word), "\(word)")
        }
        let fuzz = try Self.text("Fuzz/run")
        for format in ["png", "jpeg", "gif", "tiff", "bmp"] { #expect(fuzz.contains(format), "\(format)") }
    }
}
#endif
