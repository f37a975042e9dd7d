#if Service
import Synchronization

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
