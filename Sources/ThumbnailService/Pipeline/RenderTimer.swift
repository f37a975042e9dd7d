import PlatformImage
import Synchronization

/// Time measurement of one render in the queue and on its threads.
final class RenderTimer: Sendable {
    private let metrics: ServiceMetrics
    private let trace = RequestTrace.current
    private let enqueued = ContinuousClock.now
    private let hasBegun = Atomic(false)

    /// Starts the measurement; must be called by the waiting task when it starts to wait.
    init(_ metrics: ServiceMetrics) { self.metrics = metrics }

    /// Records the time in the queue; must be called when the render has its thread and its memory.
    func begin() {
        hasBegun.store(true, ordering: .relaxed)
        let waited = enqueued.duration(to: .now)
        metrics.queued(for: waited)
        trace?.update { $0.queue = waited }
    }

    func end(_ image: RenderedImage, sourceBytes: Int) {
        metrics.decoded(image.header.format, in: image.decodeDuration)
        if let format = image.format { metrics.rendered(format, in: image.renderDuration) }
        for attempt in image.attempts { metrics.encoded(attempt.format, byteCount: attempt.byteCount) }
        trace?.update { facts in
            facts.decode = image.decodeDuration
            facts.render = image.renderDuration
            facts.source = (image.header.displayWidth, image.header.displayHeight, sourceBytes)
            facts.result = (image.width, image.height)
            facts.droppedMetadataBytes = image.droppedMetadataBytes
        }
    }

    /// Counts the failed render as cancelled if the calling task is cancelled; must be called by the task that waited.
    func fail() {
        guard Task.isCancelled else { return }
        metrics.cancelled(hasBegun.load(ordering: .relaxed) ? .render : .queue)
    }
}

/// Distinguishes the request that starts shared work from the requests that join it.
final class WorkStartFlag: Sendable {
    private let isStarted = Atomic(false)

    func markStarted() { isStarted.store(true, ordering: .relaxed) }

    /// True when another request started the work. Read it after the work has ended.
    var isStartedByAnotherRequest: Bool { !isStarted.load(ordering: .relaxed) }
}

/// Counters since the start of the service.
final class ServiceCounters: Sendable {
    private let renders = Atomic(0)

    /// Number of successful renders.
    var renderCount: Int { renders.load(ordering: .relaxed) }

    func countRender() { renders.wrappingAdd(1, ordering: .relaxed) }

    private let decodes = Atomic(0)

    /// Number of decodes that were started; one decode can serve several renders.
    var decodeCount: Int { decodes.load(ordering: .relaxed) }

    func countDecodes(_ count: Int) { decodes.wrappingAdd(count, ordering: .relaxed) }

    private let disconnects = Atomic(0)

    /// Number of requests whose client disconnected before the response.
    var disconnectCount: Int { disconnects.load(ordering: .relaxed) }

    func countDisconnect() { disconnects.wrappingAdd(1, ordering: .relaxed) }
}
