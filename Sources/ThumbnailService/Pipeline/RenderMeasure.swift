#if Service
import PlatformImage
import Synchronization

/// Follows one render through queue and threads.
final class RenderMeasure: Sendable {
    private let metrics: ServiceMetrics
    private let trace = RequestTrace.current
    private let enqueued = ContinuousClock.now
    private let hasBegun = Atomic(false)

    /// To be made by the task that waits, when the wait begins.
    init(_ metrics: ServiceMetrics) { self.metrics = metrics }

    /// The render has its thread and its bytes.
    func begin() {
        hasBegun.store(true, ordering: .relaxed)
        let waited = enqueued.duration(to: .now)
        metrics.queued(for: waited)
        trace?.note { $0.queue = waited }
    }

    func end(_ image: RenderedImage, sourceBytes: Int) {
        metrics.decoded(image.header.format, in: image.decodeDuration)
        if let format = image.format { metrics.rendered(format, in: image.renderDuration) }
        trace?.note { facts in
            facts.decode = image.decodeDuration
            facts.render = image.renderDuration
            facts.source = (image.header.displayWidth, image.header.displayHeight, sourceBytes)
            facts.result = (image.width, image.height)
        }
    }

    /// Counts a render that came to nothing because nobody wanted it any more; to be called by the task that waited.
    func fail() {
        guard Task.isCancelled else { return }
        metrics.cancelled(hasBegun.load(ordering: .relaxed) ? .render : .queue)
    }
}

/// Tells the one request that begins a piece of work from those that join it.
final class WorkLead: Sendable {
    private let isTaken = Atomic(false)

    func take() { isTaken.store(true, ordering: .relaxed) }

    /// True for a request that waited to the end of work which it had not begun.
    var isElsewhere: Bool { !isTaken.load(ordering: .relaxed) }
}

/// What has happened since the start.
final class ServiceCounters: Sendable {
    private let renders = Atomic(0)

    /// Renders that succeeded.
    var renderCount: Int { renders.load(ordering: .relaxed) }

    func countRender() { renders.wrappingAdd(1, ordering: .relaxed) }

    private let decodes = Atomic(0)

    /// Decodes that were begun; one may serve several renders.
    var decodeCount: Int { decodes.load(ordering: .relaxed) }

    func countDecodes(_ count: Int) { decodes.wrappingAdd(count, ordering: .relaxed) }

    private let departures = Atomic(0)

    /// Requests whose client left before the answer was there.
    var departureCount: Int { departures.load(ordering: .relaxed) }

    func countDeparture() { departures.wrappingAdd(1, ordering: .relaxed) }
}
#endif
