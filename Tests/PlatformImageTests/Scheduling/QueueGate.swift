import Dispatch

/// Blocks a thread of a queue until `open()`.
final class QueueGate: Sendable {
    private let entered = DispatchSemaphore(value: 0)
    private let exit = DispatchSemaphore(value: 0)

    func pass() {
        entered.signal()
        exit.wait()
    }

    func waitUntilEntered() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                self.entered.wait()
                continuation.resume()
            }
        }
    }

    func open() { exit.signal() }
}
