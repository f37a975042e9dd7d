// The bridge to the C functions that open, read and map input files.

internal import CImageCodecs

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Gives access to the bytes of a file while a closure runs.
enum InputFile {
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
        of path: String, limits: DecodeLimits, mapsFile: Bool, flag: CancellationFlag?,
        _ body: (Span<UInt8>, _ byteCount: Int) throws(DecodeError) -> Result
    ) throws(DecodeError) -> Result {
        guard !path.utf8.contains(0) else {
            throw .unreadable("notFound", path, "the path contains the character NUL")
        }
        var file = unsafe imgc_file()
        let maxSize = UInt64(clamping: limits.maxInputBytes ?? .max)
        let mapFrom = mapsFile ? UInt64(mappedFrom) : .max
        let status = unsafe path.withCString { path in
            withExtendedLifetime(flag) { unsafe imgc_file_open(path, maxSize, mapFrom, flag?.pointer, &file) }
        }
        guard status == IMGC_FILE_OK else {
            try flag?.poll()
            throw unsafe error(status, path, size: file.found_size, maxSize, errno: file.error_number)
        }
        let buffer = unsafe UnsafeBufferPointer(start: file.data, count: file.size)
        let memory = unsafe file.is_mapped ? 0 : file.size
        let result = Swift.Result { () throws(DecodeError) in try unsafe body(buffer.span, memory) }
        guard unsafe imgc_file_close(&file) else {
            if case .failure(let error) = result, error.code == .cancelled { throw error }
            throw .changedFile(path)
        }
        return try result.get()
    }

    private static func error(
        _ status: imgc_file_result, _ path: String, size: UInt64, _ maxSize: UInt64, errno number: Int32
    ) -> DecodeError {
        switch status {
        case IMGC_FILE_NOT_REGULAR:
            return .unreadable("notRegularFile", path, "it is a directory, a FIFO, a socket or a device")
        case IMGC_FILE_TOO_LARGE:
            return DecodeError(
                .limitExceeded, detail: "maxInputBytes",
                "the file of \(size) bytes exceeds the limit of \(maxSize) bytes")
        case IMGC_FILE_CHANGED: return .changedFile(path)
        case IMGC_FILE_OUT_OF_MEMORY: return DecodeError(.outOfMemory, "out of memory: \(size) bytes")
        case IMGC_FILE_CANCELLED: return DecodeError(.cancelled, "cancelled")
        default:
            let failure = ProcFile.Failure(number: number)
            let detail: String
            switch failure.number {
            case ENOENT, ENOTDIR: detail = "notFound"
            case EACCES, EPERM: detail = "notPermitted"
            default: detail = "system"
            }
            return .unreadable(detail, path, "\(failure)")
        }
    }
}

extension DecodeError {
    /// The file became shorter, or was replaced by another one, while it was read.
    static func changedFile(_ path: String) -> DecodeError {
        unreadable("changed", path, "it changed while it was read")
    }

    fileprivate static func unreadable(_ detail: String, _ path: String, _ reason: String) -> DecodeError {
        DecodeError(.fileUnreadable, detail: detail, "the file \(path.debugDescription) cannot be read: \(reason)")
    }
}
