import CPlatformImageInterface

/// A C struct of the interface, which begins with its size in the caller's header, in bytes.
protocol SizedStruct {
    init()
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var struct_size: Int { get set }
    /// Sets the members that are results to 0.
    mutating func clearResults()
}

extension SizedStruct {
    /// Size of the struct in the first version of the interface. A struct that gets more members needs its own
    /// implementation: the offset of the first added member.
    static var smallestByteCount: Int { MemoryLayout<Self>.size }

    mutating func clearResults() {}
}

extension pi_error: SizedStruct {}
extension pi_decode_options: SizedStruct {}
extension pi_thumbnail_options: SizedStruct {}
extension pi_encode_options: SizedStruct {}
extension pi_version_info: SizedStruct {}
extension pi_image_info: SizedStruct {}

extension pi_image: SizedStruct {
    mutating func clearResults() { (byte_count, width, height, damage, intact_rows) = (0, 0, 0, 0, 0) }
}

extension pi_file: SizedStruct {
    mutating func clearResults() { (byte_count, width, height, damage, intact_rows) = (0, 0, 0, 0, 0) }
}

/// Access to structs of the caller, whose header can be older or newer than the library.
enum StructMemory {
    /// A larger `struct_size` is probably uninitialised memory.
    static let maxByteCount = 4_096

    /// Returns a copy of a struct; members that the caller's header does not have are 0.
    ///
    /// - Parameter allowsUnknown: When false, bytes after the members known to this library must be 0.
    /// - Throws: `PI_INVALID_ARGUMENT`.
    static func read<S: SizedStruct>(
        _ pointer: UnsafePointer<S>?, _ name: String, allowsUnknown: Bool = false
    ) throws(InterfaceError) -> S {
        guard let pointer else { throw .invalidArgument(name, "is NULL") }
        guard UInt(bitPattern: pointer) % UInt(MemoryLayout<S>.alignment) == 0 else {
            throw .invalidArgument(name, "is not aligned to \(MemoryLayout<S>.alignment) bytes")
        }
        let byteCount = UnsafeRawPointer(pointer).load(as: Int.self)
        guard (S.smallestByteCount...maxByteCount).contains(byteCount) else {
            throw .invalidArgument(
                name, "has the struct_size \(byteCount), allowed: \(S.smallestByteCount) to \(maxByteCount)")
        }
        let bytes = UnsafeRawBufferPointer(start: pointer, count: byteCount)
        let unknown = bytes.dropFirst(MemoryLayout<S>.size)
        guard allowsUnknown || unknown.allSatisfy({ $0 == 0 }) else {
            throw .invalidArgument(name, "has a member that this version does not support and that is not 0")
        }
        var copy = S()
        withUnsafeMutableBytes(of: &copy) {
            $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix($0.count)))
        }
        return copy
    }

    /// Writes the members that the caller's header has, and 0 for those that this library does not know.
    ///
    /// - Parameter value: With the `struct_size` that was read from `pointer`.
    static func write<S: SizedStruct>(_ value: S, to pointer: UnsafeMutablePointer<S>) {
        let bytes = UnsafeMutableRawBufferPointer(start: pointer, count: value.struct_size)
        withUnsafeBytes(of: value) {
            bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(bytes.count)))
        }
        for index in bytes.indices.dropFirst(MemoryLayout<S>.size) { bytes[index] = 0 }
    }

    /// Calls `body` with a copy of a struct whose results are 0, and writes the changed copy, also when `body` throws.
    ///
    /// - Parameter isResult: When true, the content of all members is ignored and overwritten.
    static func update<S: SizedStruct>(
        _ pointer: UnsafeMutablePointer<S>?, _ name: String, isResult: Bool = false,
        _ body: (inout S) throws(InterfaceError) -> Void
    ) throws(InterfaceError) {
        var copy = try read(UnsafePointer(pointer), name, allowsUnknown: isResult)
        if isResult {
            let byteCount = copy.struct_size
            copy = S()
            copy.struct_size = byteCount
        }
        copy.clearResults()
        defer {
            // `read` throws for NULL.
            if let pointer { write(copy, to: pointer) }
        }
        try body(&copy)
    }
}
