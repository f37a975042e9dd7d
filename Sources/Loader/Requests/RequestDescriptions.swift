#if Loader
internal import PlatformImage

// Addresses and fields hold passwords and tokens, and programs print what they hold: every description here is one line with
// the address as `Redaction` shows it, and a mirror without children keeps reflection (`dump`) to the same line.

extension ImageRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The address, without user information and with its query cut, and what is not the default; of fields the names alone.
    public var description: String {
        var text = loadDescription(of: "ImageRequest")
        text.add("decodeOptions", decodeOptions, default: DecodeOptions())
        return text.text
    }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension DataRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The address, without user information and with its query cut, and what is not the default; of fields the names alone.
    public var description: String {
        var text = loadDescription(of: "DataRequest")
        let types = acceptedContentTypes?.map(\.description).sorted().joined(separator: ", ")
        text.add("acceptedContentTypes", text: types.map { "[\($0)]" })
        return text.text
    }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension LoadRequest {
    /// What all requests have.
    fileprivate func loadDescription(of name: String) -> ChangedProperties {
        var text = ChangedProperties(of: name)
        text.add(Redaction.shown(url))
        text.add("policy", policy, default: .default)
        text.add("priority", priority, default: .urgent)
        text.add("fields", text: fields.lines.isEmpty ? nil : fields.namesDescription)
        text.add("partition", text: partition == nil ? nil : Redaction.mark)
        text.add("cacheKey", text: cacheKey.map { Redaction.shown($0) })
        text.add("layers", layers, default: .all)
        text.add("redirect", redirect, default: .follow)
        text.add("keepsDownloadingWhenCancelled", keepsDownloadingWhenCancelled, default: nil)
        return text
    }
}

extension CacheLayers: CustomStringConvertible {
    /// The names of its members, in brackets.
    public var description: String {
        let members: [(Self, String)] = [
            (.readsMemory, "readsMemory"), (.writesMemory, "writesMemory"), (.readsDisk, "readsDisk"),
            (.writesDisk, "writesDisk"),
        ]
        return "[\(members.filter { contains($0.0) }.map(\.1).joined(separator: ", "))]"
    }
}

extension HeaderFields {
    /// The names of its lines, in order, in brackets.
    var namesDescription: String { "[\(lines.map(\.name).joined(separator: ", "))]" }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method and address, without user information and with its query cut, and the names of its fields.
    public var description: String {
        "\(method) \(Redaction.shown(url))\(fields.lines.isEmpty ? "" : ", fields: \(fields.namesDescription)")"
    }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ResponseHead: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the names of its fields.
    public var description: String { "status \(status), fields: \(fields.namesDescription)" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    /// The head's description.
    public var description: String { head.description }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HeaderField: CustomReflectable {
    /// Has no children: ``description`` says what may be shown.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HeaderFields: CustomReflectable {
    /// Has no children: ``description`` says what may be shown.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
