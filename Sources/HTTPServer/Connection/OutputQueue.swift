import CPlatformImageUV

/// Bytes of a file that are a body.
package struct FileBody: Sendable {
    let file: Socket
    let offset: Int64
    /// Length in bytes.
    package let length: Int

    /// Opens a regular file.
    ///
    /// - Parameters:
    ///   - path: Path of the file, whose last part is not a symbolic link.
    ///   - range: The bytes to send, clamped to the file; nil for all.
    /// - Returns: Nil when the file cannot be opened or is not a regular file.
    package init?(path: String, range: Range<Int>? = nil) {
        var size: Int64 = 0
        let descriptor = unsafe piuv_open_file(path, &size)
        guard descriptor >= 0 else { return nil }
        file = Socket(descriptor)
        let all = 0..<Int(max(0, size))
        let range = (range ?? all).clamped(to: all)
        (offset, length) = (Int64(range.lowerBound), range.count)
    }
}

/// Output of a connection that the client has not received yet.
struct OutputQueue {
    private enum Part {
        case bytes([UInt8], from: Int, QueuedBodies.Entry?)
        case file(FileBody, sent: Int)
    }

    enum Progress { case done, blocked, broken }

    /// The parts not sent, from `first` on.
    private var parts: [Part] = []
    private var first = 0
    private static let none: [UInt8] = []

    var isEmpty: Bool { first == parts.count }

    /// Adds the bytes from a position on.
    ///
    /// - Parameter entry: The count of the body, kept until the bytes are sent.
    mutating func append(_ bytes: [UInt8], from start: Int = 0, counted entry: QueuedBodies.Entry? = nil) {
        if start < bytes.count { parts.append(.bytes(bytes, from: start, entry)) }
    }

    mutating func append(_ file: FileBody) {
        if file.length > 0 { parts.append(.file(file, sent: 0)) }
    }

    /// Sends as much as the socket takes.
    ///
    /// - Returns: The bytes that were sent, and whether there are more.
    mutating func flush(_ socket: Socket) -> (progress: Progress, sent: Int) {
        var total = 0
        while first < parts.count {
            let transfer: Socket.Transfer
            switch parts[first] {
            case .bytes(let bytes, let start, _):
                if first + 1 < parts.count, case .bytes(let next, let nextStart, _) = parts[first + 1] {
                    transfer = socket.send(bytes, from: start, next, from: nextStart)
                } else {
                    transfer = socket.send(bytes, from: start, Self.none, from: 0)
                }
            case .file(let file, let sent):
                // A limit per call: the pages of the file may have to be read from a disk.
                let count = min(file.length - sent, 1 << 20)
                transfer = socket.send(file.file.descriptor, from: file.offset + Int64(sent), count: count)
                // The file was truncated after the head was sent.
                if transfer == .count(0) { return (.broken, total) }
            }
            switch transfer {
            case .count(let count):
                total += count
                consume(count)
            case .wouldBlock: return (.blocked, total)
            case .broken: return (.broken, total)
            }
        }
        parts = []
        first = 0
        return (.done, total)
    }

    private mutating func consume(_ count: Int) {
        var count = count
        while count > 0, first < parts.count {
            let remaining: Int
            switch parts[first] {
            case .bytes(let bytes, let start, let entry):
                remaining = bytes.count - start
                if count < remaining { parts[first] = .bytes(bytes, from: start + count, entry) }
            case .file(let file, let sent):
                remaining = file.length - sent
                if count < remaining { parts[first] = .file(file, sent: sent + count) }
            }
            guard count >= remaining else { return }
            count -= remaining
            // The memory of a body is released as soon as it was sent.
            parts[first] = .bytes([], from: 0, nil)
            first += 1
        }
    }
}
