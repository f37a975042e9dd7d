#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Parser of a configuration file in JSON. Keys can be nested objects, names with dots, or a mixture of both.
struct ConfigurationFile: Sendable {
    /// Values by key, as texts.
    private(set) var values: [String: [String]] = [:]

    /// Parses a file.
    ///
    /// - Throws: `internalFault` for text that is not a JSON object, for unknown keys, for a key that occurs both as a
    ///   name with dots and in nested objects, and for values of the wrong type.
    ///
    /// - Parameter path: Path of the file for error messages; nil when it is not known.
    init(json: [UInt8], path: String? = nil) throws(ServiceError) {
        let name = "the configuration file" + (path.map { " \($0)" } ?? "")
        let root: JSONValue
        do {
            root = try JSONDecoder().decode(JSONValue.self, from: Data(json))
        } catch {
            throw ServiceError(.internalFault, "\(name) is not valid JSON")
        }
        guard case .object(let members) = root else {
            throw ServiceError(.internalFault, "\(name) is not a JSON object")
        }
        var unknown: [String] = []
        try add(members, below: "", &unknown)
        try ConfigurationKey.rejectUnknown(unknown, from: "the configuration file")
    }

    private mutating func add(
        _ members: [String: JSONValue], below prefix: String, _ unknown: inout [String]
    ) throws(ServiceError) {
        for (name, value) in members {
            let name = prefix + name
            if let key = ConfigurationKey.named(name) {
                guard values.updateValue(try Self.texts(of: value, for: key), forKey: name) == nil else {
                    throw ServiceError(.internalFault, "the configuration file contains the key \(name) twice")
                }
            } else if case .object(let members) = value, !members.isEmpty {
                try add(members, below: name + ".", &unknown)
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
        throw ServiceError(.internalFault, "the configuration file has a value of the wrong type for \(key.name)")
    }

    /// Reads a file of at most 1 MiB.
    ///
    /// - Throws: `internalFault` when the file cannot be read or is larger.
    static func bytes(of path: String) throws(ServiceError) -> [UInt8] {
        let limit = 1 << 20
        let failure = ServiceError(.internalFault, "the file \(path) cannot be read")
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var size = 0
        while size < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[size...])
                return readSome(descriptor, rest.baseAddress, rest.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure }
            guard count > 0 else { break }
            size += count
        }
        guard size <= limit else {
            throw ServiceError(.internalFault, "the file \(path) is larger than \(limit) bytes")
        }
        return Array(bytes.prefix(size))
    }
}

/// The system's `read`, which the method `read(_:below:_:)` shadows.
private func readSome(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

/// A JSON value; numbers and booleans are converted to texts, the form that configuration keys parse.
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
