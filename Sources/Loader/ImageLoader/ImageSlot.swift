#if Loader
public import PlatformImage
internal import Synchronization

/// A place that shows one picture at a time, whatever draws it: the latest request wins on every path.
///
/// ```swift
/// let slot = ImageSlot(loader: loader)
/// slot.assign(ImageRequest(url: "https://example.org/a.jpg"), placeholder: gray)
/// for await state in slot.states { draw(state.bitmap) }
/// ```
///
/// Releasing a slot ends its ``states``. Its load goes on into the caches, unless ``cancelsPrevious`` is true.
public final class ImageSlot: Sendable {
    private let source: any ImageSlotSource
    private let onPresent: (@Sendable (PlatformImage) -> PlatformImage)?
    private let storage: Mutex<Storage>

    /// An empty slot.
    ///
    /// - Parameters:
    ///   - loader: Where pictures come from.
    ///   - cancelsPrevious: True gives the load of an earlier request up when another one is assigned; false lets it end
    ///     into the caches.
    ///   - onPresent: Makes of a loaded picture the one that is shown, such as one that fits. It is called off every lock,
    ///     on the caller's thread for a picture that was in memory and else on Swift's pool.
    public init(
        loader: any ImageSlotSource, cancelsPrevious: Bool = false,
        onPresent: (@Sendable (PlatformImage) -> PlatformImage)? = nil
    ) {
        source = loader
        self.onPresent = onPresent
        storage = Mutex(Storage(cancelsPrevious: cancelsPrevious))
    }

    deinit {
        let task: Task<Void, Never>? = storage.locked(in: self) { storage in
            storage.observers.values.forEach { $0.finish() }
            return storage.cancelsPrevious ? storage.task : nil
        }
        task?.cancel()
    }

    /// Whether assigning gives the load before up.
    public var cancelsPrevious: Bool {
        get { storage.locked(in: self) { $0.cancelsPrevious } }
        set { storage.locked(in: self) { $0.cancelsPrevious = newValue } }
    }

    /// False for a slot that nobody sees now: ``relieveMemoryPressure()`` takes its picture. True at first.
    public var isVisible: Bool {
        get { storage.locked(in: self) { $0.isVisible } }
        set { storage.locked(in: self) { $0.isVisible = newValue } }
    }

    /// True from the moment the origin is asked until the load ends, unless a cached picture is shown.
    public var isBusy: Bool { storage.locked(in: self) { $0.isBusy } }

    /// What the slot shows. A slot that was released loads its picture again, as does ``states``.
    public var state: State {
        rematerialise()
        return storage.locked(in: self) { $0.state }
    }

    /// The state now and each one after it, to the end of the slot; of states that came faster than they were read, the
    /// last one.
    public var states: AsyncStream<State> {
        rematerialise()
        let (stream, continuation) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(1))
        let number = storage.locked(in: self) { storage in
            storage.lastObserver += 1
            storage.observers[storage.lastObserver] = continuation
            continuation.yield(storage.state)
            return storage.lastObserver
        }
        continuation.onTermination = { [weak self] _ in
            // A reading task that is being cancelled calls this with a lock of the runtime, and whoever yields to it
            // waits for that with ours: so ours is not waited for here.
            Task { [weak self] in self?.removeObserver(number) }
        }
        return stream
    }

    private func removeObserver(_ number: UInt64) {
        storage.locked(in: self) { _ = $0.observers.removeValue(forKey: number) }
    }

    /// Shows another picture, as soon as it is there.
    ///
    /// A fresh one in memory is shown before this returns, without the placeholder. What earlier requests still give
    /// never changes the slot.
    ///
    /// - Parameters:
    ///   - request: Nil, or with an empty address, loads nothing: the placeholder stays.
    ///   - placeholder: Is shown until there is a picture; nil shows nothing.
    ///   - stillValid: Is asked before a picture or an error that came later is shown; false leaves the slot as it is, or
    ///     with the placeholder if it was loading.
    public func assign(
        _ request: ImageRequest?, placeholder: PlatformImage? = nil,
        stillValid: (@Sendable () -> Bool)? = nil
    ) {
        let request = request.flatMap { $0.url.isEmpty ? nil : $0 }
        let (number, previous) = storage.locked(in: self) { storage in
            let previous = storage.cancelsPrevious ? storage.task : nil
            storage.begin(Assignment(request: request, placeholder: placeholder, stillValid: stillValid))
            return (storage.number, previous)
        }
        previous?.cancel()
        start(request, as: number)
    }

    /// Lets the picture go, until ``state`` or ``states`` is asked for; a load that has shown nothing yet goes on.
    public func release() { storage.locked(in: self) { $0.release() } }

    /// Lets the picture go when the slot is not visible; call it when memory is short.
    public func relieveMemoryPressure() {
        storage.locked(in: self) { storage in
            if !storage.isVisible { storage.release() }
        }
    }

    /// Begins the released assignment anew. What had to be loaded from the origin then may come from a cache now.
    private func rematerialise() {
        let again: (request: ImageRequest?, number: UInt64)? = storage.locked(in: self) { storage in
            guard storage.isReleased else { return nil }
            storage.begin(storage.assignment)
            var request = storage.assignment.request
            if request?.policy == .reload || request?.policy == .revalidate { request?.policy = .default }
            return (request, storage.number)
        }
        if let again { start(again.request, as: again.number) }
    }

    private func start(_ request: ImageRequest?, as number: UInt64) {
        guard let request else {
            storage.locked(in: self) { $0.showPlaceholder(of: number) }
            return
        }
        if let image = source.cachedImage(for: request, layers: .memory), image.isFresh {
            let shown = onPresent?(image.bitmap) ?? image.bitmap
            storage.locked(in: self) { storage in
                guard storage.number == number else { return }
                storage.show(.image(shown, source: .memory, isFresh: true, isImmediate: true))
            }
            return
        }
        storage.locked(in: self) { $0.showPlaceholder(of: number) }
        let events = source.events(for: request)
        let task = Task { [weak self] in
            // The load is read to its end also when its results are nobody's: who stops reading gives it up.
            for await event in events { self?.receive(event, as: number) }
        }
        let isOutdated = storage.locked(in: self) { storage in
            guard storage.number == number else { return storage.cancelsPrevious }
            storage.task = task
            return false
        }
        if isOutdated { task.cancel() }
    }

    /// Takes one step of the load of an assignment; steps of any but the current one change nothing.
    func receive(_ event: LoadEvent, as number: UInt64) {
        let (isCurrent, stillValid) = storage.locked(in: self) { ($0.number == number, $0.assignment.stillValid) }
        guard isCurrent else { return }
        let isVetoed = event.isResult && stillValid?() == false
        var picture: PlatformImage?
        if let image = event.picture, !isVetoed, !(event.isLast && isShown(image)) {
            picture = onPresent?(image.bitmap) ?? image.bitmap
        }
        storage.locked(in: self) { storage in
            guard storage.number == number else { return }
            storage.apply(event, picture: picture, isVetoed: isVetoed)
        }
    }

    /// True when a load's last word is the picture that it has shown already.
    private func isShown(_ image: LoadedImage) -> Bool {
        storage.locked(in: self) { $0.showsPicture } && image.source != .networkToDisk
    }
}

/// Where a slot's pictures come from: a loader.
public protocol ImageSlotSource: Sendable {
    /// The picture that these layers hold for the request, fresh or not; nil for none. Never blocks for memory alone.
    func cachedImage(for request: ImageRequest, layers: CacheLayers) -> LoadedImage?
    /// A load of the request.
    func events(for request: ImageRequest) -> LoadEventStream
}

extension ImageLoader: ImageSlotSource {}
#endif
