import Foundation
import PlatformImageBenchmarking
import PlatformImageLoader
import PlatformImageToolSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `imagetool-bench transport`: measures single properties of the loader's transport; Scripts/bench/transport runs it.
struct BenchTransportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transport",
        abstract: "Measures new TLS connections, or the memory of a body whose reader is slow.")

    @Argument(help: "URL that every request loads.") var url: String
    @Option(help: "File with an additional root certificate in PEM form.") var root: String?
    @Option(help: "Number of requests, one after the other.") var count = 200
    @Option(help: "Milliseconds that the reader waits after each chunk of a body.") var pause = 0
    @Flag(help: "Open a new connection for every request.") var fresh = false

    func run() async throws {
        warnIfDebugBuild()
        var trust = TrustSettings()
        if let root { trust.additionalTrustRoots = [try String(contentsOfFile: root, encoding: .utf8)] }
        let request = HTTPRequest(url: url, fields: fresh ? ["Connection": "close"] : [:])
        let transport = CurlTransport(proxy: .none, connectionsPerHost: 1)
        // The first request opens libcurl and resolves symbols.
        _ = try await load(request, transport, trust, pause: 0, isWarmUp: true)
        let (idle, cpu, wall) = (
            residentBytes(.current), nanoseconds(CLOCK_PROCESS_CPUTIME_ID), nanoseconds(CLOCK_MONOTONIC)
        )
        var bytes = 0
        for _ in 0..<count {
            bytes += try await load(request, transport, trust, pause: pause, isWarmUp: false)
        }
        let used = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu
        try Output().write(
            JSON.object([
                ("requests", .integer(count)), ("bytes", .integer(bytes)),
                ("cpuMicrosecondsPerRequest", .number(used / 1e3 / Double(count))),
                ("wallSeconds", .number((nanoseconds(CLOCK_MONOTONIC) - wall) / 1e9)),
                ("residentIdle", .integer(idle)), ("residentPeak", .integer(residentBytes(.peak))),
                ("processor", .string(Machine.processor ?? "unknown")),
            ]).text + "\n")
    }

    /// Returns the number of bytes of the body; a warm-up reads only the first chunk.
    private func load(
        _ request: HTTPRequest, _ transport: CurlTransport, _ trust: TrustSettings, pause: Int, isWarmUp: Bool
    ) async throws -> Int {
        let response = try await transport.send(request, trust: trust, timeouts: TransportTimeouts())
        guard response.head.status == 200 else {
            throw Failure(.ioError, "io: status \(response.head.status), expected 200")
        }
        var bytes = 0
        for try await chunk in response.body {
            bytes += chunk.count
            if isWarmUp { break }
            if pause > 0 { try await Task.sleep(for: .milliseconds(pause)) }
        }
        return bytes
    }
}
