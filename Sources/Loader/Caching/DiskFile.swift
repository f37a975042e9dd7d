#if Loader
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a system call said when it failed.
package struct DiskError: Error, Hashable {
    /// One of `errno`'s values.
    package let code: Int32
    /// The defect, where no system call reports it; nil for what `errno` means.
    var detail: String?

    init(code: Int32, detail: String? = nil) {
        self.code = code
        self.detail = detail
    }

    /// The failure of the call just made.
    static var last: Self { Self(code: errno) }

    /// True for ENOENT: no such name, or no such folder.
    package var isMissing: Bool { code == ENOENT }
}

/// An open descriptor, closed when its owner goes.
package struct DiskFile: ~Copyable {
    /// 0 or more, and nobody else's.
    package let descriptor: Int32

    /// Opens `name` in a folder; never follows a link, never waits for a FIFO's other end.
    ///
    /// - Parameters:
    ///   - folder: A descriptor, or `AT_FDCWD` with a path.
    ///   - name: Ends with 0.
    ///   - mode: Permissions of a file that the call makes.
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

    /// Removes the name of a file in a folder.
    static func remove(_ name: [CChar], in folder: Int32) throws(DiskError) {
        guard unlinkat(folder, name, 0) == 0 else { throw .last }
    }

    /// Takes over a descriptor that somebody else opened.
    init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { _ = Self.closing(descriptor) }

    /// Closes, and says what a file system that writes late has to say. After EINTR Linux has closed all the same.
    consuming func close() throws(DiskError) {
        let number = descriptor
        discard self
        if Self.closing(number) != 0, errno != EINTR { throw .last }
    }

    /// Closes and gives the number away to somebody who closes it.
    consuming func release() -> Int32 {
        let number = descriptor
        discard self
        return number
    }

    /// Type, length, dates, identity.
    package func status() throws(DiskError) -> DiskStatus {
        var information = stat()
        while fstat(descriptor, &information) != 0 { if errno != EINTR { throw .last } }
        return DiskStatus(information)
    }

    /// Exactly `count` bytes from `offset` on; nil when the file ends before.
    package func bytes(at offset: Int, count: Int) throws(DiskError) -> [UInt8]? {
        var failure: DiskError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filled..<count])
                let got = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
                if got > 0 {
                    filled += min(got, rest.count)
                } else if got == 0 {
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

    /// Writes all of `bytes`, however little the system takes at a time.
    func write(_ bytes: [UInt8], at offset: Int) throws(DiskError) {
        var failure: DiskError?
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[written...])
                let took = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
                if took > 0 {
                    written += min(took, rest.count)
                } else if took == 0 {
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

    /// Sets the modified date and leaves the access date.
    func touch(_ moment: WallTime) throws(DiskError) {
        // Wrapping: the whole second of the earliest moment of all is out of range in milliseconds, the rest is not.
        let rest = moment.milliseconds &- moment.seconds &* 1000
        let times = [
            timespec(tv_sec: 0, tv_nsec: Self.leaveDate),
            timespec(tv_sec: Int(moment.seconds), tv_nsec: Int(rest) * 1_000_000),
        ]
        while futimens(descriptor, times) != 0 { if errno != EINTR { throw .last } }
    }

    /// UTIME_OMIT, a macro that Swift does not see.
    private static var leaveDate: Int {
        #if canImport(Darwin)
        -2
        #else
        (1 << 30) - 2
        #endif
    }

    private static func closing(_ number: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.close(number)
        #elseif canImport(Musl)
        Musl.close(number)
        #else
        Darwin.close(number)
        #endif
    }
}

/// What `stat` says of a name or a descriptor.
package struct DiskStatus {
    /// False for a folder, a link, a FIFO, a socket, a device.
    package let isRegular: Bool
    let isFolder: Bool
    /// The user that owns it.
    private let owner: uid_t
    /// The permissions, and the set-ID and sticky bits.
    private let mode: mode_t
    /// Bytes, at most 2^40: nothing of ours is as long, and sums of what strangers put there cannot overflow.
    package let length: Int
    /// Tells a file from one that took its name.
    let identity: Identity
    /// The last access, since every hit sets it.
    package let modified: WallTime

    /// Device and inode.
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

    /// Of a name in a folder, itself and not what it points to.
    package init(in folder: Int32, name: [CChar]) throws(DiskError) {
        var information = stat()
        while fstatat(folder, name, &information, AT_SYMLINK_NOFOLLOW) != 0 { if errno != EINTR { throw .last } }
        self.init(information)
    }
}

extension DiskStatus {
    /// Why others may have a say in what is in the file or folder; nil for one that belongs to the effective user or to
    /// root and that neither its group nor others may write to.
    ///
    /// - Parameter allowsSticky: Takes a folder that all may write to when it is sticky: in it they may remove and rename
    ///   what is theirs alone.
    func mistrust(allowsSticky: Bool = false) -> String? {
        if owner != 0, owner != geteuid() {
            return "it belongs to user \(owner), who is neither the user of this process nor root"
        }
        if mode & (S_IWGRP | S_IWOTH) == 0 || allowsSticky && mode & S_ISVTX != 0 { return nil }
        return "its group or others may write to it (mode \(String(mode, radix: 8))); chmod go-w makes it usable"
    }
}
#endif
