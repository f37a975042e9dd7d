// libFuzzer targets for the HTTP server; Fuzz/run compiles this file into the module of the server. The variable
// HTTP_TARGET selects one:
// - `head`: request heads, in one part and byte by byte.
// - `body`: chunked bodies, in one part and byte by byte.
// - `connection`: a connection with a loop, in one part and in parts whose sizes are the first bytes of the input.
// With HTTP_SEEDS=FOLDER the program writes the seeds instead.

import CPlatformImageUV
import Foundation

/// The result of a parser, which must not depend on the parts.
private enum Outcome<Value: Equatable>: Equatable {
    case accepted(Value)
    case incomplete
    case rejected(RequestRejection)
}

private struct Body: Equatable {
    var data: [UInt8] = []
    var length = 0
}

private func parseHead(_ bytes: [UInt8], step: Int) -> Outcome<RequestHead> {
    var parser = RequestParser()
    var count = 0
    while count < bytes.count {
        count = min(count + step, bytes.count)
        do throws(RequestRejection) {
            let part = bytes.span.extracting(0..<count)
            if let length = try parser.parse(part, MessageLimits()) {
                return .accepted(parser.take(part.extracting(0..<length)))
            }
        } catch {
            return .rejected(error)
        }
    }
    return .incomplete
}

private func decodeBody(_ bytes: [UInt8], step: Int) -> Outcome<Body> {
    var decoder = BodyDecoder(.chunked)
    var body = Body()
    var start = 0
    while start < bytes.count {
        let end = min(start + step, bytes.count)
        let part = bytes.span.extracting(start..<end)
        var offset = 0
        var needsMore = false
        while !needsMore {
            do throws(RequestRejection) {
                switch try decoder.next(part, from: offset) {
                case .data(let range):
                    for index in range { body.data.append(part[index]) }
                    offset = range.upperBound
                case .end(let position):
                    body.length = start + position
                    return .accepted(body)
                case .needsMore: needsMore = true
                }
            } catch {
                return .rejected(error)
            }
        }
        start = end
    }
    return .incomplete
}

private struct FuzzedHandler: RequestHandler {
    func answer(to request: Request) -> Answer {
        let head = request.head
        // Everything that a service reads from a head.
        let facts = "\(head.target) \(head.authority ?? "") \(head[FieldName("Accept")] ?? "") \(head.allFields)"
        guard head.method == .post else { return .response(Response(status: 200, text: facts)) }
        return .task { exchange in
            var bytes = Array(facts.utf8)
            do {
                while let part = try await exchange.body.next() { bytes += part }
            } catch {
                return Response(status: 500, text: "\(error)")
            }
            return Response(status: 200, body: .bytes(bytes))
        }
    }
}

/// A loop without a thread; its connections are socket pairs.
private final class FuzzedLoop {
    let census = ConnectionCensus(ConnectionLimits(), [LoopLoad(Mailbox(LoopWaker()))])
    let worker: Worker
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init() {
        let settings = ConnectionSettings(message: MessageLimits(), time: TimeLimits(), serverName: nil)
        do {
            worker = try Worker(
                index: 0, census: census, listeners: [], handler: FuzzedHandler(), settings: settings)
        } catch {
            fatalError("no loop: \(error)")
        }
    }

    /// Sends parts on a new connection.
    ///
    /// - Returns: The final responses without the Date fields, and whether the server has ended the connection.
    func run(_ parts: [ArraySlice<UInt8>]) -> [UInt8] {
        var pair: [Int32] = [-1, -1]
        guard piuv_socket_pair(&pair) == 0, census.reserve() else { fatalError("no sockets") }
        worker.adopt(Socket(pair[0]), PeerAddress(piuv_address()), nil)
        let client = Socket(pair[1])
        var output: [UInt8] = []
        var hasEnded = false
        func settle() {
            var quietTurns = 0
            while quietTurns < 2 {
                worker.loop.turn()
                quietTurns += 1
                if worker.hasMessages || !worker.loop.executor.isEmpty { quietTurns = 0 }
                while !hasEnded, case .count(let count) = client.receive(into: &buffer) {
                    if count == 0 { hasEnded = true }
                    output += buffer[..<count]
                    quietTurns = 0
                }
            }
        }
        for part in parts {
            _ = client.send(Array(part), from: 0, [], from: 0)
            settle()
        }
        client.shutDownOutput()
        settle()
        guard census.count == 0 else { fatalError("a connection is open after its client has closed it") }
        let text = String(decoding: output, as: UTF8.self).replacing("HTTP/1.1 100 Continue\r\n\r\n", with: "")
        return Array(text.replacing(/Date: .*? GMT\r\n/, with: "").utf8) + [hasEnded ? 1 : 0]
    }
}

private let target = ProcessInfo.processInfo.environment["HTTP_TARGET"]
nonisolated(unsafe) private let loop = FuzzedLoop()

private func split(_ bytes: [UInt8], _ sizes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var parts: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    for size in sizes {
        parts.append(rest.prefix(Int(size) + 1))
        rest = rest.dropFirst(Int(size) + 1)
    }
    parts.append(rest)
    return parts.filter { !$0.isEmpty }
}

private func require(_ condition: Bool, _ message: String) {
    if !condition { fatalError(message) }
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: data, count: size))
    switch target {
    case "head": require(parseHead(bytes, step: .max >> 1) == parseHead(bytes, step: 1), "heads differ")
    case "body": require(decodeBody(bytes, step: .max >> 1) == decodeBody(bytes, step: 1), "bodies differ")
    default:
        guard bytes.count > 5, bytes.count < 8_000 else { return 0 }
        let message = Array(bytes.dropFirst(5))
        require(loop.run([message[...]]) == loop.run(split(message, bytes.prefix(5))), "connections differ")
    }
    return 0
}

private func writeSeeds(to folder: String) throws {
    let heads = [
        "GET /a?b HTTP/1.1\r\nHost: a.example:80\r\nAccept: */*\r\n\r\n",
        "GET http://[::1]:8?q HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n",
        "OPTIONS * HTTP/1.2\r\nHost: [2001:db8::1.2.3.4]\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n",
        "\r\nPOST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
    ]
    let bodies = ["5\r\nhello\r\n0\r\n\r\n", "1 ;a=\"b\"\r\nx\r\n00\r\nX-A: 1\r\n\r\n", "0\r\n\r\n"]
    let seeds: [String]
    switch target {
    case "head": seeds = heads
    case "body": seeds = bodies
    default:
        seeds =
            heads.map { "\u{1}\u{2}\u{3}\u{4}\u{5}" + $0 + heads[0] }
            + bodies.map { "\u{10}\u{20}\u{1}\u{2}\u{3}" + heads[3] + $0 + heads[0] }
    }
    for (index, seed) in seeds.enumerated() {
        try Data(seed.utf8).write(to: URL(filePath: folder).appending(path: "seed-\(index)"))
    }
}

@_cdecl("LLVMFuzzerInitialize")
func initialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> CInt {
    guard let folder = ProcessInfo.processInfo.environment["HTTP_SEEDS"] else { return 0 }
    do { try writeSeeds(to: folder) } catch { fatalError("cannot write the seeds: \(error)") }
    exit(0)
}
