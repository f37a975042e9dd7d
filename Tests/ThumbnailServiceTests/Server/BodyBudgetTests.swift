import Dispatch
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Bytes of request bodies are reserved before they are read, and released when the request ends.
@Suite(.timeLimit(.minutes(30))) struct BodyBudgetTests {
    private static let target = "/post/unsafe/20x10/body"
    private static let image: [UInt8] = (try? Bitmap.landscape(40, 30).png()) ?? []

    private static func head(_ fields: String, _ target: String = target) -> String {
        "POST \(target) HTTP/1.1\r\nHost: a.example\r\n\(fields)\r\n\r\n"
    }

    // MARK: - Budget

    @Test(
        .requirement("X6"),
        arguments: [(1_000, 100, 500), (1_000, 700, 700), (1_000, 5_000, 1_000)])
    func byteLimitOfAllRequestBodiesIsMaxBodyBytesButAtLeastHalfAndAtMostAllOfTheBudget(
        _ budget: Int, _ body: Int, _ most: Int
    ) throws {
        let budget = DecodeBudget(maxBytes: budget)
        let bodies = BodyBudget(budget, maxBodyBytes: body)
        #expect(bodies.maxBytes == most)
        let first = bodies.reservation()
        try first.acquire(most)
        #expect(budget.grantedBytes == most)

        #expect(throws: ServiceError.self) { try bodies.reservation().acquire(1) }
        let tooLarge = #expect(throws: ServiceError.self) { try bodies.reservation().acquire(most + 1) }

        #expect(tooLarge?.reason == .limit)
        first.release()
        first.release()
        #expect(bodies.reservedBytes == 0)
        #expect(budget.grantedBytes == 0)
    }

    @Test(.requirement("X6")) func deinitializedBodyReservationReleasesItsBytes() throws {
        let budget = DecodeBudget(maxBytes: 1_000)
        let bodies = BodyBudget(budget, maxBodyBytes: 100)
        do {
            let reservation = bodies.reservation()
            try reservation.acquire(300)
            try reservation.acquire(100)
            #expect(bodies.reservedBytes == 400)
        }
        #expect(bodies.reservedBytes == 0)
        #expect(budget.grantedBytes == 0)
    }

    @Test(.requirement("X6")) func reservationThatGrowsOverTheCompleteBudgetExceedsTheLimit() throws {
        let bodies = BodyBudget(DecodeBudget(maxBytes: 1_000), maxBodyBytes: 100)
        let reservation = bodies.reservation()
        try reservation.acquire(300)
        try reservation.acquire(200)

        let error = #expect(throws: ServiceError.self) { try reservation.acquire(1) }

        #expect(error?.reason == .limit)
        #expect(bodies.reservedBytes == 500)
    }

    @Test(.requirement("X6")) func bytesReservedByRendersAreUnavailableToRequestBodies() async throws {
        let queue = DecodeQueue(width: 1, budget: DecodeBudget(maxBytes: 1_000))
        let bodies = BodyBudget(queue.budget, maxBodyBytes: 100)
        let gate = DispatchSemaphore(value: 0)
        let render = Task { try await queue.run(byteCount: 900) { _ in gate.wait() } }
        await yieldUntil { queue.budget.grantedBytes == 900 }
        defer { gate.signal() }

        let error = #expect(throws: ServiceError.self) { try bodies.reservation().acquire(101) }

        #expect(error?.status == 503)
        #expect(error?.retryAfter == 1)
        try bodies.reservation().acquire(100)
        gate.signal()
        try await render.value
    }

    // MARK: - Service

    /// Waits until no bytes are reserved.
    private static func expectRelease(_ service: RunningService, _ comment: String) async {
        let engine = service.engine
        // Between two waiting renders, no bytes are reserved either.
        await yieldUntil {
            engine.admission.waitingCount == 0 && engine.bodies.reservedBytes == 0
                && engine.queue.budget.grantedBytes == 0
        }
        #expect(engine.bodies.reservedBytes == 0, "\(comment)")
        #expect(engine.queue.budget.grantedBytes == 0, "\(comment)")
    }

    @Test(.requirement("X6")) func contentLengthOverTheBodyBudgetIsRejectedWith503BeforeReading() async throws {
        try await withService {
            $0.limits.inFlightBytes = 2 << 20
            $0.limits.sourceBytes = 512 << 10
        } _: { service in
            var held: [RawClient] = []
            for _ in 0..<2 {
                let client = try await RawClient(port: service.port)
                try await client.send(Self.head("Content-Length: \(512 << 10)"))
                held.append(client)
            }
            await yieldUntil { service.engine.bodies.reservedBytes == 1 << 20 }

            let next = try await RawClient(port: service.port)
            try await next.send(Self.head("Content-Length: 1000"))
            let answer = try await next.waitForResponse()

            #expect(answer.hasPrefix("HTTP/1.1 503 "))
            #expect(answer.lowercased().contains("retry-after: 1"))
            #expect(service.engine.queue.budget.grantedBytes == 1 << 20)
            for client in held + [next] { client.close() }
            await Self.expectRelease(service, "after clients that left")
            #expect(try await service.send(Self.target, method: "POST", body: Self.image).status == 200)
        }
    }

    @Test(.requirement("X6")) func chunkedBodyOverTheBodyBudgetIsRejectedWith503() async throws {
        try await withService {
            $0.limits.inFlightBytes = 1 << 20
            $0.limits.sourceBytes = 512 << 10
        } _: { service in
            let first = try await RawClient(port: service.port)
            try await first.send(Self.head("Transfer-Encoding: chunked"))
            try await first.send("64000\r\n")
            try await first.send([UInt8](repeating: 1, count: 0x64000))
            await yieldUntil { service.engine.bodies.reservedBytes >= 0x64000 }
            let second = try await RawClient(port: service.port)
            try await second.send(Self.head("Transfer-Encoding: chunked"))
            try await second.send("64000\r\n")
            try await second.send([UInt8](repeating: 1, count: 0x64000))

            let answer = try await second.waitForResponse()

            #expect(answer.hasPrefix("HTTP/1.1 503 "))
            #expect(service.engine.bodies.reservedBytes <= 512 << 10)
            first.close()
            second.close()
            await Self.expectRelease(service, "after chunks")
        }
    }

    /// The budget is 1 MiB, and bodies of the maximum size exceed it. The bodies are not images: status 415 means that
    /// the complete body was read.
    @Test(.requirement("X6"), arguments: [(1 << 20, 415), (1 << 20 + 1, 422), (2 << 20, 422)], [false, true])
    func bodyOverTheCompleteBudgetIsRejectedWith422WithAndWithoutContentLength(
        _ row: (byteCount: Int, status: Int), _ isChunked: Bool
    ) async throws {
        try await withService {
            $0.limits.inFlightBytes = 1 << 20
            $0.limits.sourceBytes = 4 << 20
        } _: { service in
            let client = try await RawClient(port: service.port)
            let body = [UInt8](repeating: 1, count: row.byteCount)
            if isChunked {
                try await client.send(Self.head("Transfer-Encoding: chunked"))
                try await client.send("\(String(body.count, radix: 16))\r\n")
                // The service may close the connection before it has read everything.
                try? await client.send(body + Array("\r\n0\r\n\r\n".utf8))
            } else {
                try await client.send(Self.head("Content-Length: \(body.count)"))
                try? await client.send(body)
            }
            let answer = try await client.waitForResponse()

            #expect(answer.hasPrefix("HTTP/1.1 \(row.status) "), "\(row.byteCount) bytes: \(answer.prefix(16))")
            client.close()
            await Self.expectRelease(service, "\(row.byteCount) bytes")
        }
    }

    /// Complete requests and the status of the response to each.
    private static let ends: [(name: String, body: [UInt8], target: String, status: Int)] = [
        ("a result", image, target, 200), ("not an image", [1, 2, 3], target, 415), ("an empty body", [], target, 415),
        ("a source over the limit", [UInt8](repeating: 0, count: 70_000), target, 413),
        ("a result over the limit", image, "/post/unsafe/9000x9000/body", 422),
        ("JSON metadata", image, "/post/unsafe/meta/20x10/body", 200),
        ("a missing page", image, "/post/unsafe/20x10/filters:page(3)/body", 200),
        ("an invalid target", image, "/post/unsafe/20x10/filters:blur(x)/body", 400),
    ]

    @Test(.requirement("X6"), arguments: ends.indices, [false, true])
    func completedRequestReleasesItsBodyBytes(_ row: Int, _ isChunked: Bool) async throws {
        let (name, body, target, status) = Self.ends[row]
        try await withService {
            $0.limits.sourceBytes = 65_536
        } _: { service in
            let client = try await RawClient(port: service.port)
            if isChunked {
                try await client.send(Self.head("Transfer-Encoding: chunked", target))
                if !body.isEmpty {
                    try await client.send(Array("\(String(body.count, radix: 16))\r\n".utf8) + body + [13, 10])
                }
                try await client.send("0\r\n\r\n")
            } else {
                try await client.send(Array(Self.head("Content-Length: \(body.count)", target).utf8) + body)
            }
            let answer = try await client.waitForResponse()
            let found = Int(answer.dropFirst(9).prefix(3))

            #expect(found == status, "\(name)")
            await Self.expectRelease(service, name)
            client.close()
        }
    }

    @Test(
        .requirement("X6"),
        arguments: ["leaves", "half", "framing"])
    func disconnectOrFramingErrorDuringTheBodyReleasesTheBodyBytes(_ kind: String) async throws {
        try await withService { service in
            let client = try await RawClient(port: service.port)
            if kind == "framing" {
                try await client.send(Self.head("Transfer-Encoding: chunked"))
                try await client.send("4\r\nabcd\r\n")
                await yieldUntil { service.engine.bodies.reservedBytes > 0 }
                try await client.send("no length\r\n")
            } else {
                try await client.send(Self.head("Content-Length: 1000") + "abcd")
                await yieldUntil { service.engine.bodies.reservedBytes == 1_000 }
                try await client.disconnect(isHalf: kind == "half")
            }

            await Self.expectRelease(service, kind)
            client.close()
        }
    }

    @Test(.requirement("X6")) func timeoutOfASlowBodyReleasesTheBodyBytes() async throws {
        try await withService {
            $0.server.requestTimeout = .milliseconds(200)
        } _: { service in
            let client = try await RawClient(port: service.port)
            try await client.send(Self.head("Content-Length: 1000") + "abcd")

            try await client.waitForEnd()

            await Self.expectRelease(service, "a slow body")
        }
    }

    @Test(
        .requirement("X6"),
        arguments: [true, false])
    func disconnectOrDeadlineWhileQueuedReleasesTheBodyBytes(leaves: Bool) async throws {
        try await withService {
            $0.limits.threads = 1
            if !leaves { $0.server.deadline = .milliseconds(200) }
        } _: { service in
            let (gate, end) = await block(service.engine.queue)
            defer { gate.signal() }
            let client = try await RawClient(port: service.port)
            try await client.send(Array(Self.head("Content-Length: \(Self.image.count)").utf8) + Self.image)
            if leaves {
                await yieldUntil { service.engine.admission.waitingCount == 1 }
                client.close()
            } else {
                #expect(try await client.waitForResponse().hasPrefix("HTTP/1.1 504 "))
            }

            await yieldUntil { service.engine.admission.waitingCount == 0 }
            await Self.expectRelease(service, leaves ? "a client that left" : "a deadline")
            gate.signal()
            await end.value
            client.close()
        }
    }

    @Test(.requirement("X6")) func requestRejectedByAFullQueueReleasesItsBodyBytes() async throws {
        try await withService {
            $0.limits.threads = 1
            $0.limits.queue = 1
        } _: { service in
            let (gate, end) = await block(service.engine.queue)
            defer { gate.signal() }
            let waiting = try await RawClient(port: service.port)
            let message = Array(Self.head("Content-Length: \(Self.image.count)").utf8) + Self.image
            try await waiting.send(message)
            await yieldUntil { service.engine.admission.waitingCount == 1 }
            let second = try await RawClient(port: service.port)
            try await second.send(message)
            await yieldUntil { service.engine.admission.waitingCount == 2 }

            let third = try await RawClient(port: service.port)
            try await third.send(message)
            #expect(try await third.waitForResponse().hasPrefix("HTTP/1.1 503 "))

            #expect(service.engine.bodies.reservedBytes == 0)
            for client in [waiting, second, third] { client.close() }
            gate.signal()
            await end.value
            await Self.expectRelease(service, "a full queue")
        }
    }
}
