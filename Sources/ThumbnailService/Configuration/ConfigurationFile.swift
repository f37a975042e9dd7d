#if Service
import Foundation

/// What a configuration file in JSON says, key by key: objects inside one another or names with dots, as one likes.
struct ConfigurationFile: Sendable {
    /// Texts by key.
    private(set) var values: [String: [String]] = [:]

    /// - Throws: `internalFault` for what is no JSON object, keys that there are not or that are named twice, and values
    ///   that no key has.
    init(json: [UInt8]) throws(ServiceError) {
        let root: JSONValue
        do {
            root = try JSONDecoder().decode(JSONValue.self, from: Data(json))
        } catch {
            throw ServiceError(.internalFault, "the configuration file is not JSON")
        }
        guard case .object(let members) = root else {
            throw ServiceError(.internalFault, "the configuration file is no JSON object")
        }
        var unknown: [String] = []
        try read(members, below: "", &unknown)
        try ConfigurationKey.refuse(unknown, from: "the configuration file")
    }

    private mutating func read(
        _ members: [String: JSONValue], below prefix: String, _ unknown: inout [String]
    ) throws(ServiceError) {
        for (name, value) in members {
            let name = prefix + name
            if let key = ConfigurationKey.named(name) {
                guard values.updateValue(try Self.texts(of: value, for: key), forKey: name) == nil else {
                    throw ServiceError(.internalFault, "the configuration file names \(name) twice")
                }
            } else if case .object(let members) = value, !members.isEmpty {
                try read(members, below: name + ".", &unknown)
            } else {
                unknown.append(name)
            }
        }
    }

    private static func texts(of value: JSONValue, for key: ConfigurationKey) throws(ServiceError) -> [String] {
        switch (key.shape, value) {
        case (.one, .text(let text)): return [text]
        case (.list, .text(let text)): return [text]
        case (.list, .array(let elements)):
            let texts = elements.compactMap(\.text)
            if texts.count == elements.count { return texts }
        case (.pairs, .object(let members)):
            let texts = members.compactMap { name, value in value.text.map { "\(name)=\($0)" } }
            if texts.count == members.count { return texts.sorted() }
        default: break
        }
        throw ServiceError(.internalFault, "the configuration file gives \(key.name) a value of another kind")
    }

    /// The bytes of a file that the operator named, at most 1 MiB.
    ///
    /// - Throws: `internalFault`.
    static func bytes(of path: String) throws(ServiceError) -> [UInt8] {
        let limit = 1 << 20
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: limit + 1) ?? Data()
        else { throw ServiceError(.internalFault, "the file \(path) cannot be read") }
        guard data.count <= limit else { throw ServiceError(.internalFault, "the file \(path) is too long") }
        return Array(data)
    }
}

/// A value of JSON; numbers and the two words for truth are texts, as the keys of a configuration read them.
private indirect enum JSONValue: Decodable {
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .text(value ? "true" : "false")
        } else if let value = try? container.decode(Int.self) {
            self = .text("\(value)")
        } else if let value = try? container.decode(Double.self) {
            self = .text("\(value)")
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }
}
#endif
