import CPlatformImageUV

/// A descriptor that is closed with this object.
final class Socket: Sendable {
    let descriptor: Int32

    /// Takes over an open descriptor.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { piuv_close(descriptor) }

    /// The result of a call that moves bytes.
    enum Transfer: Hashable, Sendable {
        /// Bytes moved; 0 at the end of the input.
        case count(Int)
        /// Nothing can be moved now.
        case wouldBlock
        /// The connection is unusable.
        case broken

        fileprivate init(_ result: Int64) {
            switch result {
            case 0...: self = .count(Int(result))
            case Int64(PIUV_WOULD_BLOCK): self = .wouldBlock
            default: self = .broken
            }
        }
    }

    /// Reads into an array that has room, from its first byte.
    func receive(into bytes: inout [UInt8]) -> Transfer {
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe Transfer(piuv_receive(descriptor, buffer.baseAddress, buffer.count))
        }
    }

    /// Writes two arrays from the given positions with one call.
    func send(_ first: [UInt8], from start: Int, _ second: [UInt8], from secondStart: Int) -> Transfer {
        // Checked: a position behind the end would give the kernel foreign memory.
        let (head, body) = (first[start...], second[secondStart...])
        return unsafe head.withUnsafeBufferPointer { head in
            unsafe body.withUnsafeBufferPointer { body in
                unsafe Transfer(piuv_send(descriptor, head.baseAddress, head.count, body.baseAddress, body.count))
            }
        }
    }

    /// Writes bytes of a file.
    func send(_ file: Int32, from offset: Int64, count: Int) -> Transfer {
        Transfer(piuv_send_file(descriptor, file, offset, count))
    }

    /// Sends the end of the output.
    func shutDownOutput() { piuv_shut_down_output(descriptor) }

    /// Makes the close of the descriptor reset the connection.
    func resetOnClose() { piuv_reset_on_close(descriptor) }
}
