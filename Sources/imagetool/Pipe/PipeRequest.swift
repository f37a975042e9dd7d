import PlatformImageLoader
import PlatformImageToolSupport

/// One request line of `imagetool pipe`, parsed.
struct PipeRequest: Sendable {
    /// Operation on a loader.
    enum Operation: Sendable {
        case open(PipeConfiguration)
        case load(PipeLoad)
        case flush
        case clearMemory
        case purgeDisk
        case clearModifiedOlderThan(Duration)
        case clearCreatedOlderThan(Duration)
        case stats
    }

    /// Reason for rejecting a request.
    enum Refusal: Error {
        /// The line is malformed; the associated value describes the error.
        case malformed(String)
        /// The line is well-formed, but the operation or value is unknown or not supported.
        case unsupported
    }

    /// All operation names, as the response to `open` lists them.
    static let operations = [
        "open", "load", "flush", "clearMemory", "purgeDisk", "clearModifiedOlderThan", "clearCreatedOlderThan", "stats",
    ]

    /// JSON text of the id for the response. A number is written as in the request; a string has the same value. `nil`
    /// when the line has no readable id.
    let id: String?
    /// Loader name and operation, or the reason for rejecting the request.
    let content: Result<(loader: String, operation: Operation), Refusal>

    /// Parses a line; it may contain any bytes.
    init(_ line: [UInt8]) {
        var reader = JSONReader(line)
        let document: Result<JSON, Refusal>
        do throws(JSONReader.Failure) {
            document = .success(try reader.document())
        } catch {
            document = .failure(.malformed(error.message))
        }
        let id = JSON.object(reader.outerMembers)["id"].flatMap(Self.text)
        self.id = id
        content = document.flatMap { document in
            do throws(Refusal) {
                guard case .object = document else { throw .malformed("the line is not a JSON object") }
                guard id != nil else { throw .malformed("id must be a number or a string") }
                let operation = try Self.operation(document)
                return .success((try document.text("loader"), operation))
            } catch {
                return .failure(error)
            }
        }
    }

    private static func text(_ id: JSON) -> String? {
        switch id {
        case .string, .numeral: id.text
        default: nil
        }
    }

    private static func operation(_ line: JSON) throws(Refusal) -> Operation {
        switch try line.text("op") {
        case "open": return .open(try PipeConfiguration(line))
        case "load": return .load(try PipeLoad(line))
        case "flush": return .flush
        case "clearMemory": return .clearMemory
        case "purgeDisk": return .purgeDisk
        case "clearModifiedOlderThan": return .clearModifiedOlderThan(try line.seconds("seconds"))
        case "clearCreatedOlderThan": return .clearCreatedOlderThan(try line.seconds("seconds"))
        case "stats": return .stats
        default: throw .unsupported
        }
    }
}

/// Parameters of a `load` request.
struct PipeLoad: Sendable {
    enum Kind: String { case image, data }

    let url: String
    let fields: HeaderFields
    let policy: CachePolicy
    let kind: Kind
    let redirect: RedirectMode

    init(_ line: JSON) throws(PipeRequest.Refusal) {
        url = try line.text("url")
        fields = try Self.fields(line["headers"])
        guard try line.text("method", default: "GET") == "GET",
            let policy = CachePolicy(rawValue: try line.text("policy", default: "default")),
            let kind = Kind(rawValue: try line.text("kind", default: "image"))
        else { throw .unsupported }
        self.policy = policy
        self.kind = kind
        switch try line.text("redirect", default: "follow") {
        case "follow": redirect = .follow
        case "manual": redirect = .manual
        default: throw .unsupported
        }
    }

    private static func fields(_ headers: JSON?) throws(PipeRequest.Refusal) -> HeaderFields {
        guard let headers else { return [:] }
        let malformed = PipeRequest.Refusal.malformed(
            "headers must be an array of [name, value] pairs of strings, with values of code points up to 255")
        guard let lines = headers.array else { throw malformed }
        var fields = HeaderFields()
        for line in lines {
            guard let pair = line.array, pair.count == 2, let name = pair[0].string, let value = pair[1].string,
                let bytes = latin1(value)
            else { throw malformed }
            fields.lines.append(HeaderField(name, bytes: bytes))
        }
        return fields
    }

    /// Encodes text as ISO 8859-1, one byte per code point; `nil` when a code point is above 255.
    private static func latin1(_ text: String) -> [UInt8]? {
        let bytes = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
        return bytes.count == text.unicodeScalars.count ? bytes : nil
    }
}

extension JSON {
    /// Returns the string of a member; the member is required unless a default is given.
    func text(_ name: String, default value: String? = nil) throws(PipeRequest.Refusal) -> String {
        guard let member = self[name] else {
            guard let value else { throw .malformed("\(name) is missing") }
            return value
        }
        guard let text = member.string else { throw .malformed("\(name) must be a string") }
        return text
    }

    /// Returns the required member `name`, a number of seconds that may have a fraction.
    func seconds(_ name: String) throws(PipeRequest.Refusal) -> Duration {
        guard let seconds = self[name]?.duration else {
            throw .malformed("\(name) must be a number of seconds, 0 or more")
        }
        return seconds
    }

    /// A number of seconds, 0 or more, as a duration rounded to milliseconds; more than 10^12 s (30,000 years) becomes
    /// 10^12 s. `nil` for any other value.
    var duration: Duration? {
        guard let seconds = double, seconds >= 0 else { return nil }
        return .milliseconds(Int64((min(seconds, 1e12) * 1_000).rounded()))
    }
}
