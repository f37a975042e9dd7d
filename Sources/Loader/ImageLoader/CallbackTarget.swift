#if Loader
public import Dispatch

/// Where the callbacks of a load are called.
///
/// They are called one at a time and in order, whatever the target does with its work: the next one is handed over when
/// the one before has returned. A slow callback delays its own load's callbacks and nothing else.
public struct CallbackTarget: Sendable {
    private enum Place: Sendable {
        case own
        case queue(DispatchQueue)
        case executor(any TaskExecutor)
    }

    private let place: Place

    /// A queue of the load's own.
    public static var own: Self { Self(place: .own) }

    /// A queue of the caller's, serial or not, such as the main queue.
    public static func queue(_ queue: DispatchQueue) -> Self { Self(place: .queue(queue)) }

    /// An executor of the caller's.
    public static func executor(_ executor: any TaskExecutor) -> Self { Self(place: .executor(executor)) }

    /// Calls `body` there with each element, one after the other, and returns after the last one.
    func forEach<Elements: AsyncSequence & Sendable>(
        in elements: Elements, _ body: @escaping @Sendable (Elements.Element) -> Void
    ) async where Elements.Element: Sendable, Elements.Failure == Never {
        let queue: DispatchQueue
        switch place {
        case .own: queue = DispatchQueue(label: "ImageLoader.callbacks")
        case .queue(let own): queue = own
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
#endif
