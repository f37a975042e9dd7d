/// Writes the values of one message: integers of 8 bytes in little-endian order, and byte strings with their length.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    /// Most messages have fewer than 512 bytes.
    init() { bytes.reserveCapacity(512) }

    mutating func write(_ value: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    mutating func write(_ value: Int) { write(UInt64(truncatingIfNeeded: value)) }
    mutating func write(_ value: Double) { write(value.bitPattern) }
    mutating func write(_ value: Bool) { bytes.append(value ? 1 : 0) }
    mutating func write(_ value: UInt8) { bytes.append(value) }

    mutating func write(_ value: [UInt8]) {
        write(value.count)
        bytes.append(contentsOf: value)
    }

    mutating func write(_ value: String) { write(Array(value.utf8)) }

    /// Writes a flag for nil, then the value.
    mutating func write<Value>(_ value: Value?, _ body: (inout WireWriter, Value) -> Void) {
        write(value != nil)
        if let value { body(&self, value) }
    }

    /// Writes the number of elements, then each element.
    mutating func write<Element>(all elements: [Element], _ body: (inout WireWriter, Element) -> Void) {
        write(elements.count)
        for element in elements { body(&self, element) }
    }

    mutating func write(_ value: Int?) { write(value) { $0.write($1) } }
    mutating func write(_ value: String?) { write(value) { $0.write($1) } }
}
