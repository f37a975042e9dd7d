import Foundation
import Testing

@testable import PlatformImageHTTPServer

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The client's side of a connection: sends arbitrary bytes and records what it receives.
final class TestClient {
    private var socket: Socket?
    private(set) var received: [UInt8] = []
    /// True when the server has closed its side or has reset the connection.
    private(set) var hasEnded = false
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init(_ socket: Socket) { self.socket = socket }

    /// Connects to a TCP port of 127.0.0.1. The socket does not block afterwards.
    convenience init(port: Int) throws {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        self.init(Socket(descriptor))
        try #require(Self.connect(descriptor, port) == 0)
        try #require(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0)
    }

    /// True if the port accepts a connection.
    static func canConnect(port: Int) -> Bool {
        let socket = Socket(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        return connect(socket.descriptor, port) == 0
    }

    private static func connect(_ descriptor: Int32, _ port: Int) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Connects to a TCP port of ::1.
    convenience init(port6 port: Int) throws {
        let descriptor = Glibc.socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        self.init(Socket(descriptor))
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin6_addr = in6addr_loopback
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
        try #require(status == 0)
        try #require(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0)
    }

    /// Connects to a Unix socket.
    convenience init(path: String) throws {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        self.init(Socket(descriptor))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0)
        try #require(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0)
    }

    var text: String { String(decoding: received, as: UTF8.self) }

    /// Sends as much as the server takes.
    ///
    /// - Returns: The number of bytes sent.
    @discardableResult
    func send(_ bytes: some Sequence<UInt8>) -> Int {
        guard let socket, case .count(let count) = socket.send(Array(bytes), from: 0, [], from: 0) else { return 0 }
        return count
    }

    @discardableResult
    func send(_ text: String) -> Int { send(text.utf8) }

    /// Reads what has arrived.
    ///
    /// - Returns: True if there was something, or the end.
    @discardableResult
    func receive(upTo count: Int = .max) -> Bool {
        guard let socket, !hasEnded else { return false }
        var total = 0
        while total < count {
            switch socket.receive(into: &buffer) {
            case .count(0), .broken:
                hasEnded = true
                return true
            case .count(let count):
                received += buffer[..<count]
                total += count
            case .wouldBlock: return total > 0
            }
        }
        return true
    }

    /// Closes the sending side.
    func closeHalf() { socket?.shutDownOutput() }

    /// Closes the connection; with unread input, or after ``resetsOnClose()``, it is reset.
    func close() { socket = nil }

    /// Resets the connection.
    func reset() {
        socket?.resetOnClose()
        close()
    }

    /// The responses received so far.
    var replies: [TestReply] { TestReply.parse(received) }
    /// Their statuses.
    var statuses: [Int] { replies.map(\.status) }

    /// Waits until a condition about the received bytes is true.
    func wait(until condition: (TestClient) -> Bool) async {
        while true {
            receive()
            if condition(self) || Task.isCancelled { return }
            await Task.yield()
        }
    }

    /// Sends a request and waits for its response.
    func exchange(_ request: String) async -> TestReply? {
        let count = replies.count
        send(request)
        await wait { $0.replies.count > count || $0.hasEnded }
        return replies.count > count ? replies[count] : nil
    }
}

/// A response as a client without knowledge of the requests reads it: every one has Content-Length, or is chunked, or
/// has a status without a body.
struct TestReply: Equatable {
    var status = 0
    var fields: [String] = []
    var body: [UInt8] = []

    subscript(name: String) -> String? {
        fields.first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }.map {
            String($0.dropFirst(name.count + 2))
        }
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// Parses complete responses; an incomplete one at the end is ignored.
    static func parse(_ bytes: [UInt8]) -> [Self] {
        var replies: [Self] = []
        var rest = bytes[...]
        while let end = rest.firstRange(of: [13, 10, 13, 10]) {
            let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            var reply = Self(status: Int(lines[0].dropFirst(9).prefix(3)) ?? 0, fields: Array(lines.dropFirst()))
            rest = rest[end.upperBound...]
            if reply["Transfer-Encoding"] == "chunked" {
                var isComplete = false
                while !isComplete, let line = rest.firstRange(of: [13, 10]) {
                    let digits = String(decoding: rest[..<line.lowerBound], as: UTF8.self)
                    guard let size = Int(digits, radix: 16), rest.endIndex - line.upperBound >= size + 2 else {
                        return replies
                    }
                    reply.body += rest[line.upperBound..<line.upperBound + size]
                    rest = rest[(line.upperBound + size + 2)...]
                    isComplete = size == 0
                }
                guard isComplete else { return replies }
            } else if let count = reply["Content-Length"].flatMap({ Int($0) }), reply.status != 304 {
                guard rest.count >= count else { return replies }
                reply.body = Array(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            replies.append(reply)
        }
        return replies
    }
}
