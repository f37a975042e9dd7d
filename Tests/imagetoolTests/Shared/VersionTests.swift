import Testing

@Suite struct VersionTests {
    @Test func versionOptionPrintsOneLine() throws {
        let run = try ToolRun("--version")

        #expect(run.text == "0.1.0\n" && run.exitCode == 0)
    }

    @Test(arguments: [["--version", "--verbose"], ["--verbose", "--version"]])
    func verboseVersionListsEveryCodecLibrary(_ arguments: [String]) throws {
        let run = try ToolRun(arguments)

        #expect(run.exitCode == 0 && run.errors.isEmpty)
        let lines = run.text.split(separator: "\n")
        #expect(lines.first == "imagetool 0.1.0")
        for name in ["libpng 1.6.", "libjpeg-turbo ", "giflib ", "libtiff 4.", "lcms2 2.", "libdeflate 1.", "zlib 1."] {
            #expect(lines.contains { $0.hasPrefix("  \(name)") }, "\(name)")
        }
        #expect(
            lines.dropFirst().allSatisfy { line in
                line.hasPrefix("warning: ") || line.contains(", package ") || line.hasSuffix(", patch level unknown")
            })
    }
}
