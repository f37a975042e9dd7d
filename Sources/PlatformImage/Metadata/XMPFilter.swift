/// Removes properties from an XMP packet (ISO 16684-1), without changing the rest of its text.
///
/// The packet must be well-formed XML in UTF-8 with the syntax that XMP uses: no document type, no entities in the
/// addresses of namespaces, at most ``maxDepth`` nested elements and ``maxNames`` names. Any other packet is omitted,
/// because its properties are not known with certainty. Comments and the padding around the packet are removed.
struct XMPFilter {
    /// The packet with the properties that the policy keeps; nil when none remains, or when the packet is not
    /// understood.
    static func filter(_ packet: [UInt8], by policy: MetadataPolicy) -> [UInt8]? {
        guard policy != .strip, String(validating: packet, as: UTF8.self) != nil else { return nil }
        var filter = Self(packet, XMPRules(policy))
        guard filter.scan(), filter.keepsProperties else { return nil }
        return filter.result
    }

    static let maxDepth = 64
    /// Maximum number of elements and attributes; it bounds the time for a hostile packet.
    static let maxNames = 50_000
    private static let maxNamespaces = 256

    private struct Element {
        let name: Range<Int>
        /// The number of namespaces declared outside the element.
        let namespaceCount: Int
        let isDescription: Bool
        let isProperty: Bool
    }
    private struct Namespace {
        let prefix: ArraySlice<UInt8>
        let address: String
    }
    private struct Attribute {
        let name: Range<Int>
        let value: Range<Int>
        /// From the white space before the name to the closing quotation mark.
        let all: Range<Int>
    }

    private let text: [UInt8]
    private let rules: XMPRules
    private var at = 0
    private var nameCount = 0
    private var elements: [Element] = []
    private var namespaces = [Namespace(prefix: ArraySlice("xml".utf8), address: XMPRules.Address.xml)]
    /// The start and the depth of the element that is being removed.
    private var removed: (start: Int, depth: Int)?
    private var hasRoot = false
    private var cuts: [Range<Int>] = []
    private var keepsProperties = false

    private init(_ text: [UInt8], _ rules: XMPRules) {
        self.text = text
        self.rules = rules
    }

    private var result: [UInt8] {
        var (bytes, from): ([UInt8], Int) = ([], 0)
        for cut in cuts {
            bytes += text[from..<cut.lowerBound]
            from = cut.upperBound
        }
        return bytes + text[from...]
    }

    /// Reads the packet and collects the ranges to cut; false when the packet is not understood.
    private mutating func scan() -> Bool {
        while at < text.count {
            if text[at] != UInt8(ascii: "<") {
                guard skipText() else { return false }
            } else if starts(with: Token.instruction) {
                guard skip(to: Token.instructionEnd) else { return false }
            } else if starts(with: Token.comment) {
                let start = at
                guard skip(to: Token.commentEnd) else { return false }
                cut(start..<at)
            } else if starts(with: Token.characterData) {
                guard !elements.isEmpty, skip(to: Token.characterDataEnd) else { return false }
            } else if starts(with: Token.endTag) {
                guard endElement() else { return false }
            } else {
                guard startElement() else { return false }
            }
        }
        return elements.isEmpty && hasRoot
    }

    /// Outside the root element only white space, a byte order mark and NUL bytes are accepted; they are cut.
    private mutating func skipText() -> Bool {
        let start = at
        while at < text.count, text[at] != UInt8(ascii: "<") { at += 1 }
        guard elements.isEmpty else { return true }
        let padding = text[start..<at]
        guard padding.allSatisfy({ Self.isSpace($0) || $0 == 0 || [0xEF, 0xBB, 0xBF].contains($0) }) else {
            return false
        }
        cut(start..<at)
        return true
    }

    private mutating func startElement() -> Bool {
        let start = at
        at += 1
        guard let name = name(), elements.count < Self.maxDepth, !elements.isEmpty || !hasRoot else { return false }
        hasRoot = true
        let namespaceCount = namespaces.count
        var attributes: [Attribute] = []
        while let attribute = attribute() {
            attributes.append(attribute)
            guard declareNamespace(attribute) else { return false }
        }
        skipSpace()
        let isEmpty = starts(with: Token.emptyEnd)
        guard isEmpty || starts(with: Token.end) else { return false }
        at += isEmpty ? 2 : 1

        guard let (address, local) = resolve(name, isAttribute: false) else { return false }
        let parent = elements.last
        let isProperty = parent?.isDescription == true || parent?.isProperty == true
        let isFormal = rules.isFormal(address, local)
        if removed == nil {
            if isProperty ? rules.removes(address, local, isField: parent?.isProperty == true) : !isFormal {
                removed = (start, elements.count)
            } else if isProperty, !isFormal {
                keepsProperties = true
            }
        }
        for attribute in attributes {
            guard let (address, local) = resolve(attribute.name, isAttribute: true) else { return false }
            guard removed == nil, !rules.isFormal(address, local) else { continue }
            if rules.removes(address, local, isField: isProperty) {
                cut(attribute.all)
            } else {
                keepsProperties = true
            }
        }
        elements.append(
            Element(
                name: name, namespaceCount: namespaceCount,
                isDescription: !isProperty && address == XMPRules.Address.rdf && local == "Description",
                isProperty: isProperty))
        return isEmpty ? closeElement() : true
    }

    private mutating func endElement() -> Bool {
        at += 2
        guard let name = name(), let element = elements.last, text[name] == text[element.name] else { return false }
        skipSpace()
        guard starts(with: Token.end) else { return false }
        at += 1
        return closeElement()
    }

    private mutating func closeElement() -> Bool {
        guard let element = elements.popLast() else { return false }
        namespaces.removeLast(namespaces.count - element.namespaceCount)
        if let (start, depth) = removed, depth == elements.count {
            removed = nil
            cut(start..<at)
        }
        return true
    }

    private mutating func declareNamespace(_ attribute: Attribute) -> Bool {
        let parts = text[attribute.name].split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts[0].elementsEqual("xmlns".utf8) else { return true }
        let value = text[attribute.value]
        guard namespaces.count < Self.maxNamespaces, !value.contains(UInt8(ascii: "&")) else { return false }
        namespaces.append(
            Namespace(prefix: parts.count == 2 ? parts[1] : [], address: String(decoding: value, as: UTF8.self)))
        return true
    }

    /// The namespace and the local part of a name; nil for an undeclared prefix.
    private func resolve(_ name: Range<Int>, isAttribute: Bool) -> (address: String, local: String)? {
        let parts = text[name].split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let local = String(decoding: parts.last ?? [], as: UTF8.self)
        if parts[0].elementsEqual("xmlns".utf8) { return (XMPRules.Address.namespaces, local) }
        guard parts.count == 2 else {
            // The default namespace does not apply to attributes (Namespaces in XML 1.0, section 6.2).
            let standard = isAttribute ? nil : namespaces.last { $0.prefix.isEmpty }
            return parts.count == 1 ? (standard?.address ?? "", local) : nil
        }
        return namespaces.last { $0.prefix == parts[0] }.map { ($0.address, local) }
    }

    private mutating func name() -> Range<Int>? {
        let start = at
        while at < text.count, !Self.isSpace(text[at]), !Self.delimiters.contains(text[at]) { at += 1 }
        nameCount += 1
        return start < at && nameCount <= Self.maxNames ? start..<at : nil
    }

    /// The next attribute of a start tag; nil when there is none, or when it is malformed, which the caller detects by
    /// the missing end of the tag.
    private mutating func attribute() -> Attribute? {
        let start = at
        skipSpace()
        guard at > start, let name = name() else { return nil }
        skipSpace()
        guard starts(with: Token.equals) else {
            at = text.count
            return nil
        }
        at += 1
        skipSpace()
        guard at < text.count, text[at] == UInt8(ascii: "\"") || text[at] == UInt8(ascii: "'") else { return nil }
        let quote = text[at]
        let valueStart = at + 1
        guard let end = text[valueStart...].firstIndex(of: quote) else {
            at = text.count
            return nil
        }
        guard !text[valueStart..<end].contains(UInt8(ascii: "<")) else {
            at = text.count
            return nil
        }
        at = end + 1
        return Attribute(name: name, value: valueStart..<end, all: start..<at)
    }

    private mutating func skipSpace() {
        while at < text.count, Self.isSpace(text[at]) { at += 1 }
    }

    private func starts(with prefix: [UInt8]) -> Bool { text[at...].starts(with: prefix) }

    /// Moves behind the next occurrence of `end`; false when there is none.
    private mutating func skip(to end: [UInt8]) -> Bool {
        while at + end.count <= text.count {
            if text[at] == end[0], text[at...].starts(with: end) {
                at += end.count
                return true
            }
            at += 1
        }
        return false
    }

    private mutating func cut(_ range: Range<Int>) {
        guard removed == nil, !range.isEmpty else { return }
        cuts.append(range)
    }

    private enum Token {
        static let instruction = Array("<?".utf8)
        static let instructionEnd = Array("?>".utf8)
        static let comment = Array("<!--".utf8)
        static let commentEnd = Array("-->".utf8)
        static let characterData = Array("<![CDATA[".utf8)
        static let characterDataEnd = Array("]]>".utf8)
        static let endTag = Array("</".utf8)
        static let emptyEnd = Array("/>".utf8)
        static let end = Array(">".utf8)
        static let equals = Array("=".utf8)
    }

    private static let delimiters = ASCIISet("<>/=\"'&".utf8)

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
