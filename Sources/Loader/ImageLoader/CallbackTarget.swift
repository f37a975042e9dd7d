public import Dispatch

/// The queue or executor that runs the callbacks of a load.
///
/// On every target the callbacks of a load run one at a time and in order: the next one is submitted after the previous
/// one has returned. A slow callback delays other loads only if they share a serial queue or executor with its load.
public struct CallbackTarget: Sendable {
    private enum Kind: Sendable {
        case separateQueue
        case queue(DispatchQueue)
        case executor(any TaskExecutor)
    }

    private let kind: Kind

    /// A separate serial queue for each load.
    public static var separateQueue: Self { Self(kind: .separateQueue) }

    /// The dispatch queue `queue`, serial or concurrent, such as the main queue.
    public static func queue(_ queue: DispatchQueue) -> Self { Self(kind: .queue(queue)) }

    /// The task executor `executor`.
    public static func executor(_ executor: any TaskExecutor) -> Self { Self(kind: .executor(executor)) }

    /// Runs `body` on the target for each element, in order, and returns after the last one.
    func forEach<Elements: AsyncSequence & Sendable>(
        in elements: Elements, _ body: @escaping @Sendable (Elements.Element) -> Void
    ) async where Elements.Element: Sendable, Elements.Failure == Never {
        let queue: DispatchQueue
        switch kind {
        case .separateQueue: queue = DispatchQueue(label: "ImageLoader.callbacks")
        case .queue(let dispatchQueue): queue = dispatchQueue
        case .executor(let executor):
            await withTaskExecutorPreference(executor) { for await element in elements { body(element) } }
            return
        }
        for await element in elements {
            await withCheckedContinuation { continuation in
                queue.async {
                    body(element)
                    continuation.resume()
                }
            }
        }
    }
}
