// Kernel files about memory and processors (Docs/decisions/0006), and for the tools the database of the packages
// installed on the system; `InputFile` reads image files. Paths are bytes, because file names on Linux are bytes.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file descriptor that is closed in `deinit`.
package struct ProcFile: ~Copyable, Sendable {
    package let descriptor: Int32

    package init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { _ = close(descriptor) }

    /// Opens a file without blocking, even if it is a terminal, a device, or a FIFO without a writer.
    static func open(_ path: [UInt8], _ access: Int32) -> Result<ProcFile, Failure> {
        guard !path.contains(0) else { return .failure(Failure(number: ENOENT)) }
        let terminated = path + [0]
        let descriptor = unsafe terminated.withUnsafeBytes { bytes in
            // `bytes` is never empty, because it includes the terminating 0.
            let start = unsafe bytes.bindMemory(to: CChar.self).baseAddress
            guard let start = unsafe start else { return Int32(-1) }
            return unsafe systemOpen(start, access | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        }
        return descriptor < 0 ? .failure(.last) : .success(ProcFile(owning: descriptor))
    }

    /// Reads a regular file; nil when it is missing, not regular, unreadable or longer than `maxBytes`.
    ///
    /// Files in `/proc` and in cgroups are regular but report a size of 0, so the end is found by reading.
    package static func contents(of path: [UInt8], maxBytes: Int) -> [UInt8]? {
        guard case .success(let file) = open(path, O_RDONLY), file.isRegular else { return nil }
        var contents: [UInt8] = []
        while case .success(let chunk) = file.read(maxBytes: 16_384) {
            if chunk.isEmpty { return contents }
            contents += chunk
            if contents.count > maxBytes { return nil }
        }
        return nil
    }

    /// Reads the available bytes, at most `maxBytes`; empty at the end.
    package borrowing func read(maxBytes: Int) -> Result<[UInt8], Failure> {
        var failure: Failure?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: maxBytes) { buffer, count in
            let result = retrying { unsafe systemRead(descriptor, buffer.baseAddress, maxBytes) }
            if result < 0 { failure = .last }
            count = max(0, result)
        }
        return failure.map { .failure($0) } ?? .success(bytes)
    }

    /// Writes all bytes with one call, as files in `/proc` require.
    borrowing func write(_ bytes: [UInt8]) -> Failure? {
        let result = unsafe bytes.withUnsafeBytes { buffer in
            retrying { unsafe systemWrite(descriptor, buffer.baseAddress, bytes.count) }
        }
        return result == bytes.count ? nil : .last
    }

    private var isRegular: Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// An `errno` value.
    package struct Failure: Error, CustomStringConvertible {
        let number: Int32

        static var last: Self { Self(number: errno) }

        package var description: String {
            guard let text = unsafe strerror(number) else { return "error \(number)" }
            return unsafe String(cString: text)
        }
    }
}

/// Values of sysconf(3); negative when the system does not report one.
enum SystemConfiguration {
    static var pageBytes: Int { sysconf(Int32(_SC_PAGESIZE)) }
    static var physicalPages: Int { sysconf(Int32(_SC_PHYS_PAGES)) }
    static var onlineProcessors: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }
}

private func retrying(_ call: () -> Int) -> Int {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

// Global functions, because inside `ProcFile` the names `open`, `read` and `write` refer to its methods.
private func systemOpen(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { unsafe open(path, flags) }
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, buffer, count)
}
private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, buffer, count)
}
