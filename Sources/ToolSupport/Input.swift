import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads a file, or stdin for the path `-`. The file is not mapped: truncating a mapped file would crash this process.
///
/// - Parameter limit: Maximum number of bytes; `nil` means no limit. A larger file is rejected before it is read; a
///   stream is rejected as soon as more than `limit` bytes have been read. Input without the signature of a decodable
///   format is read to its end, but only its first 64 KiB are returned.
/// - Throws: `noInput`, `io` or `limitExceeded`.
package func readInput(_ path: String, limit: Int?) throws(Failure) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path.cPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
        throw Failure(.noInput, "noInput: \(systemMessage())")
    }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    return try readInput(descriptor: descriptor, limit: limit)
}

/// Reads an open file to its end, as `readInput(_:limit:)` does.
///
/// - Throws: `noInput`, `io` or `limitExceeded`.
package func readInput(descriptor: Int32, limit: Int?) throws(Failure) -> [UInt8] {
    let size = try expectedSize(of: descriptor)
    try throwIfOverLimit(size, limit)

    // A chunk of 64 KiB fits in the L2 cache.
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { chunk.deallocate() }
    var bytes: [UInt8] = []
    var total = 0
    var isImage: Bool?
    while true {
        let count = try readChunk(descriptor, chunk)
        total += count
        try throwIfOverLimit(total, limit)
        if isImage != false { bytes.append(contentsOf: chunk.prefix(count)) }
        if count < chunk.count { return bytes }
        if isImage == nil {
            if case .decodable = ImageSignature(of: bytes.span) { isImage = true } else { isImage = false }
            if isImage == true { bytes.reserveCapacity(size + 1) }
        }
    }
}

/// Size of a regular file as reported by `fstat`; 0 for pipes and devices, whose size is unknown.
private func expectedSize(of descriptor: Int32) throws(Failure) -> Int {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { throw Failure(.noInput, "noInput: \(systemMessage())") }
    switch facts.st_mode & S_IFMT {
    case S_IFDIR: throw Failure(.noInput, "noInput: the path is a directory")
    case S_IFREG: return Int(facts.st_size)
    default: return 0
    }
}

private func throwIfOverLimit(_ count: Int, _ limit: Int?) throws(Failure) {
    guard let limit, count > limit else { return }
    throw Failure(.refused, "limitExceeded(maxInputBytes): the input exceeds the limit of \(limit) bytes")
}

/// Reads until the chunk is full or the input ends; returns the number of bytes.
private func readChunk(_ descriptor: Int32, _ chunk: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
    var filled = 0
    while filled < chunk.count {
        let count = read(descriptor, chunk.baseAddress?.advanced(by: filled), chunk.count - filled)
        if count == 0 { break }
        if count > 0 {
            filled += count
        } else if errno != EINTR {
            throw Failure(.ioError, "io: \(systemMessage())")
        }
    }
    return filled
}

/// Message of the current `errno`.
package func systemMessage() -> String { String(cString: strerror(errno)) }

/// Reads a file that is not an image, such as a list; `-` is stdin.
///
/// - Throws: `noInput` or `io`.
package func readList(_ path: String) throws(Failure) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path.cPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(.noInput, "noInput: \(systemMessage())") }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { chunk.deallocate() }
    var bytes: [UInt8] = []
    while true {
        let count = try readChunk(descriptor, chunk)
        bytes.append(contentsOf: chunk.prefix(count))
        if count < chunk.count { return bytes }
    }
}
