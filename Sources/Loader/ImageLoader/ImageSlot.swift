public import PlatformImage
internal import Synchronization

/// A view model that shows one image at a time, independent of the drawing code; only the latest request changes the
/// image.
///
/// ```swift
/// let slot = ImageSlot(loader: loader)
/// slot.assign(ImageRequest(url: "https://example.org/a.jpg"), placeholder: gray)
/// for await state in slot.states { draw(state.bitmap) }
/// ```
///
/// Deallocating a slot ends its ``states``. Its load continues and fills the caches, unless ``cancelsPrevious`` is
/// true.
public final class ImageSlot: Sendable {
    private let source: any ImageSlotSource
    private let onPresent: (@Sendable (PlatformImage) -> PlatformImage)?
    private let storage: Mutex<Storage>

    /// An empty slot.
    ///
    /// - Parameters:
    ///   - loader: The source of images.
    ///   - cancelsPrevious: True cancels the load of the previous request when another request is assigned; false lets
    ///     that load finish and fill the caches.
    ///   - onPresent: Converts a loaded image into the one to show, for example a resized one. No lock is held; it runs
    ///     on the caller's thread for an image that was in memory, otherwise on Swift's thread pool.
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

    /// True when assigning a request cancels the previous load.
    public var cancelsPrevious: Bool {
        get { storage.locked(in: self) { $0.cancelsPrevious } }
        set { storage.locked(in: self) { $0.cancelsPrevious = newValue } }
    }

    /// False for a slot that is not visible: ``relieveMemoryPressure()`` discards its image. Initially true.
    public var isVisible: Bool {
        get { storage.locked(in: self) { $0.isVisible } }
        set { storage.locked(in: self) { $0.isVisible = newValue } }
    }

    /// True from sending a request until the load ends, unless a cached image is shown.
    public var isBusy: Bool { storage.locked(in: self) { $0.isBusy } }

    /// The current state. If ``release()`` discarded the image, reading this property or ``states`` loads it again.
    public var state: State {
        reloadIfReleased()
        return storage.locked(in: self) { $0.state }
    }

    /// The current state and each later one, until the slot is deallocated; a slow reader receives only the latest
    /// state.
    public var states: AsyncStream<State> {
        reloadIfReleased()
        let (stream, continuation) = AsyncStream.makeStream(of: State.self, bufferingPolicy: .bufferingNewest(1))
        let number = storage.locked(in: self) { storage in
            storage.lastObserver += 1
            storage.observers[storage.lastObserver] = continuation
            continuation.yield(storage.state)
            return storage.lastObserver
        }
        continuation.onTermination = { [weak self] _ in
            // When a reading task is cancelled, this closure is called under a lock of the Swift runtime, and `yield`
            // waits for that lock while this slot's lock is held. Acquiring the slot's lock here could deadlock, so a
            // task acquires it later.
            Task { [weak self] in self?.removeObserver(number) }
        }
        return stream
    }

    private func removeObserver(_ number: UInt64) {
        storage.locked(in: self) { _ = $0.observers.removeValue(forKey: number) }
    }

    /// Shows the image of another request as soon as it is available.
    ///
    /// A fresh image in memory is shown before this returns, without the placeholder. Results of earlier requests never
    /// change the slot.
    ///
    /// - Parameters:
    ///   - request: The request to load; nil or an empty URL loads nothing, and the placeholder stays.
    ///   - placeholder: Shown until an image is available; nil shows nothing.
    ///   - stillValid: Called before a result of the load is shown. If it returns false, the result is not shown: the
    ///     current state stays, except that ``State/loading(received:expected:placeholder:)`` returns to the
    ///     placeholder.
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

    /// Discards the image until ``state`` or ``states`` is read; a load that has shown no image yet continues.
    public func release() { storage.locked(in: self) { $0.release() } }

    /// Discards the image, as ``release()`` does, when the slot is not visible; call it when memory is low.
    public func relieveMemoryPressure() {
        storage.locked(in: self) { storage in
            if !storage.isVisible { storage.release() }
        }
    }

    /// Loads the image of the current request again if ``release()`` discarded it. A `reload` or `revalidate` request
    /// becomes `default`, so that a cached image can be used.
    private func reloadIfReleased() {
        let released: (request: ImageRequest?, number: UInt64)? = storage.locked(in: self) { storage in
            guard storage.isReleased else { return nil }
            storage.begin(storage.assignment)
            var request = storage.assignment.request
            if request?.policy == .reload || request?.policy == .revalidate { request?.policy = .default }
            return (request, storage.number)
        }
        if let released { start(released.request, as: released.number) }
    }

    private func start(_ request: ImageRequest?, as number: UInt64) {
        guard let request else {
            storage.locked(in: self) { $0.showPlaceholder(of: number) }
            return
        }
        if let image = source.cachedImage(for: request, layers: .memory), image.isFresh {
            let bitmap = onPresent?(image.bitmap) ?? image.bitmap
            storage.locked(in: self) { storage in
                guard storage.number == number else { return }
                storage.show(.image(bitmap, source: .memory, isFresh: true, isImmediate: true))
            }
            return
        }
        storage.locked(in: self) { $0.showPlaceholder(of: number) }
        let events = source.events(for: request)
        let task = Task { [weak self] in
            // An outdated load is read to its end too, because dropping the iterator cancels it.
            for await event in events { self?.receive(event, as: number) }
        }
        let isOutdated = storage.locked(in: self) { storage in
            guard storage.number == number else { return storage.cancelsPrevious }
            storage.task = task
            return false
        }
        if isOutdated { task.cancel() }
    }

    /// Applies one event of a load; events of any assignment but the current one are ignored.
    func receive(_ event: LoadEvent, as number: UInt64) {
        let (isCurrent, stillValid) = storage.locked(in: self) { ($0.number == number, $0.assignment.stillValid) }
        guard isCurrent else { return }
        let isVetoed = event.isResult && stillValid?() == false
        var newBitmap: PlatformImage?
        if let image = event.image, !isVetoed, !(event.isLast && isShown(image)) {
            newBitmap = onPresent?(image.bitmap) ?? image.bitmap
        }
        storage.locked(in: self) { storage in
            guard storage.number == number else { return }
            storage.apply(event, newBitmap: newBitmap, isVetoed: isVetoed)
        }
    }

    /// True when the final image of a load is the image that the slot already shows.
    private func isShown(_ image: LoadedImage) -> Bool {
        storage.locked(in: self) { $0.showsImage } && image.source != .networkToDisk
    }
}

/// The source of a slot's images: a loader or a test double.
public protocol ImageSlotSource: Sendable {
    /// The cached image of the request in these layers, fresh or stale; nil for none. With `memory` it never blocks.
    func cachedImage(for request: ImageRequest, layers: CacheLayers) -> LoadedImage?
    /// The events of a load of the request.
    func events(for request: ImageRequest) -> LoadEventStream
}

extension ImageLoader: ImageSlotSource {}
