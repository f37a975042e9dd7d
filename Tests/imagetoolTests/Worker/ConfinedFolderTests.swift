import Foundation
import PlatformImageToolSupport
import Testing

@testable import imagetool

/// Paths of `imagetool worker --root`.
@Suite struct ConfinedFolderTests {
    private let outer: TemporaryFolder
    private var root: String { outer.path("root") }

    init() throws {
        outer = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: outer.path("root/sub"), withIntermediateDirectories: true)
        try outer.write([9], to: "secret")
        try outer.write([1], to: "root/a")
        try outer.write([2], to: "root/sub/b")
        let links = [
            "inside": "sub/b", "up": "../secret", "far": outer.path("secret"), "near": outer.path("root/a"),
            "folder": "sub", "parent": "..", "loop": "loop", "sub/back": "../a", "sub/over": "../../secret",
            "missing-link": "nothing", "proc": "/proc/self/root",
        ]
        for (name, target) in links {
            try FileManager.default.createSymbolicLink(
                atPath: outer.path("root/" + name), withDestinationPath: target)
        }
        mkfifo(outer.path("root/pipe"), 0o600)
    }

    static let paths: [(path: String, content: [UInt8]?, code: String?)] = [
        ("a", [1], nil), ("./a", [1], nil), ("sub/b", [2], nil), ("sub/../a", [1], nil), ("sub//b", [2], nil),
        ("inside", [2], nil), ("near", [1], nil), ("folder/b", [2], nil), ("sub/back", [1], nil),
        ("folder/../a", [1], nil), ("../secret", nil, "outsideRoot"), ("up", nil, "outsideRoot"),
        ("far", nil, "outsideRoot"), ("parent/secret", nil, "outsideRoot"), ("sub/over", nil, "outsideRoot"),
        ("sub/../../root/a", nil, "outsideRoot"), ("/etc/passwd", nil, "outsideRoot"), ("proc/etc", nil, "outsideRoot"),
        ("..", nil, "outsideRoot"), ("loop", nil, "noInput"), ("missing", nil, "noInput"), ("", nil, "noInput"),
        (".", nil, "noInput"), ("sub", nil, "noInput"), ("a/b", nil, "noInput"), ("missing-link", nil, "noInput"),
        ("pipe", nil, "noInput"),
    ]

    @Test func pathIsReadOnlyWhenItStaysInTheFolder() throws {
        let files = try WorkerFiles(root: root)
        for (path, content, code) in Self.paths {
            do {
                #expect(try files.read(path, limit: nil) == content, "\(path)")
            } catch let failure as Failure {
                #expect(failure.code == code, "\(path) \(failure.reason)")
            }
        }
        #expect(try files.read(root + "/a", limit: nil) == [1])
        #expect(throws: Failure.self) { try files.read(root + "/../secret", limit: nil) }
        #expect(throws: Failure.self) { try files.read(root + "x/a", limit: nil) }
        #expect(throws: Failure.self) { try files.read("a\0b", limit: nil) }
    }

    /// As a `Character`, a `/` with a combining mark (U+0301), or after a prepended mark (U+0600), is not `/`.
    @Test(arguments: [
        "../\u{301}x", "sub/../../\u{301}x", "..\u{600}/", "../\u{301}d\u{600}/../secret", "sub/\u{301}../../secret",
        "folder/\u{301}x", "/\u{301}x", "/\u{301}/../secret", "\u{600}/../../secret",
    ])
    func combiningMarksAtASlashDoNotLeadOutsideTheFolder(_ path: String) throws {
        let files = try WorkerFiles(root: root)
        let names = try outer.names
        let paths = [path, root + "/" + path]
        for path in paths { #expect(throws: Failure.self, "\(path)") { try files.read(path, limit: nil) } }
        for path in paths { try? files.write(path) { try $0.write("new") } }
        #expect(try outer.names == names)
        #expect(try outer.read("secret") == [9])
    }

    @Test func outputIsWrittenOnlyWhenItStaysInTheFolder() throws {
        let files = try WorkerFiles(root: root)
        func write(_ path: String) -> String? {
            do {
                try files.write(path) { try $0.write("new") }
                return nil
            } catch {
                return (error as? Failure)?.code ?? "\(error)"
            }
        }
        for path in ["new", "x/y/z", "folder/c", "near", "sub/b"] { #expect(write(path) == nil, "\(path)") }
        for path in ["../new", "up", "far", "parent/new", "/tmp/new", "sub/over"] {
            #expect(write(path) == "outsideRoot", "\(path)")
        }
        for path in ["sub", "a/b", "loop", "pipe"] {
            #expect(write(path) == "io", "\(path)")
        }
        let new = Array("new".utf8)
        for path in ["new", "x/y/z", "sub/c", "a", "sub/b"] {
            #expect(try outer.read("root/" + path) == new, "\(path)")
        }
        #expect(try outer.read("secret") == [9])
        #expect(try !outer.names.contains { $0.hasPrefix(".imagetool") })
    }

    @Test func folderOpenedByASymbolicLinkAcceptsBothAbsolutePaths() throws {
        try FileManager.default.createSymbolicLink(atPath: outer.path("link"), withDestinationPath: root)
        let files = try WorkerFiles(root: outer.path("link"))
        #expect(try files.read(outer.path("link/a"), limit: nil) == [1])
        #expect(try files.read(root + "/a", limit: nil) == [1])
    }
}
