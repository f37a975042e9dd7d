#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The error of a failed system call.
package struct DiskError: Error, Hashable {
    /// An `errno` value.
    package let code: Int32
    /// Description of a defect that no system call reported; nil when ``code`` alone describes the error.
    var detail: String?

    init(code: Int32, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }

    /// The error of the preceding call.
    static var last: Self { Self(code: errno) }

    /// True for ENOENT: the file or its folder does not exist.
    package var isMissing: Bool { code == ENOENT }
}

/// An open file descriptor, closed when the value is destroyed.
package struct DiskFile: ~Copyable {
    /// The descriptor, 0 or more; no other value owns it.
    package let descriptor: Int32

    /// Opens `name` in a folder, with `O_NOFOLLOW`, and `O_NONBLOCK` so that opening a FIFO does not wait.
    ///
    /// - Parameters:
    ///   - folder: A descriptor, or `AT_FDCWD` with a path.
    ///   - name: Zero-terminated.
    ///   - mode: Permissions of a file that the call creates.
    package init(in folder: Int32, name: [CChar], flags: Int32, mode: UInt32 = 0) throws(DiskError) {
        while true {
            let opened = openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode_t(mode))
            if opened >= 0 {
                descriptor = opened
                return
            }
            if errno != EINTR { throw .last }
        }
    }

    /// Removes a file from a folder.
    static func remove(_ name: [CChar], in folder: Int32) throws(DiskError) {
        guard unlinkat(folder, name, 0) == 0 else { throw .last }
    }

    /// Takes ownership of an open descriptor.
    init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { _ = Self.closeDescriptor(descriptor) }

    /// Closes the descriptor and reports delayed write errors. EINTR is ignored: Linux has closed the descriptor.
    consuming func close() throws(DiskError) {
        let number = descriptor
        discard self
        if Self.closeDescriptor(number) != 0, errno != EINTR { throw .last }
    }

    /// Returns the descriptor without closing it; the caller must close it.
    consuming func release() -> Int32 {
        let number = descriptor
        discard self
        return number
    }

    /// Returns type, owner, permissions, length, modification date and identity of the file.
    package func status() throws(DiskError) -> DiskStatus {
        var information = stat()
        while fstat(descriptor, &information) != 0 { if errno != EINTR { throw .last } }
        return DiskStatus(information)
    }

    /// Returns exactly `count` bytes from `offset` on; nil when the file has fewer bytes from `offset` on.
    package func bytes(at offset: Int, count: Int) throws(DiskError) -> [UInt8]? {
        var failure: DiskError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<count])
                let read = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
                if read > 0 {
                    filled += min(read, rest.count)
                } else if read == 0 {
                    break
                } else if errno != EINTR {
                    failure = .last
                    break
                }
            }
        }
        if let failure { throw failure }
        return bytes.count == count ? bytes : nil
    }

    /// Writes all of `bytes`; continues after a short write.
    func write(_ bytes: [UInt8], at offset: Int) throws(DiskError) {
        var failure: DiskError?
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
                let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
                if count > 0 {
                    written += min(count, rest.count)
                } else if count == 0 {
                    failure = DiskError(code: EIO)
                    return
                } else if errno != EINTR {
                    failure = .last
                    return
                }
            }
        }
        if let failure { throw failure }
    }

    /// Sets the modification date and leaves the access date unchanged.
    func touch(_ time: WallTime) throws(DiskError) {
        // Wrapping arithmetic: for the earliest `WallTime` the product overflows, but the difference is still correct.
        let rest = time.milliseconds &- time.seconds &* 1000
        let times = [
            timespec(tv_sec: 0, tv_nsec: Self.omitTime),
            timespec(tv_sec: Int(time.seconds), tv_nsec: Int(rest) * 1_000_000),
        ]
        while futimens(descriptor, times) != 0 { if errno != EINTR { throw .last } }
    }

    /// `UTIME_OMIT`, a macro that Swift does not import.
    private static var omitTime: Int {
        #if canImport(Darwin)
        -2
        #else
        (1 << 30) - 2
        #endif
    }

    private static func closeDescriptor(_ number: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.close(number)
        #elseif canImport(Musl)
        Musl.close(number)
        #else
        Darwin.close(number)
        #endif
    }
}

/// The result of `stat` for a name or a descriptor.
package struct DiskStatus {
    /// False for a folder, link, FIFO, socket or device.
    package let isRegular: Bool
    let isFolder: Bool
    /// The owner's user ID.
    private let owner: uid_t
    /// Permission bits, set-ID bits and the sticky bit.
    private let mode: mode_t
    /// Length in bytes, clamped to 2^40: the cache's files are shorter, and sums with foreign files cannot overflow.
    package let length: Int
    /// Distinguishes this file from a file that later replaces it under its name.
    let identity: Identity
    /// The modification date, which is the last access: every hit sets it.
    package let modified: WallTime

    /// Device and inode numbers.
    struct Identity: Hashable {
        let device: UInt64
        let inode: UInt64
    }

    init(_ information: stat) {
        isRegular = information.st_mode & S_IFMT == S_IFREG
        isFolder = information.st_mode & S_IFMT == S_IFDIR
        owner = information.st_uid
        mode = information.st_mode & 0o7777
        length = Int(min(information.st_size, 1 << 40))
        identity = Identity(device: UInt64(truncatingIfNeeded: information.st_dev), inode: UInt64(information.st_ino))
        #if canImport(Darwin)
        let time = information.st_mtimespec
        #else
        let time = information.st_mtim
        #endif
        modified = WallTime(seconds: Int64(time.tv_sec)).adding(milliseconds: Int64(time.tv_nsec) / 1_000_000)
    }

    /// Queries the status of the file `name` in a folder; a symbolic link is not followed.
    package init(in folder: Int32, name: [CChar]) throws(DiskError) {
        var information = stat()
        while fstatat(folder, name, &information, AT_SYMLINK_NOFOLLOW) != 0 { if errno != EINTR { throw .last } }
        self.init(information)
    }
}

extension DiskStatus {
    /// Returns the reason why other users could change the file or folder; nil when it is owned by the effective user
    /// or root and not writable by its group or others.
    ///
    /// - Parameter allowsSticky: Accepts a world-writable folder with the sticky bit: other users can remove and rename
    ///   only files that they own.
    func untrustedReason(allowsSticky: Bool = false) -> String? {
        if owner != 0, owner != geteuid() {
            return "it is owned by user ID \(owner), neither by the user of this process nor by root"
        }
        if mode & (S_IWGRP | S_IWOTH) == 0 || allowsSticky && mode & S_ISVTX != 0 { return nil }
        return "its group or other users have write permission (mode \(String(mode, radix: 8))); run chmod go-w"
    }
}
