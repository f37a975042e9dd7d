import PlatformImage
import PlatformImageToolSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One request of `imagetool worker`, parsed. `Docs/worker.md` lists the members.
struct WorkerRequest: Sendable {
    enum Source: Sendable {
        case path(String)
        case url(String)
        /// The announced number of bytes after the request.
        case inline(Int)
    }

    enum Operation: Sendable {
        case info
        case decode(WorkerDecode)
        case thumb(ThumbRecipe)
    }

    /// JSON text of the id for the answer; `null` when the line has no readable id.
    let id: String
    /// Number of bytes after the line, also of a refused request; 0 when the line is not valid JSON.
    let announcedBytes: Int
    let content: Result<Content, Failure>

    struct Content: Sendable {
        let source: Source
        let operation: Operation
        /// Path of the file to write; `nil` for a result that follows the answer.
        let output: String?
        let deadline: Duration?
    }

    private static let members: Set<String> = [
        "id", "op", "path", "pathBase64", "url", "bytes", "ops", "options", "format", "output", "deadlineMs",
    ]

    /// Parses a line; it may contain any bytes.
    ///
    /// - Parameter recipes: Recipes of earlier requests, which are reused.
    init(_ line: [UInt8], recipes: WorkerRecipes) {
        var reader = JSONReader(line)
        let document: Result<JSON, Failure>
        do throws(JSONReader.Failure) {
            document = .success(try reader.document())
        } catch {
            document = .failure(.invalidRequest(error.message))
        }
        let outer = JSON.object(reader.outerMembers)
        id =
            switch outer["id"] {
            case .string(let text)?: JSON.string(text).text
            case .numeral(let text)?: text
            default: "null"
            }
        announcedBytes = (try? document.get())?["bytes"]?.integer.map { max(0, $0) } ?? 0
        let hasID = id != "null"
        content = document.flatMap { document in
            do throws(Failure) {
                guard case .object(let members) = document else { throw .invalidRequest("the line is not an object") }
                guard hasID else { throw .invalidRequest("id must be a number or a string") }
                if let unknown = members.first(where: { !Self.members.contains($0.0) }) {
                    throw .invalidRequest("unknown member \(unknown.0)")
                }
                return .success(try Self.content(document, recipes))
            } catch {
                return .failure(error)
            }
        }
    }

    private static func content(_ line: JSON, _ recipes: WorkerRecipes) throws(Failure) -> Content {
        let source = try source(line)
        let operation = try operation(line, recipes)
        let output = try line.optionalText("output")
        if case .info = operation {
            for name in ["ops", "format", "output"] where line[name] != nil {
                throw .invalidRequest("\(name) is not allowed for info")
            }
        }
        var deadline: Duration?
        if let value = line["deadlineMs"] {
            guard let milliseconds = value.integer, (1...86_400_000).contains(milliseconds) else {
                throw .invalidRequest("deadlineMs must be an integer, 1 to 86400000")
            }
            deadline = .milliseconds(milliseconds)
        }
        return Content(
            source: source, operation: operation,
            output: output == "inline" ? nil : output.map { String(pathBytes: $0.utf8) }, deadline: deadline)
    }

    private static func source(_ line: JSON) throws(Failure) -> Source {
        var sources: [Source] = []
        if let path = try line.optionalText("path") { sources.append(.path(String(pathBytes: path.utf8))) }
        if let text = try line.optionalText("pathBase64") {
            guard let bytes = Data(base64Encoded: text), !bytes.isEmpty else {
                throw .invalidRequest("pathBase64 must be Base64 that is not empty")
            }
            sources.append(.path(String(pathBytes: bytes)))
        }
        if let url = try line.optionalText("url") { sources.append(.url(url)) }
        if let value = line["bytes"] {
            guard let count = value.integer, count >= 0 else {
                throw .invalidRequest("bytes must be an integer, 0 or more")
            }
            sources.append(.inline(count))
        }
        guard sources.count == 1 else { throw .invalidRequest("one of path, pathBase64, url and bytes is required") }
        return sources[0]
    }

    private static func operation(_ line: JSON, _ recipes: WorkerRecipes) throws(Failure) -> Operation {
        var options: [(String, JSON)] = []
        if let value = line["options"] {
            guard case .object(let members) = value else { throw .invalidRequest("options must be an object") }
            options = members
        }
        let format = try line.optionalText("format")
        switch try line.optionalText("op") {
        case "info":
            if let (name, _) = options.first { throw .invalidRequest("unknown option \(name)") }
            return .info
        case "decode":
            if line["ops"] != nil { throw .invalidRequest("ops is not allowed for decode") }
            return .decode(try WorkerDecode(options, format: format))
        case "thumb":
            guard let size = try line.optionalText("ops") else { throw .invalidRequest("ops is missing") }
            return .thumb(try recipes.recipe(size: size, options, format: format))
        case nil: throw .invalidRequest("op is missing")
        case let name?: throw .invalidRequest("unknown op \(name)")
        }
    }
}

extension JSON {
    /// Returns the string of a member; `nil` when the member is missing or `null`.
    fileprivate func optionalText(_ name: String) throws(Failure) -> String? {
        guard let member = self[name] else { return nil }
        guard let text = member.string, !text.isEmpty else {
            throw .invalidRequest("\(name) must be a string that is not empty")
        }
        return text
    }
}

extension Failure {
    static func invalidRequest(_ message: String) -> Self { Self(.usage, "invalidRequest: \(message)") }
}
