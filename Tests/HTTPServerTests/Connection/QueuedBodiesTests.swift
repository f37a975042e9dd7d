import PlatformImageTestSupport
import Testing

@testable import PlatformImageHTTPServer

@Suite struct QueuedBodiesTests {
    @Test(.requirement("HS43")) func bodiesCountOnceUntilTheirLastClientHasThemAndShortOnesDoNot() {
        let bodies = QueuedBodies(maxBytes: 250_000)
        let shared = [UInt8](repeating: 1, count: 200_000)
        let other = [UInt8](repeating: 2, count: 100_000)
        #expect(bodies.add([UInt8](repeating: 3, count: QueuedBodies.minBytes - 1)) == nil)

        var entries = (0..<100).map { _ in bodies.add(shared) }
        #expect(bodies.byteCount == 200_000)
        #expect(!bodies.isOverMaximum)
        entries.append(bodies.add(other))
        #expect(bodies.byteCount == 300_000)
        #expect(bodies.isOverMaximum)

        entries.removeFirst(99)
        #expect(bodies.byteCount == 300_000)
        entries.removeFirst()
        #expect(bodies.byteCount == 100_000)
        entries = []
        #expect(bodies.byteCount == 0)
    }

    /// Additions and removals in random order give the sums of a list.
    @Test(.requirement("HS43")) func byteCountMatchesAListModel() {
        let bodies = QueuedBodies(maxBytes: 0)
        var arrays = (1...8).map { [UInt8](repeating: UInt8($0), count: 65_536 + 1_000 * $0) }
        var random = SplitMix(seed: 43)
        var entries: [(array: Int, count: Int, entry: QueuedBodies.Entry?)] = []
        for step in 0..<5_000 {
            if step % 100 == 99 {
                // A released array may give its address to the next one.
                let index = Int.random(in: arrays.indices, using: &random)
                entries.removeAll { $0.array == index }
                arrays[index] = [UInt8](repeating: 9, count: 65_536 + Int.random(in: 0...5_000, using: &random))
            } else if Bool.random(using: &random) || entries.isEmpty {
                let index = Int.random(in: arrays.indices, using: &random)
                entries.append((index, arrays[index].count, bodies.add(arrays[index])))
            } else {
                entries.remove(at: Int.random(in: entries.indices, using: &random))
            }
            let expected = Dictionary(entries.map { ($0.array, $0.count) }) { $1 }.values.reduce(0, +)
            #expect(bodies.byteCount == expected)
        }
    }

    /// Bodies of 8 MB that nothing else keeps, to clients that read nothing: those above the maximum are closed.
    @Test(.requirement("HS43")) func clientsThatReadNothingAreClosedWhileTooManyBytesAreQueued() throws {
        var limits = ConnectionLimits()
        limits.maxQueuedBytes = 20_000_000
        let handler = TestHandler { _ in
            .response(Response(status: 200, body: .bytes([UInt8](repeating: 7, count: 8_000_000))))
        }
        let loop = try TestLoop(handler, limits: limits) {
            $0.time.stalledResponse = .seconds(3_600)
            $0.time.stalledResponseOverMaximum = .milliseconds(20)
        }
        var clients: [TestClient] = []
        for _ in 0..<2 {
            let client = try loop.connect()
            client.send(get)
            loop.worker.loop.turn()
            clients.append(client)
        }
        #expect(loop.census.queuedBodies.byteCount == 16_000_000)
        #expect(loop.census.count == 2)

        for _ in 0..<8 {
            let client = try loop.connect()
            client.send(get)
            loop.worker.loop.turn()
            clients.append(client)
        }
        while loop.census.queuedBodies.isOverMaximum { loop.worker.loop.turn() }
        #expect(loop.census.count <= 2)

        let reader = try loop.connect()
        reader.send(get)
        loop.settle(reader)
        #expect(reader.replies.first?.body.count == 8_000_000)
    }
}
