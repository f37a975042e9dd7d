import PlatformImage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A TCP client that sends and receives bytes without an HTTP library. Its calls block, so it is used on a thread of
/// its own.
final class OriginClient {
    private let socket: Int32

    /// Calls `body` with a new connection on a new thread, then closes the connection.
    static func connect<Value: Sendable>(
        to port: Int, _ body: @escaping @Sendable (OriginClient) -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
            let failure = DetachedThread.start {
                guard let client = OriginClient(port) else { return continuation.resume(throwing: CannotConnect()) }
                continuation.resume(returning: body(client))
            }
            if failure != nil { continuation.resume(throwing: CannotConnect()) }
        }
    }

    struct CannotConnect: Error {}

    init?(_ port: Int) {
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        socket = Self.socket(type)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let isConnected = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                connectTo(socket, $0.baseAddress, socklen_t(bytes.count)) == 0
            }
        }
        guard isConnected else {
            close()
            return nil
        }
    }

    deinit { close() }

    private static func socket(_ type: Int32) -> Int32 { makeSocket(AF_INET, type, 0) }

    private var isClosed = false

    func close() {
        if !isClosed { closeSocket(socket) }
        isClosed = true
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
            if count <= 0 { return }
            sent += count
        }
    }

    /// Receives until there are `count` bytes, or the origin has closed the connection.
    func receive(_ count: Int = .max) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < count {
            let received = read(socket, &buffer, min(buffer.count, count - bytes.count))
            if received <= 0 { break }
            bytes += buffer[..<received]
        }
        return bytes
    }

    /// Receives until there are `count` bytes, or the origin has closed the connection.
    func text(_ count: Int = .max) -> String { String(decoding: receive(count), as: UTF8.self) }

    /// True when the origin closes the connection before it sends more.
    var isAtEnd: Bool { receive(1).isEmpty }
}

// The methods of the client hide these functions.
private func makeSocket(_ family: Int32, _ type: Int32, _ number: Int32) -> Int32 { socket(family, type, number) }
private func closeSocket(_ socket: Int32) { _ = close(socket) }
private func connectTo(_ socket: Int32, _ address: UnsafePointer<sockaddr>?, _ size: socklen_t) -> Int32 {
    guard let address else { return -1 }
    return connect(socket, address, size)
}
