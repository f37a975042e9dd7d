#if os(Linux)
import Glibc

@testable import PlatformImage

/// A worker that sends messages of its own choice: this process writes them to the other end of its socket.
struct HostileWorker {
    /// A file whose signature selects a format; no codec reads it.
    static let file = Array("GIF89a".utf8) + [UInt8](repeating: 7, count: 200)

    static var header: ImageHeader {
        var header = ImageHeader(
            format: .gif, width: 100, height: 80, bitsPerChannel: 8, channelCount: 4, colorModel: .rgb, hasAlpha: true)
        header.frameCount = 2
        return header
    }

    /// Runs a call of a decoder whose worker sends `reports` and then closes its socket.
    ///
    /// - Parameter isSession: True for a call that opens an animation.
    /// - Returns: The code and the detail of the error, or `none`.
    static func error(
        after reports: [WorkerReport], options: DecodeOptions = DecodeOptions(), isSession: Bool = false,
        _ call: (ImageDecoder) throws -> Void
    ) throws -> String {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else { throw POSIXFailure(errno) }
        defer { for end in ends { close(end) } }
        let worker = try WorkerProcess(fuzzing: ends[0], number: 1)
        let socket = WorkerSocket(descriptor: ends[1])
        for report in reports { try socket.send(report.wireBytes, milliseconds: 1_000) }
        shutdown(ends[1], Int32(SHUT_WR))
        var configuration = DecodeWorkers.Configuration()
        configuration.workerCount = isSession ? 0 : 1
        // An animation has a worker of its own, which is started for it.
        let idle = isSession ? try WorkerProcess(fuzzing: -1, number: 2) : worker
        let workers = DecodeWorkers(first: idle, configuration) { () throws(DecodeError) in
            guard isSession else {
                throw DecodeError(.workerUnavailable, detail: "system", "the test has one worker")
            }
            return worker
        }
        var decoder = ImageDecoder(options: options)
        decoder.isolation = DecodeIsolation(workers)
        do {
            try call(decoder)
            return "none"
        } catch let error as DecodeError {
            return "\(error.code)\(error.detail.map { "(\($0))" } ?? "")"
        }
    }

    private struct POSIXFailure: Error {
        let number: Int32
        init(_ number: Int32) { self.number = number }
    }
}
#endif
