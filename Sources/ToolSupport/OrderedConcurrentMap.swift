/// Runs asynchronous work for each input with bounded concurrency, and yields the results in input order.
///
/// Each task runs up to its first suspension before the next one starts, so tasks enter the queues of shared resources
/// in input order.
package struct OrderedConcurrentMap<Input: Sendable, Output: Sendable>: AsyncSequence {
    private let inputs: [Input]
    private let transform: @Sendable (Input) async -> Output
    private let width: Int

    /// - Parameter width: Maximum number of tasks that are running or whose result is not yet consumed; 1 or more.
    package init(_ inputs: [Input], width: Int = 16, transform: @escaping @Sendable (Input) async -> Output) {
        precondition(width > 0, "width must be 1 or more")
        self.inputs = inputs
        self.width = width
        self.transform = transform
    }

    package func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let sequence: OrderedConcurrentMap
        private var tasks: [Task<Output, Never>] = []
        private var started = 0

        fileprivate init(sequence: OrderedConcurrentMap) { self.sequence = sequence }

        package mutating func next() async -> Output? {
            while started < sequence.inputs.count, tasks.count < sequence.width {
                let (input, transform) = (sequence.inputs[started], sequence.transform)
                tasks.append(Task.immediate { await transform(input) })
                started += 1
            }
            guard !tasks.isEmpty else { return nil }
            return await tasks.removeFirst().value
        }
    }
}
