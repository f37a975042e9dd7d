/// Removes properties from an XMP packet (ISO 16684-1), without changing the rest of its text.
///
/// The packet must be well-formed XML in UTF-8 with the syntax that XMP uses: no document type, no entities in the
/// addresses of namespaces, at most ``maxDepth`` nested elements and ``maxNames`` names. Any other packet is omitted,
/// because its properties are not known with certainty. Comments, processing instructions other than the standard
/// wrapper, and the padding around the packet are removed.
///
/// The time is linear in the packet: each byte is read a fixed number of times, and an address of a namespace is
/// compared with the known ones once, where it is declared. The result has at most the bytes of the packet.
struct XMPFilter {
    /// The packet with the properties that the policy keeps; nil when none remains, when the packet is not understood,
    /// and when `flag` is raised: the caller polls it afterwards.
    static func filter(
        _ packet: [UInt8], by policy: MetadataPolicy, cancellation flag: CancellationFlag? = nil
    ) -> [UInt8]? {
        guard policy != .strip, String(validating: packet, as: UTF8.self) != nil else { return nil }
        var filter = Self(packet, XMPRules(policy), flag)
        guard filter.scan(), filter.keepsProperties else { return nil }
        return filter.result
    }

    static let maxDepth = 64
    /// Maximum number of elements and attributes; it bounds the time for a hostile packet.
    static let maxNames = 50_000
    private static let maxNamespaces = 256
    /// Names between two polls of the cancellation flag: less than a millisecond.
    private static let namesPerPoll = 256

    private struct Element {
        let name: Range<Int>
        /// The number of namespaces declared outside the element.
        let namespaceCount: Int
        let isDescription: Bool
        let isProperty: Bool
    }
    private struct Attribute {
        let name: Range<Int>
        let value: Range<Int>
        /// From the white space before the name to the closing quotation mark.
        let all: Range<Int>
    }
    private struct ResolvedName {
        let vocabulary: XMPRules.Vocabulary
        let local: [UInt8]
    }

    private let text: [UInt8]
    private let rules: XMPRules
    private let flag: CancellationFlag?
    private var cursor: ByteCursor
    private var nameCount = 0
    private var elements: [Element] = []
    /// The declared prefixes in their order, and the meanings of each one, the innermost last.
    private var prefixes: [[UInt8]] = [Array("xml".utf8)]
    private var vocabularies: [[UInt8]: [XMPRules.Vocabulary]] = [Array("xml".utf8): [.xml]]
    /// The start and the depth of the element that is being removed.
    private var removed: (start: Int, depth: Int)?
    private var hasRoot = false
    /// The ranges to remove, in ascending order without overlaps.
    private var cuts: [Range<Int>] = []
    private var keepsProperties = false

    private init(_ text: [UInt8], _ rules: XMPRules, _ flag: CancellationFlag?) {
        self.text = text
        self.rules = rules
        self.flag = flag
        cursor = ByteCursor(text.span)
    }

    private var result: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var cursor = ByteCursor(text.span)
        for cut in cuts {
            let start = cursor.position
            cursor.move(to: FileNumber(cut.lowerBound))
            bytes.append(contentsOf: slice(cursor.range(from: start)))
            cursor.move(to: FileNumber(cut.upperBound))
        }
        bytes.append(contentsOf: slice(cursor.rest))
        return bytes
    }

    private func slice(_ range: Range<Int>) -> ArraySlice<UInt8> {
        text[range.clamped(to: text.indices)]  // trap-free: clamped to the indices
    }

    /// Reads the packet and collects the ranges to cut; false when the packet is not understood.
    private mutating func scan() -> Bool {
        while !cursor.isAtEnd {
            let start = cursor.position
            if !starts(with: Token.tag) {
                guard skipText() else { return false }
            } else if starts(with: Token.instruction) {
                guard skip(behind: Token.instructionEnd) else { return false }
                let instruction = text.span.copy(cursor.range(from: start))
                if !elements.isEmpty || !Token.wrappers.contains(instruction) { cut(from: start) }
            } else if starts(with: Token.comment) {
                cursor.skip(FileNumber(Token.comment.count))
                guard skip(behind: Token.commentEnd) else { return false }
                cut(from: start)
            } else if starts(with: Token.characterData) {
                guard !elements.isEmpty, skip(behind: Token.characterDataEnd) else { return false }
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
        let start = cursor.position
        var isPadding = true
        skip { byte in
            guard byte != UInt8(ascii: "<") else { return false }
            if !Self.isSpace(byte), byte != 0, byte != 0xEF, byte != 0xBB, byte != 0xBF { isPadding = false }
            return true
        }
        guard elements.isEmpty else { return true }
        cut(from: start)
        return isPadding
    }

    private mutating func startElement() -> Bool {
        let start = cursor.position
        guard skip(Token.tag), let name = name(), elements.count < Self.maxDepth, !elements.isEmpty || !hasRoot else {
            return false
        }
        hasRoot = true
        let namespaceCount = prefixes.count
        var attributes: [Attribute] = []
        while let attribute = attribute() {
            attributes.append(attribute)
            guard declareNamespace(attribute) else { return false }
        }
        skipSpace()
        let isEmpty = skip(Token.emptyEnd)
        guard isEmpty || skip(Token.end) else { return false }

        guard let resolved = resolve(name, isAttribute: false) else { return false }
        let parent = elements.last
        let isProperty = parent?.isDescription == true || parent?.isProperty == true
        let isFormal = rules.isFormal(resolved.vocabulary, resolved.local)
        if removed == nil {
            let isRemoved = rules.removes(resolved.vocabulary, resolved.local, isField: parent?.isProperty == true)
            if isProperty ? isRemoved : !isFormal {
                removed = (start, elements.count)
            } else if isProperty, !isFormal {
                keepsProperties = true
            }
        }
        for attribute in attributes {
            guard let resolved = resolve(attribute.name, isAttribute: true) else { return false }
            guard removed == nil, !rules.isFormal(resolved.vocabulary, resolved.local) else { continue }
            if rules.removes(resolved.vocabulary, resolved.local, isField: isProperty) {
                cut(attribute.all)
            } else {
                keepsProperties = true
            }
        }
        elements.append(
            Element(
                name: name, namespaceCount: namespaceCount,
                isDescription: !isProperty && resolved.vocabulary == .rdf && resolved.local == Token.description,
                isProperty: isProperty))
        return isEmpty ? closeElement() : true
    }

    private mutating func endElement() -> Bool {
        guard skip(Token.endTag), let name = name(), let element = elements.last, slice(name) == slice(element.name)
        else { return false }
        skipSpace()
        guard skip(Token.end) else { return false }
        return closeElement()
    }

    private mutating func closeElement() -> Bool {
        guard let element = elements.popLast() else { return false }
        while prefixes.count > element.namespaceCount, let prefix = prefixes.popLast() {
            _ = vocabularies[prefix]?.popLast()
        }
        if let (start, depth) = removed, depth == elements.count {
            removed = nil
            cut(from: start)
        }
        return true
    }

    private mutating func declareNamespace(_ attribute: Attribute) -> Bool {
        let parts = slice(attribute.name).split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.first?.elementsEqual(Token.namespaces) == true else { return true }
        let value = text.span.copy(attribute.value)
        guard prefixes.count < Self.maxNamespaces, !value.contains(UInt8(ascii: "&")) else { return false }
        let prefix = parts.count == 2 ? Array(parts.last ?? []) : []
        prefixes.append(prefix)
        vocabularies[prefix, default: []].append(XMPRules.Vocabulary(address: value))
        return true
    }

    /// The vocabulary and the local part of a name; nil for an undeclared prefix.
    private func resolve(_ name: Range<Int>, isAttribute: Bool) -> ResolvedName? {
        let parts = slice(name).split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        let local = Array(parts.last ?? [])
        if parts.first?.elementsEqual(Token.namespaces) == true {
            return ResolvedName(vocabulary: .namespaces, local: local)
        }
        guard parts.count == 2, let prefix = parts.first else {
            // The default namespace does not apply to attributes (Namespaces in XML 1.0, section 6.2).
            let standard = isAttribute ? nil : vocabularies[[]]?.last
            return parts.count == 1 ? ResolvedName(vocabulary: standard ?? .none, local: local) : nil
        }
        // `<:name>` has the empty prefix, which only a default namespace declares.
        return vocabularies[Array(prefix)]?.last.map { ResolvedName(vocabulary: $0, local: local) }
    }

    private mutating func name() -> Range<Int>? {
        let start = cursor.position
        skip { !Self.isSpace($0) && !Self.delimiters.contains($0) }
        nameCount &+= 1
        if let flag, nameCount.isMultiple(of: Self.namesPerPoll), (try? flag.poll()) == nil { return nil }
        return start < cursor.position && nameCount <= Self.maxNames ? cursor.range(from: start) : nil
    }

    /// The next attribute of a start tag; nil when there is none, or when it is malformed, which the caller detects by
    /// the missing end of the tag.
    private mutating func attribute() -> Attribute? {
        let start = cursor.position
        skipSpace()
        guard cursor.position > start, let name = name() else { return nil }
        skipSpace()
        guard skip(Token.equals) else { return fail() }
        skipSpace()
        guard let quote = cursor.peek(text.span), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return nil
        }
        cursor.skip(1)
        let valueStart = cursor.position
        skip { $0 != quote && $0 != UInt8(ascii: "<") }
        let value = cursor.range(from: valueStart)
        guard skip([quote]) else { return fail() }
        return Attribute(name: name, value: value, all: cursor.range(from: start))
    }

    /// Moves to the end, where the end of the tag is missing.
    private mutating func fail() -> Attribute? {
        cursor.skip(FileNumber(cursor.remaining))
        return nil
    }

    private mutating func skipSpace() { skip(while: Self.isSpace) }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
        let text = text
        cursor.skip(text.span, while: isSkipped)
    }

    private mutating func skip(_ token: [UInt8]) -> Bool {
        let text = text
        return cursor.skip(token, text.span)
    }

    private mutating func skip(behind token: [UInt8]) -> Bool {
        let text = text
        return cursor.skip(behind: token, text.span)
    }

    private func starts(with token: [UInt8]) -> Bool { cursor.starts(with: token, text.span) }

    /// Removes the bytes from `start` to the position.
    private mutating func cut(from start: Int) { cut(cursor.range(from: start)) }

    private mutating func cut(_ range: Range<Int>) {
        guard removed == nil, !range.isEmpty, range.lowerBound >= cuts.last?.upperBound ?? 0 else { return }
        cuts.append(range)
    }

    private enum Token {
        static let tag = Array("<".utf8)
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
        static let namespaces = Array("xmlns".utf8)
        static let description = Array("Description".utf8)
        /// The instructions around a packet (ISO 16684-1, 7.3.2), in all forms that contain no other text.
        static let wrappers: Set<[UInt8]> = {
            var all: Set<[UInt8]> = []
            for quote in ["\"", "'"] {
                for mark in ["", "\u{FEFF}"] {
                    let id = "id=\(quote)W5M0MpCehiHzreSzNTczkc9d\(quote)"
                    all.insert(Array("<?xpacket begin=\(quote)\(mark)\(quote) \(id)?>".utf8))
                }
                for access in ["r", "w"] { all.insert(Array("<?xpacket end=\(quote)\(access)\(quote)?>".utf8)) }
            }
            return all
        }()
    }

    private static let delimiters = ASCIISet("<>/=\"'&".utf8)

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
