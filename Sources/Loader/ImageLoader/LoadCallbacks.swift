public import PlatformImage
internal import Synchronization

/// Callbacks of a load; nil callbacks are skipped. Only `progress` and `onRetry` may be called more than once.
public struct LoadCallbacks: Sendable {
    /// Called with a cached image, fresh or stale, and its source: memory or disk.
    public var hasCache: (@Sendable (PlatformImage, LoadSource) -> Void)?
    /// Called before a request is sent; the argument is true when `hasCache` was called.
    public var sendingRequest: (@Sendable (Bool) -> Void)?
    /// Called with the number of body bytes received so far and the total number; the total is nil when it is unknown.
    public var progress: (@Sendable (Int, Int?) -> Void)?
    /// Called with the number of the next attempt, the delay before it, and the failure.
    public var onRetry: (@Sendable (Int, Duration, LoadError) -> Void)?
    /// Called at the end of a load that sent a request, failed, or did not call `hasCache`. After a failure, the
    /// arguments are the error, nil and `none`. After a success, they are nil, the image and its source. If a 304
    /// response confirmed the image of `hasCache`, they are nil, nil and `networkNotModified`.
    public var requestCompleted: (@Sendable (LoadError?, PlatformImage?, LoadSource) -> Void)?
    /// Called after `requestCompleted` of a failed load; the second argument is true when repeating the request cannot
    /// help.
    public var onFail: (@Sendable (LoadError, Bool) -> Void)?

    /// No callbacks.
    public init() {}
}

/// Converts the events of one load to callback calls.
struct CallbackFold: Sendable {
    /// One callback call with its arguments.
    enum Call: Sendable {
        case hasCache(LoadedImage)
        case sendingRequest(Bool)
        case progress(Int, Int?)
        case onRetry(Int, Duration, LoadError)
        case requestCompleted(LoadError?, PlatformImage?, LoadSource)
        case onFail(LoadError, Bool)
    }

    private var hasSentRequest = false
    private var hasDeliveredCached = false

    init() {}

    /// The calls for an event, in order.
    mutating func calls(for event: LoadEvent) -> [Call] {
        switch event {
        case .cached(let image):
            hasDeliveredCached = true
            return [.hasCache(image)]
        case .sendingRequest(let hadImage):
            hasSentRequest = true
            return [.sendingRequest(hadImage)]
        case .progress(let received, let expected):
            return [.progress(received, expected)]
        case .retrying(let attempt, let delay, let reason):
            return [.onRetry(attempt, delay, reason)]
        case .finished(.failure(let error)):
            return [.requestCompleted(error, nil, .none), .onFail(error, error.isFatal)]
        case .finished(.success(let image)):
            guard hasSentRequest || !hasDeliveredCached else { return [] }
            let isKnown = image.source == .networkNotModified && hasDeliveredCached
            return [.requestCompleted(nil, isKnown ? nil : image.bitmap, image.source)]
        }
    }
}

/// The shared state of the conversion; events arrive one at a time.
private final class FoldState: Sendable {
    private let fold = Mutex(CallbackFold())

    func calls(for event: LoadEvent) -> [CallbackFold.Call] { fold.locked(in: self) { $0.calls(for: event) } }
}

extension LoadCallbacks {
    func perform(_ call: CallbackFold.Call) {
        switch call {
        case .hasCache(let image): hasCache?(image.bitmap, image.source)
        case .sendingRequest(let hadImage): sendingRequest?(hadImage)
        case .progress(let received, let expected): progress?(received, expected)
        case .onRetry(let attempt, let delay, let reason): onRetry?(attempt, delay, reason)
        case .requestCompleted(let error, let image, let source): requestCompleted?(error, image, source)
        case .onFail(let error, let isFatal): onFail?(error, isFatal)
        }
    }
}

extension ImageLoader {
    /// Loads an image. Calls `hasCache` if an image is cached, and `requestCompleted` with the result of the request.
    ///
    /// A fresh cached image causes a single call of `hasCache` and no other.
    @discardableResult
    public func loadImage(
        with request: ImageRequest, on target: CallbackTarget = .separateQueue,
        hasCache: (@Sendable (PlatformImage, LoadSource) -> Void)? = nil,
        sendingRequest: (@Sendable (_ didHaveCachedImage: Bool) -> Void)? = nil,
        requestCompleted: (@Sendable (LoadError?, PlatformImage?, LoadSource) -> Void)? = nil
    ) -> ImageTask {
        var callbacks = LoadCallbacks()
        callbacks.hasCache = hasCache
        callbacks.sendingRequest = sendingRequest
        callbacks.requestCompleted = requestCompleted
        return loadImage(with: request, on: target, callbacks)
    }

    /// Loads an image and calls the given callbacks, also those for progress, retries and failures.
    @discardableResult
    public func loadImage(
        with request: ImageRequest, on target: CallbackTarget = .separateQueue, _ callbacks: LoadCallbacks
    ) -> ImageTask {
        let priority = PriorityCell(request.priority)
        let handle = ImageTask(priority)
        let events = events(for: request, priority: priority)
        handle.setTask(
            Task {
                let fold = FoldState()
                await target.forEach(in: events) { event in
                    handle.record(event)
                    for call in fold.calls(for: event) { callbacks.perform(call) }
                }
            })
        return handle
    }
}
