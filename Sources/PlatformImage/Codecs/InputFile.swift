// The bridge to the C functions that open, read and map input files.

internal import CImageCodecs

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is opened when its bytes are needed.
struct FileSource: Sendable {
    enum Place: Sendable {
        /// The bytes of a path, without the final NUL.
        case path([UInt8])
        /// An open descriptor of the caller.
        case descriptor(Int32)

        /// The path; nil for a descriptor. Bytes that are not UTF-8 are replaced.
        var name: String? {
            if case .path(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
        }
    }

    let place: Place
    /// False to read a file of any size into memory.
    let mapsFile: Bool
}

/// Gives access to the bytes of a file while a closure runs.
enum InputFile {
    /// The result of an access with a limit for the memory.
    enum Access<Result> {
        case done(Result)
        /// The file must be read, and has more bytes than the limit: this number.
        case needsMemory(Int)
    }

    /// Files of at least this number of bytes are mapped: 1 MiB. Reading a smaller file takes less time than mapping
    /// it and faulting its pages.
    static let mappedFrom = 1 << 20

    /// Opens the file, calls `body` with its bytes, and closes it.
    ///
    /// - Parameters:
    ///   - mapsFile: False to read a file of any size into memory.
    ///   - body: Receives the bytes, and their number in memory of this process: 0 for a mapped file.
    /// - Throws: `fileUnreadable`, `limitExceeded` with the detail `maxInputBytes`, `outOfMemory`, `cancelled`, or the
    ///   error of `body`.
    static func withBytes<Result>(
        of place: FileSource.Place, limits: DecodeLimits, mapsFile: Bool, flag: CancellationFlag?,
        _ body: (Span<UInt8>, _ byteCount: Int) throws(DecodeError) -> Result
    ) throws(DecodeError) -> Result {
        switch try withBytes(of: place, limits: limits, mapsFile: mapsFile, maxReadBytes: .max, flag: flag, body) {
        case .done(let result): return result
        case .needsMemory(let size): throw DecodeError(.outOfMemory, "out of memory: \(size) bytes")
        }
    }

    /// Opens the file, calls `body` with its bytes unless it must be read and has more than `maxReadBytes` bytes, and
    /// closes it.
    static func withBytes<Result>(
        of place: FileSource.Place, limits: DecodeLimits, mapsFile: Bool, maxReadBytes: Int,
        flag: CancellationFlag?,
        _ body: (Span<UInt8>, _ byteCount: Int) throws(DecodeError) -> Result
    ) throws(DecodeError) -> Access<Result> {
        var file = try unsafe open(place, limits)
        let size = unsafe file.size
        if unsafe !mapsFile || size < mappedFrom || !imgc_file_map(&file) {
            guard size <= maxReadBytes else {
                _ = unsafe imgc_file_close(&file)
                return .needsMemory(size)
            }
            let loaded = withExtendedLifetime(flag) { unsafe imgc_file_load(&file, flag?.pointer) }
            guard loaded == IMGC_FILE_OK else {
                _ = unsafe imgc_file_close(&file)
                try flag?.poll()
                throw unsafe error(loaded, place, file)
            }
        }
        let buffer = unsafe UnsafeBufferPointer(start: file.data, count: file.size)
        let memory = unsafe file.is_mapped ? 0 : file.size
        let result = Swift.Result { () throws(DecodeError) in try unsafe body(buffer.span, memory) }
        let closed = unsafe imgc_file_close(&file)
        guard closed == IMGC_FILE_OK else {
            if case .failure(let error) = result, error.code == .cancelled { throw error }
            throw unsafe error(closed, place, file)
        }
        return .done(try result.get())
    }

    /// Returns the bytes of the file, which are read directly into the array.
    ///
    /// - Throws: `fileUnreadable`, `limitExceeded` with the detail `maxInputBytes`, `cancelled`.
    static func bytes(
        of place: FileSource.Place, limits: DecodeLimits, flag: CancellationFlag?
    ) throws(DecodeError) -> [UInt8] {
        var file = try unsafe open(place, limits)
        defer { _ = unsafe imgc_file_close(&file) }
        guard unsafe file.size > 0 else { return [] }
        var status = IMGC_FILE_OK
        let bytes = unsafe PixelPool.array(byteCount: file.size) { bytes in
            unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                status = withExtendedLifetime(flag) { unsafe imgc_file_read(&file, base, flag?.pointer) }
            }
        }
        guard status == IMGC_FILE_OK else {
            try flag?.poll()
            throw unsafe error(status, place, file)
        }
        return bytes
    }

    private static func open(_ place: FileSource.Place, _ limits: DecodeLimits) throws(DecodeError) -> imgc_file {
        var file = unsafe imgc_file()
        let maxSize = UInt64(clamping: limits.maxInputBytes ?? .max)
        let status: imgc_file_result
        switch place {
        case .path(let bytes):
            guard !bytes.contains(0) else {
                throw .unreadable("notFound", place, "the path contains the character NUL")
            }
            let path = bytes.map { CChar(bitPattern: $0) } + [0]
            status = unsafe imgc_file_open(path, maxSize, &file)
        case .descriptor(let descriptor):
            status = unsafe imgc_file_open_descriptor(descriptor, maxSize, &file)
        }
        if status == IMGC_FILE_TOO_LARGE {
            throw unsafe DecodeError(
                .limitExceeded, detail: "maxInputBytes",
                "the file of \(file.found_size) bytes exceeds the limit of \(maxSize) bytes")
        }
        guard status == IMGC_FILE_OK else { throw unsafe error(status, place, file) }
        return unsafe file
    }

    private static func error(_ status: imgc_file_result, _ place: FileSource.Place, _ file: imgc_file) -> DecodeError {
        switch status {
        case IMGC_FILE_NOT_REGULAR:
            return .unreadable("notRegularFile", place, "it is a directory, a FIFO, a socket or a device")
        case IMGC_FILE_CHANGED: return .changedFile(place)
        case IMGC_FILE_OUT_OF_MEMORY: return unsafe DecodeError(.outOfMemory, "out of memory: \(file.size) bytes")
        case IMGC_FILE_CANCELLED: return DecodeError(.cancelled, "cancelled")
        default:
            let failure = unsafe ProcFile.Failure(number: file.error_number)
            let detail: String
            switch failure.number {
            case ENOENT, ENOTDIR: detail = "notFound"
            case EACCES, EPERM: detail = "notPermitted"
            default: detail = "system"
            }
            return .unreadable(detail, place, "\(failure)")
        }
    }
}

extension DecodeError {
    /// The file became shorter, or was replaced by another one, while it was read.
    static func changedFile(_ place: FileSource.Place) -> DecodeError {
        unreadable("changed", place, "it changed while it was read")
    }

    fileprivate static func unreadable(_ detail: String, _ place: FileSource.Place, _ reason: String) -> DecodeError {
        let name =
            switch place {
            case .path: (place.name ?? "").debugDescription
            case .descriptor(let number): "of the descriptor \(number)"
            }
        return DecodeError(.fileUnreadable, detail: detail, "the file \(name) cannot be read: \(reason)")
    }
}
