internal import CPlatformImageSandbox

/// The input of a request in a worker: a part of the slab or a mapped descriptor.
@safe struct WorkerInputBytes: ~Copyable {
    /// The mapped bytes; nil for an input in the slab.
    private let mapping: UnsafePointer<UInt8>?
    private let byteCount: Int

    /// - Parameter descriptor: Received with the request, -1 for none; always closed.
    /// - Returns: Nil when the descriptor is not a sealed memfd of the announced size.
    init?(_ input: WorkerInput, descriptor: Int32, slabBytes: Int) {
        switch input {
        case .slab(let byteCount):
            guard descriptor < 0, byteCount <= slabBytes else { return nil }
            unsafe mapping = nil
            self.byteCount = byteCount
        case .descriptor(let byteCount):
            guard descriptor >= 0, let base = unsafe pisb_map_input(descriptor, byteCount) else { return nil }
            unsafe mapping = base
            self.byteCount = byteCount
        }
    }

    deinit {
        if let base = unsafe mapping { unsafe pisb_unmap_input(base, byteCount) }
    }

    /// Calls `body` with the bytes and with the slab, of which `body` may write only the part after the input.
    func withBytes<R, E: Error>(
        _ slab: inout WorkerSlab, _ body: (Span<UInt8>, inout WorkerSlab) throws(E) -> R
    ) throws(E) -> R {
        let base = unsafe mapping ?? slab.start
        let buffer = unsafe UnsafeBufferPointer(start: base, count: byteCount)
        return try unsafe body(buffer.span, &slab)
    }
}

/// The bytes of a file in an array that is retained, so that its memory is neither changed nor used for another array.
struct RetainedInput: Sendable, Equatable {
    private let array: [UInt8]

    init(_ array: [UInt8]) { self.array = array }

    /// True for the same memory; equal bytes in other memory are not compared.
    static func == (a: Self, b: Self) -> Bool { a.start == b.start && a.array.count == b.array.count }

    private var start: UInt { unsafe array.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
}
