import PlatformImageTestSupport
import Testing

@testable import PlatformImageHTTPServer

/// Bodies of requests: reading, backpressure, bodies that nobody reads.
@Suite(.timeLimit(.minutes(30))) struct RequestBodyTests {
    @Test(.requirement("HS19")) func serverStopsReadingABodyThatTheTaskDoesNotRead() throws {
        let gate = TestGate()
        let loop = try TestLoop(
            TestHandler { _ in
                .task { exchange in
                    await gate.wait()
                    var count = 0
                    while let bytes = try? await exchange.body.next() { count += bytes.count }
                    return Response(status: 200, text: "\(count)")
                }
            })
        let client = try loop.connect()
        let size = 10_000_000
        client.send(post("Content-Length: \(size)"))
        var sent = 0
        // Sends until the server and the buffers of the kernel take no more.
        let block = [UInt8](repeating: 1, count: 65_536)
        func fill() {
            while sent < size {
                loop.settle(client)
                let count = client.send(block.prefix(size - sent))
                if count == 0 { return }
                sent += count
            }
        }
        fill()
        let held = sent
        #expect(held < 2_000_000, "\(held) bytes were taken")

        gate.open()
        while sent < size { fill() }
        loop.settle(client)

        #expect(client.replies.first?.text == "\(size)\n")
        client.send(get)
        loop.settle(client)
        #expect(client.statuses.count == 2 || !client.hasEnded)
    }

    @Test(.requirement("HS18"))
    func bodyWithoutAReaderIsDiscardedOrTheConnectionIsClosed() throws {
        for (size, isOpen) in [(1, true), (65_536, true), (65_537, false), (1_000_000, false)] {
            for isChunked in [false, true] {
                let loop = try TestLoop(TestHandler.fixed())
                let client = try loop.connect()
                client.send(post(isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(size)"))
                let body = [UInt8](repeating: 0x61, count: size)
                let bytes =
                    isChunked ? Array("\(String(size, radix: 16))\r\n".utf8) + body + Array("\r\n0\r\n\r\n".utf8) : body
                var rest = bytes[...]
                while !rest.isEmpty, !client.hasEnded {
                    rest = rest.dropFirst(client.send(rest))
                    loop.settle(client)
                }
                client.send(get)
                loop.settle(client)

                #expect(client.statuses == (isOpen ? [200, 200] : [200]), "\(size) bytes, chunked: \(isChunked)")
                #expect(client.hasEnded == !isOpen, "\(size) bytes, chunked: \(isChunked)")
            }
        }
    }

    @Test(.requirement("HS18")) func errorIsSentBeforeTheBodyWasReceived() throws {
        for usesTask in [false, true] {
            let response = Response(status: 413, text: "too large")
            let loop = try TestLoop(TestHandler { _ in usesTask ? .task { _ in response } : .response(response) })
            let client = try loop.connect()
            client.send(post("Content-Length: 1000", "abc"))
            loop.settle(client)

            #expect(client.statuses == [413])
            #expect(client.replies.first?["Connection"] == "close")
            #expect(client.hasEnded)
        }
    }

    @Test(.requirement("HS15")) func expectingClientGets100OnlyWhenATaskReadsTheBody() throws {
        let loop = try TestLoop(TestHandler.echo)
        let reader = try loop.connect()
        reader.send(post("Content-Length: 5\r\nExpect: 100-continue"))
        loop.settle(reader)
        #expect(reader.text == "HTTP/1.1 100 Continue\r\n\r\n")
        reader.send("hello" + get)
        loop.settle(reader)
        #expect(reader.statuses == [100, 200, 200])
        #expect(reader.replies[1].text == "POST /p hello")

        let other = try loop.connect()
        other.send("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        loop.settle(other)
        #expect(other.statuses == [200])
        #expect(other.replies.first?["Connection"] == "close")
        #expect(other.hasEnded)
    }

    @Test(.requirement("HS15")) func expectationOfHTTP10IsIgnored() throws {
        let loop = try TestLoop(TestHandler.echo)
        let client = try loop.connect()
        client.send("POST / HTTP/1.0\r\nContent-Length: 2\r\nExpect: magic\r\n\r\nhi")
        loop.settle(client)

        #expect(client.statuses == [200])
        #expect(client.hasEnded)
    }

    @Test(.requirement("HS20")) func malformedBodyFailsTheReaderAndGets400() throws {
        let failure = Locked<RequestBody.Failure?>(nil)
        let loop = try TestLoop(
            TestHandler { _ in
                .task { exchange in
                    do throws(RequestBody.Failure) {
                        while try await exchange.body.next() != nil {}
                    } catch {
                        failure.update { $0 = error }
                    }
                    return Response(status: 200, text: "never sent")
                }
            })
        let client = try loop.connect()
        client.send(post("Transfer-Encoding: chunked", "3\r\nabc\r\n"))
        loop.settle(client)
        #expect(client.statuses == [])
        client.send("x\r\n" + get)
        loop.settle(client)

        #expect(client.statuses == [400])
        #expect(client.hasEnded)
        #expect(failure.value == .malformed)
    }

    @Test(.requirement("HS32")) func bodyThatEndsEarlyFailsTheReaderAndClosesTheConnection() throws {
        for isHalf in [false, true] {
            let failure = Locked<RequestBody.Failure?>(nil)
            let loop = try TestLoop(
                TestHandler { _ in
                    .task { exchange in
                        do throws(RequestBody.Failure) {
                            while try await exchange.body.next() != nil {}
                        } catch {
                            failure.update { $0 = error }
                        }
                        return Response(status: 200, text: "never sent")
                    }
                })
            let client = try loop.connect()
            client.send(post("Content-Length: 10", "abc"))
            loop.settle(client)
            if isHalf { client.closeHalf() } else { client.close() }
            loop.settle(client)

            #expect(failure.value == .disconnected || failure.value == .cancelled)
            #expect(loop.census.count == 0)
        }
    }
}
