public import Foundation

/// An entry of `Fixtures/manifest.json`: a file and its expected decode result.
public struct Fixture: Decodable, Sendable, CustomStringConvertible {
    public struct Expectation: Decodable, Sendable {
        /// SHA-256 of the RGBA8 rows, with RGB set to 0 where alpha is 0.
        public let pixels: String?
        public let maxDifference: Int?
        /// Path of a file with raw RGBA8 rows, for comparisons with a tolerance.
        public let reference: String?
        public let error: String?
        public let token: String?
    }
    public struct Display: Decodable, Sendable {
        public let width: Int
        public let height: Int
        public let pixels: String?
        public let maxDifference: Int?
        public let reference: String?
    }
    public struct Animation: Decodable, Sendable {
        public let frames: [Frame]
        /// `complete` when absent.
        public let status: String?
        public let loopCount: Int?
    }
    public struct Frame: Decodable, Sendable {
        public let pixels: String
        public let delay: [Int]
    }

    public let path: String
    public let format: String?
    public let contentType: String?
    public let bytes: Int
    public let sha256: String
    public let width: Int?
    public let height: Int?
    public let orientation: Int?
    public let frames: Int?
    public let hasAlpha: Bool?
    public let expect: Expectation
    public let display: Display?
    public let animation: Animation?
    public let status: String?
    public let rows: Int?
    public let source: String
    public let licence: String

    public var description: String { path }

    /// The folder `Fixtures` of this checkout.
    public static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures")

    public static let all: [Fixture] = {
        do {
            let manifest = try Data(contentsOf: folder.appending(path: "manifest.json"))
            let fixtures = try JSONDecoder().decode([Fixture].self, from: manifest)
            #if WebP
            return fixtures
            #else
            return fixtures.filter { $0.format != "webp" }
            #endif
        } catch {
            preconditionFailure("Fixtures/manifest.json: \(error)")
        }
    }()

    /// Small files that decode without an error, for exhaustive loops.
    public static func small(_ maxBytes: Int = 2048) -> [Fixture] {
        all.filter { $0.bytes <= maxBytes && $0.expect.error == nil }
    }

    public static func named(_ path: String) throws -> Fixture {
        guard let found = all.first(where: { $0.path == path }) else { throw Missing(path: path) }
        return found
    }

    public struct Missing: Error { let path: String }

    public func load() throws -> [UInt8] { try Fixture.file(path) }

    public static func file(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: path)))
    }
}
