import PlatformImage

/// The request fields that select among the responses of one key (RFC 9111 §4.1).
enum Vary {
    /// Returns the request's values of the fields that a response's `Vary` names, sorted by name, without duplicates.
    ///
    /// - Returns: Empty without `Vary`; nil for `*`, which no request matches.
    static func values(of response: HeaderFields, request: HeaderFields) -> [VaryValue]? {
        let names = response.tokens(of: "Vary")
        if names.isEmpty { return [] }
        return names.contains("*") ? nil : values(of: Set(names), request: request)
    }

    /// Returns the request's values of the fields with these lowercase names, sorted by name.
    static func values(of names: Set<String>, request: HeaderFields) -> [VaryValue] {
        let values = normalised(request, names)
        return names.sorted().map { VaryValue(name: $0, value: values[$0]) }
    }

    /// Returns true when the request's value of each of these fields equals the stored one.
    static func matches(_ stored: [VaryValue], _ request: HeaderFields) -> Bool {
        guard !stored.isEmpty else { return true }
        let values = normalised(request, Set(stored.map(\.name)))
        return stored.allSatisfy { $0.value == values[$0.name] }
    }

    /// Returns true when `request` selects the stored response.
    static func matches(_ response: StoredResponse, _ request: HeaderFields) -> Bool {
        let names = response.fields.tokens(of: "Vary")
        // An entry without a stored value for each field of its `Vary` cannot be matched.
        return !names.contains("*") && Set(names).isSubset(of: response.vary.map(\.name))
            && matches(response.vary, request)
    }

    /// Returns the named fields of a request by lowercase name, each with its lines joined.
    private static func normalised(_ request: HeaderFields, _ names: Set<String>) -> [String: [UInt8]] {
        var joined: [String: [UInt8]] = [:]
        for line in request.lines {
            let name = String(decoding: line.name.utf8.map(\.lowercasedASCII), as: UTF8.self)
            guard names.contains(name) else { continue }
            if joined[name] == nil {
                joined[name] = line.value
            } else {
                joined[name]?.append(0x2C)
                joined[name]?.append(contentsOf: line.value)
            }
        }
        for (name, value) in joined {
            joined[name] = normalised(value, foldsCase: caseInsensitive.contains(name))
        }
        return joined
    }

    /// Fields with case-insensitive values: languages, charsets and codings (RFC 9110 §12.5.2 to §12.5.4).
    private static let caseInsensitive: Set<String> = ["accept-charset", "accept-encoding", "accept-language"]

    /// Removes white space around commas and at the ends, and collapses other white space to one space; quoted strings
    /// stay unchanged.
    private static func normalised(_ value: [UInt8], foldsCase: Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(value.count)
        var isQuoted = false
        var isEscaped = false
        var hasSpace = false
        for byte in value {
            if isQuoted {
                result.append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == 0x5C {
                    isEscaped = true
                } else {
                    isQuoted = byte != 0x22
                }
                continue
            }
            if byte.isASCIIBlank {
                hasSpace = true
                continue
            }
            if hasSpace, let last = result.last, last != 0x2C, byte != 0x2C { result.append(0x20) }
            hasSpace = false
            isQuoted = byte == 0x22
            result.append(foldsCase ? byte.lowercasedASCII : byte)
        }
        return result
    }
}
