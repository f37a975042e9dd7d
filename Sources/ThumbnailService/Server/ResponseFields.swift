import PlatformImageHTTPServer

/// The header fields of a response, each name once, in the order in which they were set.
struct ResponseFields: Sendable, ExpressibleByDictionaryLiteral {
    private(set) var lines: [(name: FieldName, value: String)] = []

    init(dictionaryLiteral lines: (FieldName, String)...) { self.lines = lines.map { ($0.0, $0.1) } }

    /// Reserves memory for a number of fields.
    mutating func reserveCapacity(_ count: Int) { lines.reserveCapacity(count) }

    /// The value of a field; nil without that field.
    subscript(name: FieldName) -> String? {
        get { lines.first { $0.name == name }?.value }
        set {
            let index = lines.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): lines[index].value = value
            case (let index?, nil): lines.remove(at: index)
            case (nil, let value?): lines.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// The fields in their wire form, except Content-Length, which the server sends.
    var block: FieldBlock {
        var block = FieldBlock()
        block.reserveCapacity(lines.reduce(0) { $0 + $1.name.byteCount + $1.value.utf8.count + 4 })
        for line in lines { block.append(line.name, line.value) }
        return block
    }
}
