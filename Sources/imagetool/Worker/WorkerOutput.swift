import PlatformImage
import PlatformImageToolSupport
import Synchronization

/// Answers on stdout, each written completely before the next one; blocks while the pipe is full.
final class WorkerOutput: Sendable {
    private struct State {
        /// Sequence number of the next answer; used only with `isOrdered`.
        var next = 0
        /// Answers that wait for an earlier one.
        var waiting: [Int: (line: [UInt8], body: WorkerAnswer.Body?, completion: @Sendable () -> Void)] = [:]
        var isClosed = false
    }

    private let isOrdered: Bool
    private let state = Mutex(State())

    /// - Parameter isOrdered: Writes the answers in the order of their sequence numbers, otherwise in the order of the
    ///   calls.
    init(isOrdered: Bool) { self.isOrdered = isOrdered }

    /// True after the reader closed stdout or writing failed.
    var isClosed: Bool { state.locked(in: self) { $0.isClosed } }

    /// Writes an answer, or keeps it until all answers with lower sequence numbers are written.
    ///
    /// - Parameters:
    ///   - sequence: Each number from 0 on is passed once.
    ///   - completion: Called when the answer is written or discarded.
    func write(
        _ line: [UInt8], _ body: WorkerAnswer.Body?, sequence: Int, completion: @escaping @Sendable () -> Void
    ) {
        state.locked(in: self) { state in
            guard isOrdered else {
                write(line, body, &state)
                return completion()
            }
            state.waiting[sequence] = (line, body, completion)
            while let answer = state.waiting.removeValue(forKey: state.next) {
                state.next += 1
                write(answer.line, answer.body, &state)
                answer.completion()
            }
        }
    }

    private func write(_ line: [UInt8], _ body: WorkerAnswer.Body?, _ state: inout State) {
        guard !state.isClosed else { return }
        do {
            let output = try Output()
            if case .file(let bytes)? = body, bytes.count <= 65_536 {
                // One write, so that the reader wakes up once.
                let both = line + bytes
                try output.write(both.span)
            } else {
                try output.write(line.span)
                try body?.write(to: output)
            }
        } catch {
            state.isClosed = true
        }
    }
}
