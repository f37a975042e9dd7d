import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

/// Compares the schedule with a simple model of two lists.
struct LaneScheduleTests {
    /// A model of the rules O67 to O70 of Docs/originals.md, with one list of waiting fetches in order of arrival.
    private struct Model {
        var urgentWidth: Int
        var slowWidth: Int
        var isSuspended = false
        var waiting: [(number: UInt64, lane: LoadPriority)] = []
        var running: [(number: UInt64, lane: LoadPriority)] = []

        mutating func leave(_ number: UInt64) {
            waiting.removeAll { $0.number == number }
            running.removeAll { $0.number == number }
        }

        mutating func move(_ number: UInt64, to lane: LoadPriority) {
            if let at = waiting.firstIndex(where: { $0.number == number && $0.lane != lane }) {
                waiting.remove(at: at)
                waiting.append((number, lane))
            }
            if let at = running.firstIndex(where: { $0.number == number }) { running[at].lane = lane }
        }

        mutating func admit() -> [UInt64] {
            var admitted: [UInt64] = []
            while !isSuspended {
                let urgentRuns = running.count { $0.lane == .urgent || $0.lane == .immediate }
                let slowRuns = running.count { $0.lane == .slow || $0.lane == .background }
                func first(_ lane: LoadPriority) -> Int? { waiting.firstIndex { $0.lane == lane } }
                let urgent = first(.immediate) ?? first(.urgent)
                let slow = first(.slow) ?? first(.background)
                if let urgent, urgentRuns < urgentWidth {
                    running.append(waiting.remove(at: urgent))
                } else if let slow, urgent == nil, urgentRuns == 0, slowRuns < slowWidth {
                    running.append(waiting.remove(at: slow))
                } else {
                    break
                }
                admitted.append(running[running.count - 1].number)
            }
            return admitted
        }

        var counts: LaneCounts {
            LaneCounts(
                urgentWaiting: waiting.count { [.urgent, .immediate].contains($0.lane) },
                urgentRunning: running.count { [.urgent, .immediate].contains($0.lane) },
                slowWaiting: waiting.count { [.slow, .background].contains($0.lane) },
                slowRunning: running.count { [.slow, .background].contains($0.lane) })
        }
    }

    private enum Operation {
        case enqueue(LoadPriority)
        case leave(UInt64)
        case move(UInt64, LoadPriority)
        case widths(Int, Int)
        case suspend(Bool)
    }

    private struct ScheduleAndModel {
        var schedule: LaneSchedule
        var model: Model
        var lastNumber: UInt64 = 0

        init(_ urgentWidth: Int, _ slowWidth: Int) {
            schedule = LaneSchedule(urgentWidth: urgentWidth, slowWidth: slowWidth)
            model = Model(urgentWidth: urgentWidth, slowWidth: slowWidth)
        }

        /// Applies `step` to the schedule and to the model. True when both admit the same task numbers in the same
        /// order and have equal counts.
        mutating func matches(after step: Operation) -> Bool {
            switch step {
            case .enqueue(let lane):
                lastNumber += 1
                schedule.enqueue(lastNumber, priority: lane)
                model.waiting.append((lastNumber, lane))
            case .leave(let number):
                schedule.leave(number)
                model.leave(number)
            case .move(let number, let lane):
                schedule.move(number, to: lane)
                model.move(number, to: lane)
            case .widths(let urgent, let slow):
                schedule.setWidths(urgent: urgent, slow: slow)
                (model.urgentWidth, model.slowWidth) = (urgent, slow)
            case .suspend(let isSuspended):
                schedule.isSuspended = isSuspended
                model.isSuspended = isSuspended
            }
            var admitted: [UInt64] = []
            while let next = schedule.admitNext() { admitted.append(next) }
            return admitted == model.admit() && schedule.counts == model.counts
        }
    }

    @Test(arguments: [(1, 1), (2, 1), (1, 2), (0, 1), (1, 0)])
    func everySequenceOfUpTo6OperationsMatchesTheModel(_ widths: (Int, Int)) {
        var histories = 0
        var wrong = 0
        func extend(_ pair: ScheduleAndModel, depth: Int) {
            var steps: [Operation] = [.enqueue(.urgent), .enqueue(.slow), .suspend(!pair.model.isSuspended)]
            for number in 0..<pair.lastNumber {
                steps += [.leave(number + 1), .move(number + 1, .urgent), .move(number + 1, .slow)]
            }
            for step in steps {
                var longer = pair
                histories += 1
                if !longer.matches(after: step) {
                    wrong += 1
                } else if depth > 1 {
                    extend(longer, depth: depth - 1)
                }
            }
        }
        extend(ScheduleAndModel(widths.0, widths.1), depth: 6)
        #expect(wrong == 0)
        #expect(histories > 60_000)
    }

    @Test(arguments: [(1, 1), (2, 1), (0, 2)])
    func everySequenceOfUpTo5OperationsWithFourPrioritiesMatchesTheModel(_ widths: (Int, Int)) {
        var histories = 0
        var wrong = 0
        func extend(_ pair: ScheduleAndModel, depth: Int) {
            var steps: [Operation] = LoadPriority.allCases.map { .enqueue($0) }
            for number in 0..<pair.lastNumber {
                steps.append(.leave(number + 1))
                steps += LoadPriority.allCases.map { .move(number + 1, $0) }
            }
            for step in steps {
                var longer = pair
                histories += 1
                if !longer.matches(after: step) {
                    wrong += 1
                } else if depth > 1 {
                    extend(longer, depth: depth - 1)
                }
            }
        }
        extend(ScheduleAndModel(widths.0, widths.1), depth: 5)
        #expect(wrong == 0)
        #expect(histories > 40_000)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func randomSequencesOf1500OperationsMatchTheModel(_ seed: UInt64) {
        var random = SplitMix(seed: seed)
        var pair = ScheduleAndModel(Int.random(in: 0...4, using: &random), Int.random(in: 0...2, using: &random))
        for step in 0..<1_500 {
            let known = pair.model.waiting.map(\.number) + pair.model.running.map(\.number) + [pair.lastNumber + 9]
            let number = known.randomElement(using: &random) ?? 0
            let lane = LoadPriority.allCases.randomElement(using: &random) ?? .urgent
            let next: Operation =
                switch Int.random(in: 0..<20, using: &random) {
                case 0..<7: .enqueue(lane)
                case 7..<13: .leave(number)
                case 13..<18: .move(number, lane)
                case 18: .widths(Int.random(in: 0...4, using: &random), Int.random(in: 0...2, using: &random))
                default: .suspend(Bool.random(using: &random))
                }
            guard pair.matches(after: next) else {
                Issue.record("seed \(seed), step \(step): \(next)")
                return
            }
        }
    }

    @Test func raisingThePriorityOfAWaitingFetchReordersIt() {
        var schedule = LaneSchedule(urgentWidth: 0, slowWidth: 0)
        for (number, priority) in [LoadPriority.urgent, .urgent, .background, .slow, .background].enumerated() {
            schedule.enqueue(UInt64(number), priority: priority)
        }

        schedule.move(1, to: .immediate)
        schedule.move(4, to: .slow)

        schedule.setWidths(urgent: 2, slow: 3)
        #expect([schedule.admitNext(), schedule.admitNext(), schedule.admitNext()] == [1, 0, nil])
        schedule.leave(0)
        #expect(schedule.admitNext() == nil)
        schedule.leave(1)
        #expect([schedule.admitNext(), schedule.admitNext(), schedule.admitNext()] == [3, 4, 2])
        #expect(schedule.counts == LaneCounts(slowRunning: 3))
    }

    @Test func prioritiesAreOrderedAndTheOriginalRawValuesAreValid() {
        #expect(LoadPriority.allCases.sorted() == [.background, .slow, .urgent, .immediate])
        #expect(LoadPriority(rawValue: 0) == .slow && LoadPriority(rawValue: 1) == .urgent)
        #expect(LoadPriority.allCases.map { PriorityCell($0).decodePriority } == [.low, .low, .high, .high])
    }

    /// Moving an entry out of the middle of a queue does not grow the queue without limit.
    @Test func queuesStayBoundedWhenATaskIsMovedRepeatedlyBetweenLanes() {
        var schedule = LaneSchedule(urgentWidth: 0, slowWidth: 0)
        for number in 1...3 { schedule.enqueue(UInt64(number), priority: .slow) }
        for _ in 0..<100_000 {
            schedule.move(2, to: .urgent)
            schedule.move(2, to: .slow)
        }
        #expect(schedule.ticketCount <= 2 * (2 * 3 + 66))

        schedule.setWidths(urgent: 0, slow: 3)
        #expect([schedule.admitNext(), schedule.admitNext(), schedule.admitNext()] == [1, 3, 2])
    }
}
