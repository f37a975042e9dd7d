import Foundation
import PlatformImageToolSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Private nginx process on 127.0.0.1 that responds to every path with the same body, which is fresh for one hour.
final class BenchLoadServer {
    /// Base URL without a trailing slash.
    let origin: String
    private let process: ChildProcess

    /// Starts the server; returns when it accepts connections.
    ///
    /// - Parameters:
    ///   - body: Body of every response.
    ///   - folder: Empty folder; the configuration and the body remain in it.
    init(body: [UInt8], type: String = "application/octet-stream", folder: String) throws {
        guard let program = Self.program else {
            throw Failure(.noInput, "noInput: nginx is not installed; Scripts/bench/load installs it")
        }
        // Another process may take the port between the choice and the use; retry with another port.
        for _ in 0..<8 {
            let port = try Self.freePort()
            let process = try Self.start(program, port: port, body: body, type: type, folder: folder)
            if Self.waitUntilOpen(port, process) {
                self.process = process
                origin = "http://127.0.0.1:\(port)"
                return
            }
        }
        throw Failure(.ioError, "io: nginx did not start in 8 attempts, each with another port")
    }

    deinit { process.end() }

    private static var program: String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { String($0) }
        return (folders + ["/usr/sbin", "/usr/local/sbin"]).map { $0 + "/nginx" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    private static func start(
        _ program: String, port: UInt16, body: [UInt8], type: String, folder: String
    ) throws -> ChildProcess {
        let configuration = """
            daemon off;
            master_process off;
            pid \(folder)/nginx.pid;
            error_log \(folder)/error.log;
            events { worker_connections 1024; }
            http {
                access_log off;
                client_body_temp_path \(folder)/body;
                proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/fastcgi;
                uwsgi_temp_path \(folder)/uwsgi;
                scgi_temp_path \(folder)/scgi;
                keepalive_requests 1000000;
                open_file_cache max=16;
                server {
                    listen 127.0.0.1:\(port);
                    root \(folder);
                    default_type \(type);
                    location / {
                        try_files /body.bin =404;
                        add_header Cache-Control max-age=3600;
                    }
                }
            }

            """
        try Data(body).write(to: URL(fileURLWithPath: folder + "/body.bin"))
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder + "/nginx.conf"))
        return try ChildProcess([
            program, "-p", folder, "-e", folder + "/error.log", "-c", folder + "/nginx.conf",
        ])
    }

    /// Waits until the port accepts connections; returns false when the server exits or 10 seconds pass.
    private static func waitUntilOpen(_ port: UInt16, _ process: ChildProcess) -> Bool {
        for _ in 0..<1_000 {
            guard process.isRunning else { return false }
            if let socket = try? LoopbackSocket(), socket.connect(port) { return true }
            usleep(10_000)
        }
        process.end()
        return false
    }

    private static func freePort() throws -> UInt16 {
        guard let port = try LoopbackSocket().anyPort() else { throw Failure(.ioError, "io: \(systemMessage())") }
        return port
    }
}

/// Child process started with `posix_spawn`. Foundation's `Process` runs a run loop in this process to wait for the
/// child, which would distort the measurement.
private final class ChildProcess {
    private var number: pid_t = 0
    private var hasEnded = false

    /// - Parameter arguments: The program's path, then its arguments.
    init(_ arguments: [String]) throws {
        let words = arguments.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        let code = posix_spawn(&number, arguments[0], nil, nil, words, environ)
        guard code == 0 else { throw Failure(.ioError, "io: \(arguments[0]): \(String(cString: strerror(code)))") }
    }

    var isRunning: Bool {
        if !hasEnded { hasEnded = waitpid(number, nil, WNOHANG) != 0 }
        return !hasEnded
    }

    /// Kills the process if it is running, and waits for its end.
    func end() {
        guard isRunning else { return }
        kill(number, SIGKILL)
        waitpid(number, nil, 0)
        hasEnded = true
    }
}

/// TCP socket for probing and choosing ports on 127.0.0.1.
private struct LoopbackSocket: ~Copyable {
    private let descriptor: Int32

    init() throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Failure(.ioError, "io: \(systemMessage())") }
    }

    deinit { close(descriptor) }

    private func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// True when a server accepts the connection.
    func connect(_ port: UInt16) -> Bool {
        withUnsafePointer(to: address(port)) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connectSocket(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// A port that is currently free; `nil` on an error.
    func anyPort() -> UInt16? {
        var address = address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                guard bind(descriptor, raw, size) == 0, getsockname(descriptor, raw, &size) == 0 else { return nil }
                return UInt16(bigEndian: pointer.pointee.sin_port)
            }
        }
    }
}

/// The system's `connect`, which the method `connect(_:)` shadows.
private func connectSocket(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    connect(descriptor, address, size)
}
