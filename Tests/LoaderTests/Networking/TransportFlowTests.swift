import PlatformImageLoopbackOrigin
import Testing

@testable import PlatformImageLoader

@Suite(.timeLimit(.minutes(30))) struct TransportFlowTests {
    private let transport = CurlTransport(proxy: .none)

    private func send(_ url: String) async throws -> HTTPResponse {
        try await transport.send(HTTPRequest(url: url), trust: TrustSettings(), timeouts: TransportFixture.patient)
    }

    @Test func stoppedReaderAppliesBackpressureToTheSender() async throws {
        let size = 64 << 20
        let origin = try await LoopbackOrigin { _ in .ok([UInt8](repeating: 7, count: size)) }
        let other = try await LoopbackOrigin { _ in .ok([UInt8](repeating: 7, count: size)) }

        let response = try await send(origin.url())
        var iterator = response.body.makeAsyncIterator()
        var count = try await iterator.next()?.count ?? 0
        // The test now reads a body of equal length from the other origin. During that time the first origin could send
        // its complete body if the transport applied no backpressure.
        let elsewhere = try await TransportFixture.get(other.url(), with: transport).body.count
        let written = origin.bodyBytesWritten

        #expect(elsewhere == size)
        #expect(written < size / 2, "the origin has sent \(written) bytes; the client has read \(count) bytes")
        while let chunk = try await iterator.next() { count += chunk.count }
        #expect(count == size)
    }

    @Test func bodyOfAnyLengthIsDeliveredWholeWhetherTheReaderWaitsOrNot() async throws {
        let chunk = CurlExchange.maxUnreadBytes
        let lengths = [1, 70_000, chunk - 1, chunk, chunk + 1, 2 * chunk + 7]
        let bytes = TransportFixture.bytes(2 * chunk + 7)
        for framing in [OriginResponse.Framing.length, .chunked, .untilClose] {
            let origin = try await LoopbackOrigin { request in
                var response = OriginResponse(body: Array(bytes.prefix(Int(request.target.dropFirst()) ?? 0)))
                response.framing = framing
                return .response(response)
            }
            for length in lengths {
                for waits in [true, false] {
                    let response = try await send(origin.url("/\(length)"))
                    // Meanwhile, the end of the body can arrive without a reader.
                    if !waits { _ = try await TransportFixture.get(origin.url("/1"), with: transport) }
                    var body: [UInt8] = []
                    for try await part in response.body {
                        #expect(!part.isEmpty && part.count < 2 * chunk)
                        body += part
                    }
                    let isWhole = body == Array(bytes.prefix(length))
                    #expect(isWhole, "\(body.count) of \(length) bytes, \(framing), waits: \(waits)")
                }
            }
        }
    }

    @Test func bytesBeforeAFailureAreDeliveredBeforeItsError() async throws {
        let chunk = CurlExchange.maxUnreadBytes
        let bytes = TransportFixture.bytes(3 * chunk)
        for cut in [1, 70_000, chunk - 1, chunk + 1, 2 * chunk + 7] {
            let origin = try await LoopbackOrigin { _ in
                var response = OriginResponse(body: bytes)
                response.failure = (cut, .close)
                return .response(response)
            }
            for _ in 0..<3 {
                let response = try await send(origin.url())
                var body: [UInt8] = []
                await #expect(throws: LoadError.self, "\(cut) bytes") {
                    for try await part in response.body { body += part }
                }
                let isPrefix = body == Array(bytes.prefix(min(body.count, cut)))
                #expect(isPrefix, "\(body.count) of \(cut) bytes")
                // While the transport does not read, because a whole chunk waits, the system can discard the bytes that
                // wait in the socket when the connection fails.
                #expect(cut >= chunk || body.count == cut, "\(body.count) of \(cut) bytes")
            }
        }
    }

    @Test func cancellingBeforeTheResponseHeadClosesTheConnection() async throws {
        let origin = try await LoopbackOrigin { _ in .silence }
        let task = Task { try await send(origin.url()) }
        await origin.waitForRequests(1)

        task.cancel()

        await #expect(throws: LoadError.cancelled()) { _ = try await task.value }
        await origin.waitForClosedConnections(1)
    }

    @Test func cancellingDuringTheBodyClosesTheConnection() async throws {
        let origin = try await LoopbackOrigin { _ in
            var response = OriginResponse(body: TransportFixture.bytes(1000))
            response.failure = (500, .silence)
            return .response(response)
        }
        let begun = OriginGate()
        let task = Task {
            for try await _ in try await send(origin.url()).body { begun.open() }
        }
        await begun.waitUntilOpen()

        task.cancel()

        await #expect(throws: LoadError.cancelled()) { try await task.value }
        await origin.waitForClosedConnections(1)
    }

    @Test func cancelledTaskSendsNoRequest() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([1]) }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await send(origin.url())
        }

        await #expect(throws: LoadError.cancelled()) { _ = try await task.value }
        #expect(origin.requests.isEmpty)
    }

    @Test func requestCancelledAtAnyTimeReturnsItsBodyOrFailsWithCancelled() async throws {
        let origin = try await LoopbackOrigin { _ in .ok(TransportFixture.bytes(200_000)) }
        for round in 0..<300 {
            let task = Task {
                var count = 0
                for try await chunk in try await send(origin.url()).body { count += chunk.count }
                return count
            }
            for _ in 0..<(round % 100) { await Task.yield() }
            task.cancel()

            switch await task.result {
            case .success(let count): #expect(count == 200_000)
            case .failure(let error): #expect((error as? LoadError)?.code == .cancelled)
            }
        }
    }

    @Test func releasingAnUnreadBodyClosesTheConnection() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([UInt8](repeating: 7, count: 32 << 20)) }

        for number in 1...3 {
            _ = try await send(origin.url())
            await origin.waitForClosedConnections(number)
        }
    }

    @Test func bodyCanBeReadAfterTheTransportIsReleased() async throws {
        let origin = try await LoopbackOrigin { _ in .ok(TransportFixture.bytes(100)) }
        var transport: CurlTransport? = CurlTransport(proxy: .none)
        let response = try await transport?.send(
            HTTPRequest(url: origin.url()), trust: TrustSettings(), timeouts: TransportFixture.patient)

        transport = nil
        // The thread of the transport runs until the body is read.
        let body = try await response?.body.reduce(into: [UInt8]()) { $0 += $1 }

        #expect(body == TransportFixture.bytes(100))
    }

    @Test func releasingTheTransportClosesIdleConnections() async throws {
        let origin = try await LoopbackOrigin { _ in .ok([1]) }
        do {
            let transport = CurlTransport(proxy: .none)
            #expect(try await TransportFixture.get(origin.url(), with: transport).body == [1])
            #expect(origin.closedConnectionCount == 0)
        }
        await origin.waitForClosedConnections(1)
    }
}
