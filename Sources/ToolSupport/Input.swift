import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The bytes of a file, or of stdin for the path `-`, read and not mapped: a mapped file that another process cuts
/// short would end this one.
///
/// - Parameter limit: The most bytes to read. A larger file is refused unread, a stream at the byte after. Of a stream
///   that is no picture by its first bytes, only these are kept.
/// - Throws: `noInput`, `io` or `limitExceeded`.
package func readInput(_ path: String, limit: Int?) throws(Failure) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
        // What stands for bytes that are no UTF-8.
        let hint = path.unicodeScalars.contains("\u{FFFD}") ? ", perhaps its name is not UTF-8" : ""
        throw Failure(.noInput, "noInput: \(systemMessage())\(hint)")
    }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    let size = try expectedSize(of: descriptor)
    try check(size, limit)

    // Small enough to stay in the nearer caches on its way, and to be touched soon.
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { chunk.deallocate() }
    var bytes: [UInt8] = []
    var total = 0
    var isPicture: Bool?
    while true {
        let count = try readChunk(descriptor, chunk)
        total += count
        try check(total, limit)
        if isPicture != false { bytes.append(contentsOf: chunk.prefix(count)) }
        if count < chunk.count { return bytes }
        if isPicture == nil {
            if case .decodable = ImageSignature(of: bytes.span) { isPicture = true } else { isPicture = false }
            if isPicture == true { bytes.reserveCapacity(size + 1) }
        }
    }
}

/// What `stat` says of a regular file; 0 for pipes and devices, which end when they end.
private func expectedSize(of descriptor: Int32) throws(Failure) -> Int {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { throw Failure(.noInput, "noInput: \(systemMessage())") }
    switch facts.st_mode & S_IFMT {
    case S_IFDIR: throw Failure(.noInput, "noInput: is a directory")
    case S_IFREG: return Int(facts.st_size)
    default: return 0
    }
}

private func check(_ count: Int, _ limit: Int?) throws(Failure) {
    guard let limit, count > limit else { return }
    throw Failure(.refused, "limitExceeded(maxInputBytes): input is over the limit of \(limit) bytes")
}

/// Reads until the chunk is full or the input ends.
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

/// The text of `errno`.
package func systemMessage() -> String { String(cString: strerror(errno)) }

/// All bytes of a file that is no picture, such as a list; `-` is stdin.
///
/// - Throws: `noInput` or `io`.
package func readList(_ path: String) throws(Failure) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
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
