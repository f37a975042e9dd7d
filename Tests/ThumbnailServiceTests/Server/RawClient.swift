import Dispatch
import PlatformImageTestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A connection on which a test sends arbitrary bytes. Calls that can wait run on a queue of the client.
final class RawClient: Sendable {
    private let descriptor: Int32
    private let reading = DispatchQueue(label: "RawClient.reading")
    private let writing = DispatchQueue(label: "RawClient.writing")

    /// Connects to a port of 127.0.0.1, which has a backlog.
    init(port: Int) async throws {
        #if canImport(Darwin)
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #endif
        try #require(descriptor >= 0)
        let descriptor = descriptor
        let status = await Self.run(writing) {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        try #require(status == 0)
    }

    deinit { closeDescriptor(descriptor) }

    /// False when the service has closed the connection, and everything that it sent was read.
    var isOpen: Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count > 0 || count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    /// Sends bytes; returns when the system has taken all of them.
    func send(_ bytes: [UInt8]) async throws {
        let descriptor = descriptor
        let isSent = await Self.run(writing) {
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes { buffer in
                    sendSome(descriptor, UnsafeRawBufferPointer(rebasing: buffer[sent...]))
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
        if !isSent { throw ConnectionEnd() }
    }

    struct ConnectionEnd: Error {}

    /// Waits for the next bytes of a response.
    ///
    /// - Returns: The received text; empty when the connection is closed.
    @discardableResult
    func waitForResponse() async throws -> String {
        let bytes = await receive()
        try Task.checkCancellation()
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns everything until the service closes the connection.
    @discardableResult
    func readToEnd() async throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let bytes = await receive()
            try Task.checkCancellation()
            if bytes.isEmpty { return all }
            all += bytes
        }
    }

    /// Waits until the service has closed the connection.
    func waitForEnd() async throws { try await readToEnd() }

    /// Closes the connection, or only its sending half.
    func disconnect(isHalf: Bool) async throws { shutdown(descriptor, isHalf ? endOfOutput : endOfBoth) }

    func close() { shutdown(descriptor, endOfBoth) }

    private func receive() async -> [UInt8] {
        let descriptor = descriptor
        return await withTaskCancellationHandler {
            await Self.run(reading) {
                [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                    count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
                }
            }
        } onCancel: {
            shutdown(descriptor, endOfBoth)
        }
    }

    private static func run<Value: Sendable>(
        _ queue: DispatchQueue, _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: work()) } }
    }
}

private let endOfOutput = Int32(SHUT_WR)
private let endOfBoth = Int32(SHUT_RDWR)

private func closeDescriptor(_ descriptor: Int32) { close(descriptor) }

private func sendSome(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
}
