/// The bytes of a file in an array that is retained, so that its memory is neither changed nor used for another array.
struct RetainedInput: Sendable, Equatable {
    private let array: [UInt8]

    init(_ array: [UInt8]) { self.array = array }

    /// True for the same memory; equal bytes in other memory are not compared.
    static func == (a: Self, b: Self) -> Bool { a.start == b.start && a.array.count == b.array.count }

    private var start: UInt { unsafe array.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
}
