import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// `DecodeBudget` without threads and decodes.
@Suite struct DecodeBudgetTests {
    @Test func memoryRequestsWithinTheBudgetAreGrantedAndThePeakIsRecorded() {
        let budget = DecodeBudget(maxBytes: 100)

        #expect(budget.acquire(60, priority: .normal) {} == .granted)
        #expect(budget.acquire(40, priority: .low) {} == .granted)
        budget.release(60)
        budget.release(40)

        #expect(budget.grantedBytes == 0)
        #expect(budget.peakGrantedBytes == 100)
    }

    @Test func memoryRequestOverMaxBytesIsRefusedAndARequestForMaxBytesIsGranted() {
        let budget = DecodeBudget(maxBytes: 100)

        #expect(budget.acquire(101, priority: .high) {} == .refused)
        #expect(budget.acquire(.max, priority: .high) {} == .refused)
        #expect(budget.acquire(100, priority: .low) {} == .granted)
    }

    @Test func smallMemoryRequestWaitsBehindALargeRequestOfTheSamePriorityWhenMaxPassesIs0() {
        let budget = DecodeBudget(maxBytes: 100)
        let served = Locked<[String]>([])
        _ = budget.acquire(50, priority: .normal) {}
        _ = budget.acquire(80, priority: .normal) { served.update { $0.append("large") } }
        _ = budget.acquire(1, priority: .normal) { served.update { $0.append("small") } }
        #expect(served.value.isEmpty)

        budget.release(50)

        #expect(served.value == ["large", "small"])
        #expect(budget.grantedBytes == 81)
    }

    @Test func smallMemoryRequestsOvertakeALargeRequestOfTheSamePriorityAtMostMaxPassesTimes() {
        let budget = DecodeBudget(maxBytes: 100, maxPasses: 8)
        let isServed = Locked(false)
        _ = budget.acquire(50, priority: .normal) {}
        _ = budget.acquire(80, priority: .normal) { isServed.update { $0 = true } }

        var passes = 0
        while budget.acquire(10, priority: .normal, whenGranted: {}) == .granted, passes < 1000 {
            passes += 1
            budget.release(10)
        }
        #expect(passes == 8)
        #expect(!isServed.value)
        budget.release(50)

        #expect(isServed.value)
        #expect(budget.grantedBytes == 80 + 10)
    }

    /// After `maxPasses` later requests of the same priority have overtaken a waiting request, all later requests of
    /// this priority wait until the overtaken request is granted.
    @Test func memoryRequestOvertakenMaxPassesTimesBlocksLaterRequestsOfItsPriority() {
        let budget = DecodeBudget(maxBytes: 100, maxPasses: 1)
        let served = Locked<[String]>([])
        _ = budget.acquire(60, priority: .normal) {}
        _ = budget.acquire(90, priority: .normal) { served.update { $0.append("first") } }
        _ = budget.acquire(70, priority: .normal) { served.update { $0.append("second") } }
        #expect(budget.acquire(20, priority: .normal) {} == .granted)
        #expect(budget.acquire(20, priority: .normal) { served.update { $0.append("last") } } != .granted)

        budget.release(20)
        #expect(served.value.isEmpty)
        budget.release(60)

        #expect(served.value == ["first"])
    }

    @Test func waitingMemoryRequestsAreGrantedInOrderOfPriority() {
        let budget = DecodeBudget(maxBytes: 100)
        let served = Locked<[String]>([])
        _ = budget.acquire(100, priority: .normal) {}
        for (name, priority) in [("low", DecodeQueue.Priority.low), ("normal", .normal), ("high", .high)] {
            _ = budget.acquire(60, priority: priority) { served.update { $0.append(name) } }
        }

        budget.release(100)
        #expect(served.value == ["high"])
        budget.release(60)
        #expect(served.value == ["high", "normal"])
        budget.release(60)

        #expect(served.value == ["high", "normal", "low"])
    }

    /// While small requests of high priority keep the budget in use, a large request of the lowest priority is granted
    /// after exactly `maxOvertakes` small requests.
    @Test func lowPriorityMemoryRequestIsOvertakenAtMostMaxOvertakesTimes() {
        let budget = DecodeBudget(maxBytes: 100)
        let isServed = Locked(false)
        _ = budget.acquire(50, priority: .high) {}
        _ = budget.acquire(100, priority: .low) { isServed.update { $0 = true } }

        var overtakes = 0
        while budget.acquire(50, priority: .high, whenGranted: {}) == .granted, overtakes < 1000 {
            overtakes += 1
            budget.release(50)  // the first request has not released its 50 bytes
        }
        #expect(overtakes == DecodeBudget.maxOvertakes)
        #expect(!isServed.value)
        budget.release(50)

        #expect(isServed.value)
    }

    /// After `maxOvertakes` requests of high priority overtook a small request of low priority, the budget grants the
    /// small request next, before a large waiting request of normal priority.
    @Test func memoryRequestOvertakenMaxOvertakesTimesIsGrantedBeforeRequestsOfHigherPriority() {
        let budget = DecodeBudget(maxBytes: 100)
        let served = Locked<[String]>([])
        for byteCount in [10, 50] { _ = budget.acquire(byteCount, priority: .high) {} }
        _ = budget.acquire(60, priority: .low) { served.update { $0.append("small") } }
        for _ in 1..<DecodeBudget.maxOvertakes {
            #expect(budget.acquire(40, priority: .high) {} == .granted)
            budget.release(40)
        }
        _ = budget.acquire(100, priority: .normal) { served.update { $0.append("large") } }
        budget.release(50)
        #expect(served.value.isEmpty)

        #expect(budget.acquire(1, priority: .high) {} == .granted)
        let next = budget.acquire(1, priority: .high) { served.update { $0.append("next") } }
        budget.serveWaiting()

        #expect(next != .granted)
        #expect(served.value == ["small", "next"])
        #expect(budget.grantedBytes == 10 + 1 + 60 + 1)
    }

    @Test func cancellingAWaitingMemoryRequestGrantsTheNextRequestThatFits() {
        let budget = DecodeBudget(maxBytes: 100)
        let served = Locked<[String]>([])
        _ = budget.acquire(50, priority: .normal) {}
        let large = budget.acquire(80, priority: .normal) { served.update { $0.append("large") } }
        _ = budget.acquire(50, priority: .normal) { served.update { $0.append("small") } }
        guard case .waiting(let ticket) = large else {
            Issue.record("a request that does not fit must wait")
            return
        }

        #expect(budget.cancel(ticket))

        #expect(served.value == ["small"])
        #expect(!budget.cancel(ticket))
        #expect(budget.waitingCount == 0)
    }

    /// Runs all sequences of 6 operations, or of 5 operations if a small request may be granted before a large one that
    /// arrived earlier. The operations acquire 1 or 3 of 4 bytes at low priority, acquire 2 or 4 bytes at high
    /// priority, release the oldest reservation, or cancel the first waiting request. Compares the budget with a list
    /// model after each operation.
    @Test(arguments: [0, 1]) func allShortOperationSequencesMatchTheListModel(maxPasses: Int) {
        let operations: [Operation] = [
            .acquire(1, .low), .acquire(3, .low), .acquire(2, .high), .acquire(4, .high), .release, .cancelFirst,
        ]
        var histories = 0
        let length = maxPasses == 0 ? 6 : 5
        var indices = [Int](repeating: 0, count: length)
        search: while true {
            let budget = DecodeBudget(maxBytes: 4, maxPasses: maxPasses)
            var model = Model(maxBytes: 4, maxPasses: maxPasses)
            let served = Locked<[Int]>([])
            for index in indices { apply(operations[index], to: budget, &model, served) }
            histories += 1
            var position = length - 1
            while indices[position] == operations.count - 1 {
                indices[position] = 0
                position -= 1
                if position < 0 { break search }
            }
            indices[position] += 1
        }
        #expect(histories == (maxPasses == 0 ? 46_656 : 7_776))
    }

    @Test(arguments: [0, 8]) func randomOperationSequencesMatchTheListModel(maxPasses: Int) {
        for seed in 0..<(maxPasses == 0 ? 20 : 6) {
            var random = SplitMix(seed: UInt64(seed))
            let budget = DecodeBudget(maxBytes: 100, maxPasses: maxPasses)
            var model = Model(maxBytes: 100, maxPasses: maxPasses)
            let served = Locked<[Int]>([])
            for _ in 0..<5_000 {
                let lane = DecodeQueue.Priority.allCases[Int.random(in: 0..<3, using: &random)]
                let operation: Operation =
                    switch Int.random(in: 0..<100, using: &random) {
                    // In every second sequence, many small urgent requests overtake other requests, up to
                    // `maxOvertakes` times.
                    case 2..<48 where seed % 2 == 1: .acquire(Int.random(in: 1...5, using: &random), .high)
                    case 2..<99 where seed % 2 == 1: .release
                    case 0..<50: .acquire(Int.random(in: 1...110, using: &random), lane)
                    case 50..<90: .release
                    default: .cancelFirst
                    }
                apply(operation, to: budget, &model, served)
            }
        }
    }

    private enum Operation {
        case acquire(Int, DecodeQueue.Priority)
        case release
        case cancelFirst
    }

    private func apply(
        _ operation: Operation, to budget: DecodeBudget, _ model: inout Model, _ served: Locked<[Int]>
    ) {
        switch operation {
        case .acquire(let byteCount, let priority):
            let number = model.acquire(byteCount, priority)
            let result = budget.acquire(byteCount, priority: priority) { served.update { $0.append(number) } }
            switch result {
            case .granted:
                served.update { $0.append(number) }
                budget.serveWaiting()
            case .waiting(let ticket):
                model.tickets[number] = ticket
            case .refused:
                if byteCount <= model.maxBytes { Issue.record("\(byteCount) bytes were refused") }
            }
        case .release:
            guard let byteCount = model.releaseOldest() else { return }
            budget.release(byteCount)
        case .cancelFirst:
            guard let number = model.cancelFirst(), let ticket = model.tickets[number] else { return }
            if !budget.cancel(ticket) { Issue.record("a waiting request was not cancelled") }
        }
        // One comparison per operation, because `#expect` is slower than the operation.
        if served.value != model.served || budget.grantedBytes != model.held.reduce(0, +)
            || budget.grantedBytes > model.maxBytes || budget.waitingCount != model.waiting.count
            || budget.peakGrantedBytes != model.peak
        {
            Issue.record("budget \(served.value), \(budget.grantedBytes); model \(model.served), \(model.held)")
        }
    }

    /// A simple model: one list of waiting requests in order of arrival.
    private struct Model {
        struct Waiting {
            let number: Int
            let byteCount: Int
            let lane: Int
            var overtaken = 0
            var passed = 0
        }

        let maxBytes: Int
        let maxPasses: Int
        var waiting: [Waiting] = []
        var held: [Int] = []
        var served: [Int] = []
        var tickets: [Int: UInt64] = [:]
        var peak = 0
        private var count = 0

        init(maxBytes: Int, maxPasses: Int) { (self.maxBytes, self.maxPasses) = (maxBytes, maxPasses) }

        mutating func acquire(_ byteCount: Int, _ priority: DecodeQueue.Priority) -> Int {
            count += 1
            guard byteCount <= maxBytes else { return count }
            waiting.append(Waiting(number: count, byteCount: byteCount, lane: priority.rawValue))
            serve()
            return count
        }

        mutating func releaseOldest() -> Int? {
            guard !held.isEmpty else { return nil }
            let byteCount = held.removeFirst()
            serve()
            return byteCount
        }

        mutating func cancelFirst() -> Int? {
            guard !waiting.isEmpty else { return nil }
            let number = waiting.removeFirst().number
            serve()
            return number
        }

        private mutating func serve() {
            while let first = next(), let index = firstThatFits(from: first) {
                for other in waiting.indices where other < index && waiting[other].lane == waiting[index].lane {
                    waiting[other].passed += 1
                }
                let winner = waiting.remove(at: index)
                for other in heads() where waiting[other].number < winner.number && waiting[other].lane != winner.lane {
                    waiting[other].overtaken += 1
                }
                held.append(winner.byteCount)
                served.append(winner.number)
                peak = max(peak, held.reduce(0, +))
            }
        }

        private func firstThatFits(from first: Int) -> Int? {
            let free = maxBytes - held.reduce(0, +)
            for index in waiting.indices.dropFirst(first) where waiting[index].lane == waiting[first].lane {
                if waiting[index].byteCount <= free { return index }
                if waiting[index].passed >= maxPasses { return nil }
            }
            return nil
        }

        /// The first waiting request of each priority.
        private func heads() -> [Int] {
            (0..<3).compactMap { lane in waiting.firstIndex { $0.lane == lane } }
        }

        private func next() -> Int? {
            let worn = heads().filter { waiting[$0].overtaken >= DecodeBudget.maxOvertakes }
            return worn.max { waiting[$0].overtaken < waiting[$1].overtaken } ?? heads().first
        }
    }
}
