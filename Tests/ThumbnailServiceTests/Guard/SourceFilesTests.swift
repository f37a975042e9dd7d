import Foundation
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Source files: regular files below one folder are readable, other paths are not found.
@Suite struct SourceFilesTests {
    /// A folder `root` next to a file outside it; `deinit` removes both.
    private final class TemporaryTree {
        let base = FileManager.default.temporaryDirectory.appendingPathComponent("sources-\(UUID().uuidString)")
        var root: String { base.appendingPathComponent("root").path }

        init() throws {
            for folder in ["root/a/b", "outside"] {
                try FileManager.default.createDirectory(
                    at: base.appendingPathComponent(folder), withIntermediateDirectories: true)
            }
            try write("root/top.png", "top")
            try write("root/a/b/deep.png", "deep")
            try write("root/%2e%2e", "an odd name")
            try write("root/a name ü.png", "named")
            try write("root/empty.png", "")
            try write("outside/secret.png", "secret")
        }

        deinit { try? FileManager.default.removeItem(at: base) }

        func write(_ path: String, _ text: String) throws {
            try Data(text.utf8).write(to: base.appendingPathComponent(path))
        }

        func link(_ path: String, to target: String) throws {
            try FileManager.default.createSymbolicLink(
                atPath: base.appendingPathComponent(path).path, withDestinationPath: target)
        }
    }

    private func outcome(_ path: String, _ files: SourceFiles) -> String {
        do throws(ServiceError) {
            return String(decoding: try files.read(path).bytes, as: UTF8.self)
        } catch {
            return "\(error.status) \(error.reason.rawValue)"
        }
    }

    @Test(.requirement("SV16")) func regularFileInTheSourceFolderIsRead() throws {
        let tree = try TemporaryTree()
        let files = try SourceFiles(root: tree.root, maxBytes: 100)
        for (path, text) in [
            ("top.png", "top"), ("a/b/deep.png", "deep"), ("a name ü.png", "named"), ("empty.png", ""),
            ("%2e%2e", "an odd name"),
        ] {
            #expect(outcome(path, files) == text)
        }
    }

    @Test(.requirement("SV16")) func pathOutsideTheSourceFolderOrNonRegularFileIsNotFound() throws {
        let tree = try TemporaryTree()
        try tree.link("root/link.png", to: "top.png")
        try tree.link("root/out.png", to: "../outside/secret.png")
        try tree.link("root/up", to: "../outside")
        try tree.link("root/inside", to: "a")
        try tree.link("root/passwd", to: "/etc/passwd")
        try tree.link("root/process", to: "/proc/self")
        try tree.link("root/device", to: "/dev/zero")
        let pipe = tree.base.appendingPathComponent("root/pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        let files = try SourceFiles(root: tree.root, maxBytes: 100)

        for path in [
            "..", "../outside/secret.png", "a/../../outside/secret.png", "a/../top.png",
            "a/b/../../../outside/secret.png",
            "./top.png", "a/./b/deep.png", "/top.png", "/etc/passwd", "//etc/passwd", "a//b/deep.png", "a/b/", "a/b",
            "a", "",
            "top.png/", "top.png/x", "..\\outside\\secret.png", "a\\b", "top.png\0", "\0", "top.png\0.jpg",
            "missing.png",
            "%2e%2e/outside/secret.png", "%252e%252e/x", "..%2foutside%2fsecret.png", "link.png", "out.png",
            "up/secret.png",
            "inside/b/deep.png", "passwd", "process/cmdline", "process", "device", "pipe", ". ", "...",
            String(repeating: "a/", count: 3_000) + "x", String(repeating: "x", count: 256),
        ] {
            #expect(outcome(path, files) == "404 notFound", "\(path.debugDescription)")
        }
    }

    @Test(.requirement("SV16")) func deviceFileAsSourceIsReportedAsNotFound() throws {
        let files = try SourceFiles(root: "/dev", maxBytes: 100)

        #expect(outcome("null", files) == "404 notFound")
        #expect(outcome("zero", files) == "404 notFound")
    }

    @Test(.requirement("SV16")) func procFileAsSourceIsReadAsEmpty() throws {
        let files = try SourceFiles(root: "/proc/self", maxBytes: 1_000_000)

        #expect(outcome("cmdline", files).isEmpty)
        #expect(outcome("root/etc/passwd", files) == "404 notFound")
    }

    @Test func fileOneByteOverTheLimitIsRejectedWith413() throws {
        let tree = try TemporaryTree()
        try tree.write("root/100", String(repeating: "x", count: 100))
        try tree.write("root/101", String(repeating: "x", count: 101))
        let files = try SourceFiles(root: tree.root, maxBytes: 100)

        #expect(outcome("100", files).count == 100)
        #expect(outcome("101", files) == "413 tooLarge")
    }

    @Test(.requirement("N3")) func fileDatedBefore1970HasNoModificationDate() throws {
        let tree = try TemporaryTree()
        let files = try SourceFiles(root: tree.root, maxBytes: 100)
        for (seconds, modified) in [(-1.0, nil), (-86_400, nil), (0, 0), (5, 5)] as [(Double, Int64?)] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: tree.root + "/top.png")
            #expect(try files.read("top.png").modified == modified)
        }
    }

    @Test func fileWithAChangedModificationDateIsADifferentSource() throws {
        let tree = try TemporaryTree()
        let files = try SourceFiles(root: tree.root, maxBytes: 100)
        let first = try files.read("top.png")
        #expect(try files.read("top.png") == first)

        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000)], ofItemAtPath: tree.root + "/top.png")
        let second = try files.read("top.png")

        #expect(second != first)
        #expect(second.modified == 1_000)
    }

    @Test func missingSourceFolderIsAnError() {
        let message = "source.fileRoot or iiif.map: the directory /nowhere/at/all cannot be opened"
        #expect(throws: ServiceError(.internalFault, message)) {
            try SourceFiles(root: "/nowhere/at/all", maxBytes: 1)
        }
    }

    @Test(.requirement("SV16")) func fileDescriptorsAreClosedAfterReadsOfSourceFiles() throws {
        let tree = try TemporaryTree()
        let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { descriptor in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))?
                .hasPrefix(tree.base.path) == true
        }
        do {
            let files = try SourceFiles(root: tree.root, maxBytes: 3)
            for path in ["top.png", "a/b/deep.png", "a/b/missing", "a/missing/x", "a name ü.png", "top.png/x"] {
                _ = outcome(path, files)
            }
            let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { descriptor in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))?
                    .hasPrefix(tree.base.path) == true
            }
            #expect(open.count == before.count + 1)
        }
        let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { descriptor in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))?
                .hasPrefix(tree.base.path) == true
        }
        #expect(after.count == before.count)
    }
}
