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
        of path: String, limits: DecodeLimits, mapsFile: Bool, flag: CancellationFlag?,
        _ body: (Span<UInt8>, _ byteCount: Int) throws(DecodeError) -> Result
    ) throws(DecodeError) -> Result {
        switch try withBytes(of: path, limits: limits, mapsFile: mapsFile, maxReadBytes: .max, flag: flag, body) {
        case .done(let result): return result
        case .needsMemory(let size): throw DecodeError(.outOfMemory, "out of memory: \(size) bytes")
        }
    }

    /// Opens the file, calls `body` with its bytes unless it must be read and has more than `maxReadBytes` bytes, and
    /// closes it.
    static func withBytes<Result>(
        of path: String, limits: DecodeLimits, mapsFile: Bool, maxReadBytes: Int, flag: CancellationFlag?,
        _ body: (Span<UInt8>, _ byteCount: Int) throws(DecodeError) -> Result
    ) throws(DecodeError) -> Access<Result> {
        var file = try unsafe open(path, limits)
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
                throw unsafe error(loaded, path, file)
            }
        }
        let buffer = unsafe UnsafeBufferPointer(start: file.data, count: file.size)
        let memory = unsafe file.is_mapped ? 0 : file.size
        let result = Swift.Result { () throws(DecodeError) in try unsafe body(buffer.span, memory) }
        let closed = unsafe imgc_file_close(&file)
        guard closed == IMGC_FILE_OK else {
            if case .failure(let error) = result, error.code == .cancelled { throw error }
            throw unsafe error(closed, path, file)
        }
        return .done(try result.get())
    }

    /// Returns the bytes of the file, which are read directly into the array.
    ///
    /// - Throws: `fileUnreadable`, `limitExceeded` with the detail `maxInputBytes`, `cancelled`.
    static func bytes(of path: String, limits: DecodeLimits, flag: CancellationFlag?) throws(DecodeError) -> [UInt8] {
        var file = try unsafe open(path, limits)
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
            throw unsafe error(status, path, file)
        }
        return bytes
    }

    private static func open(_ path: String, _ limits: DecodeLimits) throws(DecodeError) -> imgc_file {
        guard !path.utf8.contains(0) else {
            throw .unreadable("notFound", path, "the path contains the character NUL")
        }
        var file = unsafe imgc_file()
        let maxSize = UInt64(clamping: limits.maxInputBytes ?? .max)
        let status = unsafe path.withCString { unsafe imgc_file_open($0, maxSize, &file) }
        if status == IMGC_FILE_TOO_LARGE {
            throw unsafe DecodeError(
                .limitExceeded, detail: "maxInputBytes",
                "the file of \(file.found_size) bytes exceeds the limit of \(maxSize) bytes")
        }
        guard status == IMGC_FILE_OK else { throw unsafe error(status, path, file) }
        return unsafe file
    }

    private static func error(_ status: imgc_file_result, _ path: String, _ file: imgc_file) -> DecodeError {
        switch status {
        case IMGC_FILE_NOT_REGULAR:
            return .unreadable("notRegularFile", path, "it is a directory, a FIFO, a socket or a device")
        case IMGC_FILE_CHANGED: return .changedFile(path)
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
