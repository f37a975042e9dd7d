#if Loader
public import PlatformImage
internal import Synchronization

/// What a load with callbacks calls, each at most once but `progress` and `onRetry`; nil for what nobody wants to know.
public struct LoadCallbacks: Sendable {
    /// A stored picture, fresh or not, and whether it was in memory or on disk.
    public var hasCache: (@Sendable (PlatformImage, LoadSource) -> Void)?
    /// The origin is about to be asked; true when `hasCache` was called.
    public var sendingRequest: (@Sendable (Bool) -> Void)?
    /// Bytes so far and in all.
    public var progress: (@Sendable (Int, Int?) -> Void)?
    /// The number of the next attempt, the wait before it, and why.
    public var onRetry: (@Sendable (Int, Duration, LoadError) -> Void)?
    /// The end of a load that asked the origin or failed: with an error and the source `none`, or with a new picture,
    /// or with neither and `networkNotModified` for the one that `hasCache` has shown.
    public var requestCompleted: (@Sendable (LoadError?, PlatformImage?, LoadSource) -> Void)?
    /// After the completion of a load that failed; true when no repetition can help.
    public var onFail: (@Sendable (LoadError, Bool) -> Void)?

    /// None.
    public init() {}
}

/// What events come to as callbacks.
struct CallbackFold: Sendable {
    /// One call.
    enum Call: Sendable {
        case hasCache(LoadedImage)
        case sendingRequest(Bool)
        case progress(Int, Int?)
        case onRetry(Int, Duration, LoadError)
        case requestCompleted(LoadError?, PlatformImage?, LoadSource)
        case onFail(LoadError, Bool)
    }

    private var hasSent = false
    private var hasShown = false

    init() {}

    /// The calls that an event makes, in order.
    mutating func calls(for event: LoadEvent) -> [Call] {
        switch event {
        case .cached(let image):
            hasShown = true
            return [.hasCache(image)]
        case .sendingRequest(let hadImage):
            hasSent = true
            return [.sendingRequest(hadImage)]
        case .progress(let received, let expected):
            return [.progress(received, expected)]
        case .retrying(let attempt, let delay, let reason):
            return [.onRetry(attempt, delay, reason)]
        case .finished(.failure(let error)):
            return [.requestCompleted(error, nil, .none), .onFail(error, error.isFatal)]
        case .finished(.success(let image)):
            guard hasSent || !hasShown else { return [] }
            let isKnown = image.source == .networkNotModified && hasShown
            return [.requestCompleted(nil, isKnown ? nil : image.bitmap, image.source)]
        }
    }
}

/// The fold of one load's events, which come one at a time.
private final class FoldState: Sendable {
    private let fold = Mutex(CallbackFold())

    func calls(for event: LoadEvent) -> [CallbackFold.Call] { fold.locked(in: self) { $0.calls(for: event) } }
}

extension LoadCallbacks {
    func make(_ call: CallbackFold.Call) {
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
    /// Loads a picture and calls back: with the stored one, if there is one, and with what came of asking the origin.
    ///
    /// A fresh picture is one call of `hasCache` and nothing else.
    @discardableResult
    public func loadImage(
        with request: ImageRequest, on target: CallbackTarget = .own,
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

    /// Loads a picture and calls back, also for progress, retries and failures.
    @discardableResult
    public func loadImage(
        with request: ImageRequest, on target: CallbackTarget = .own, _ callbacks: LoadCallbacks
    ) -> ImageTask {
        let priority = PriorityCell(request.priority)
        let handle = ImageTask(priority)
        let events = events(for: request, priority: priority)
        handle.hold(
            Task {
                let fold = FoldState()
                await target.forEach(in: events) { event in
                    handle.note(event)
                    for call in fold.calls(for: event) { callbacks.make(call) }
                }
            })
        return handle
    }
}
#endif
