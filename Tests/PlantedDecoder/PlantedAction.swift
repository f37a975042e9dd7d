#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Actions of an attacker who runs code in a decoder.
///
/// A file selects one by the marker `planted:NAME;` anywhere in its bytes.
enum PlantedAction: String, CaseIterable {
    case openFile
    case connect
    case fork
    case execute
    case trace
    case signalParent
    case overwriteHeap
    case writeToNull
    case abort
    /// The end of a process by Swift's checked arithmetic.
    case trap
    case exit
    /// The end by the signal of the OOM killer.
    case kill
    /// An endless loop after the end of the connection to the parent.
    case closeSocket
    case loop
    case allocate
    case sendFalseSize
    case sendFalseHeader
    case sendForeignNumber
    case sendGarbage
    case sendDescriptor
    case neverAnswer
    case readSlab
    case shrinkSlab

    /// The action that the marker in `bytes` selects; nil without a marker.
    init?(in bytes: [UInt8]) {
        let start = Array("planted:".utf8)
        guard bytes.count > start.count else { return nil }
        for position in 0..<bytes.count - start.count where bytes[position] == start[0] {
            guard bytes[position..<position + start.count].elementsEqual(start) else { continue }
            let name = bytes[(position + start.count)...].prefix { $0 != UInt8(ascii: ";") }.prefix(64)
            self.init(rawValue: String(decoding: name, as: UTF8.self))
            return
        }
        return nil
    }
}

extension PlantedAction {
    /// Acts. Returns true when the action had its effect and the process continues.
    ///
    /// - Parameters:
    ///   - number: Number of the request; 0 outside of a worker.
    ///   - socket: The socket of the worker; -1 outside of a worker.
    ///   - slab: The shared memory after the input, empty outside of a worker.
    func run(number: UInt64, socket: Int32, slab: [UInt8]) -> Bool {
        switch self {
        case .openFile: return open("/etc/passwd", O_RDONLY) >= 0
        case .connect:
            #if canImport(Glibc)
            return Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) >= 0
            #else
            return Musl.socket(AF_INET, Int32(SOCK_STREAM), 0) >= 0
            #endif
        case .fork: return Self.forkAndWait()
        case .execute:
            var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
            var environment: [UnsafeMutablePointer<CChar>?] = [nil]
            execve("/bin/true", &arguments, &environment)
            return false
        case .trace: return Self.systemCall(Self.ptraceNumber, 0)
        case .signalParent: return systemKill(getppid(), 0) == 0
        case .overwriteHeap:
            let block = UnsafeMutablePointer<UInt8>.allocate(capacity: 64)
            (block - 64).update(repeating: 0x41, count: 4096)
            block.deallocate()
            return true
        case .writeToNull:
            UnsafeMutablePointer<UInt8>(bitPattern: 16)?.pointee = 1
            return true
        case .abort: Self.end()
        case .trap: return UInt8(slab.count | 0x1FF) > 0
        case .exit: _exit(0)
        case .kill: return raise(SIGKILL) == 0
        case .closeSocket:
            close(socket)
            return Self.loop.run(number: number, socket: -1, slab: slab)
        case .loop:
            var value: UInt64 = 1
            while value != 0 { value = value &* 6_364_136_223_846_793_005 | 1 }
            return true
        case .allocate:
            while let block = malloc(16 << 20) { memset(block, 1, 16 << 20) }
            Self.end()
        case .sendFalseSize, .sendFalseHeader, .sendForeignNumber, .sendGarbage:
            return Self.send(message(number), to: socket)
        case .sendDescriptor: return Self.sendDescriptor(to: socket)
        case .neverAnswer:
            // A futex wait that nothing ends: the worker may wait, but not poll or sleep.
            var value: UInt32 = 0
            while true { _ = withUnsafeMutablePointer(to: &value) { Self.wait($0) } }
        case .readSlab: return slab.contains { $0 != 0 }
        case .shrinkSlab:
            for descriptor in Int32(4)..<16 where ftruncate(descriptor, 0) == 0 { return true }
            return false
        }
    }

    private static func end() -> Never {
        #if canImport(Glibc)
        Glibc.abort()
        #else
        Musl.abort()
        #endif
    }

    /// A message in the form of the protocol (`WorkerReport.wireBytes`), with a false content.
    private func message(_ number: UInt64) -> [UInt8] {
        func bytes(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        switch self {
        // Kind 1, measured: 1 byte of memory and 2^40 bytes of output.
        case .sendFalseSize: return [0, 1] + bytes(number) + bytes(1) + bytes(1 << 40)
        // Kind 2, finished: a result with a header of format "png" with the width 0.
        case .sendFalseHeader: return [0, 2] + bytes(number) + [1] + bytes(3) + Array("png".utf8) + bytes(0)
        case .sendForeignNumber: return [0, 1] + bytes(number + 1) + bytes(1) + bytes(4)
        default: return (0..<200).map { UInt8(truncatingIfNeeded: $0 * 37 + 5) }
        }
    }

    private static func send(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var bytes = bytes
        return bytes.withUnsafeMutableBytes { buffer in
            var part = iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
            return withUnsafeMutablePointer(to: &part) { part in
                var header = msghdr()
                header.msg_iov = part
                header.msg_iovlen = 1
                return sendmsg(socket, &header, 0) == buffer.count
            }
        }
    }

    /// Sends the descriptor 0 with a message of the protocol.
    private static func sendDescriptor(to socket: Int32) -> Bool {
        // cmsghdr (16 bytes: length 20, SOL_SOCKET, SCM_RIGHTS) and the descriptor, padded to 24 bytes.
        var control = [UInt8](repeating: 0, count: 24)
        control[0] = 20
        control[8] = 1
        control[12] = 1
        var byte: [UInt8] = [0]
        return control.withUnsafeMutableBytes { control in
            byte.withUnsafeMutableBytes { byte in
                var part = iovec(iov_base: byte.baseAddress, iov_len: 1)
                return withUnsafeMutablePointer(to: &part) { part in
                    var header = msghdr()
                    header.msg_iov = part
                    header.msg_iovlen = 1
                    header.msg_control = control.baseAddress
                    header.msg_controllen = .init(control.count)
                    return sendmsg(socket, &header, 0) == 1
                }
            }
        }
    }
}

// A global function, because inside of `PlantedAction` the name `kill` is a case.
private func systemKill(_ process: pid_t, _ number: Int32) -> Int32 { kill(process, number) }
