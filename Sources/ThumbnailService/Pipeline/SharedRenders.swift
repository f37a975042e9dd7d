import PlatformImage
import Synchronization

/// Groups renders of one source that wait for a thread, and serves them from one decode (Docs/service-rules.md 1.3).
///
/// A group accepts members until a thread starts its work, as long as ``maxMembers`` and the memory budget permit. Each
/// member waits and cancels independently; when all members have cancelled, the work ends.
final class SharedRenders: Sendable {
    /// Properties that the members of a group share.
    struct Key: Hashable, Sendable {
        /// Digest of the source (``SourceBytes/digest``).
        let digest: String
        let page: Int
        let plan: ThumbnailPlan
        /// True when the pixels stay in the colour space of the source.
        let keepsProfile: Bool
    }

    /// Maximum number of members of a group: with more members, the result of the first one would be delayed too long.
    static let maxMembers = 8

    typealias RenderResult = Result<RenderedImage, ServiceError>
    /// Callback of one member, called on the render thread. The first call, with true, is at the beginning of the
    /// group's work. Every member except the first in the group gets a second call, with false, before its filters and
    /// encoding.
    typealias BeginHandler = @Sendable (_ isFirst: Bool) -> Void

    private struct Member {
        let prepared: PreparedRender
        let begin: BeginHandler
        let decode: DecodeClock
        /// Cancels only the work for this member.
        let flag = CancellationFlag()
        let results: AsyncStream<RenderResult>.Continuation
    }

    private struct Group {
        let key: Key
        let bytes: [UInt8]
        var members: [Int: Member] = [:]
        var byteCount = 0
        var last = 0
        var task: Task<Void, Never>?
    }

    private struct State {
        var groups: [Int: Group] = [:]
        /// Groups that still accept members.
        var open: [Key: Int] = [:]
        var last = 0
    }

    private let renderer: Renderer
    private let queue: DecodeQueue
    private let counters: ServiceCounters
    private let metrics: ServiceMetrics
    private let state = Mutex(State())

    init(_ renderer: Renderer, _ queue: DecodeQueue, _ counters: ServiceCounters, _ metrics: ServiceMetrics) {
        self.metrics = metrics
        self.renderer = renderer
        self.queue = queue
        self.counters = counters
    }

    /// Number of members of all groups, including those that are being rendered.
    var waitingCount: Int { state.locked(in: self) { $0.groups.values.reduce(0) { $0 + $1.members.count } } }

    /// Renders together with the waiting renders of the same key, if any.
    ///
    /// - Parameters:
    ///   - bytes: The source, whose digest is in the key.
    ///   - decode: Stopwatch that is stopped when the image is decoded.
    /// - Throws: The errors of ``Renderer/render(_:_:decode:cancellation:)``; `deadline` when the calling task is
    ///   cancelled.
    func render(
        _ prepared: PreparedRender, _ bytes: [UInt8], _ key: Key, _ decode: DecodeClock, _ begin: @escaping BeginHandler
    ) async throws(ServiceError) -> RenderedImage {
        let (stream, results) = AsyncStream.makeStream(of: RenderResult.self)
        let member = Member(prepared: prepared, begin: begin, decode: decode, results: results)
        let (group, number) = join(member, bytes, key)
        for await result in stream { return try result.get() }
        cancelMember(group, number)
        throw ServiceError(.deadline, "the render was cancelled")
    }

    private func join(_ member: Member, _ bytes: [UInt8], _ key: Key) -> (group: Int, number: Int) {
        let byteCount = member.prepared.byteCount
        let (position, isNew) = state.locked(in: self) { state -> ((Int, Int), Bool) in
            if let open = state.open[key], let group = state.groups[open], group.members.count < Self.maxMembers,
                group.byteCount.addingClamped(byteCount) <= queue.budget.maxBytes
            {
                state.groups[open]?.last += 1
                state.groups[open]?.byteCount += byteCount
                state.groups[open]?.members[group.last + 1] = member
                return ((open, group.last + 1), false)
            }
            state.last += 1
            state.groups[state.last] = Group(
                key: key, bytes: bytes, members: [1: member], byteCount: byteCount, last: 1)
            state.open[key] = state.last
            return ((state.last, 1), true)
        }
        if isNew {
            let task = Task { await runGroup(position.0) }
            let isCancelled = state.locked(in: self) { state in
                state.groups[position.0]?.task = task
                return state.groups[position.0]?.members.isEmpty == true
            }
            if isCancelled { task.cancel() }
        }
        return position
    }

    private func cancelMember(_ number: Int, _ position: Int) {
        let (member, cancelledTask) = state.locked(in: self) { state -> (Member?, Task<Void, Never>?) in
            guard let member = state.groups[number]?.members.removeValue(forKey: position) else { return (nil, nil) }
            guard let group = state.groups[number], group.members.isEmpty else { return (member, nil) }
            if state.open[group.key] == number { state.open[group.key] = nil }
            return (member, group.task)
        }
        member?.flag.cancel()
        cancelledTask?.cancel()
    }

    private func runGroup(_ number: Int) async {
        let failure: ServiceError
        do throws(DecodeError) {
            try await queue.run(measure: { self.closeGroup(number) }) { self.renderGroup(number, $0) }
            failure = ServiceError(.internalFault, "a shared render ended without a result or an error")
        } catch {
            failure = ServiceError(error)
        }
        let remaining = state.locked(in: self) { state -> [Member] in
            guard let group = state.groups.removeValue(forKey: number) else { return [] }
            if state.open[group.key] == number { state.open[group.key] = nil }
            return Array(group.members.values)
        }
        for member in remaining { member.results.yield(.failure(failure)) }
    }

    /// Closes a group to new members and returns the memory estimate of its members in bytes.
    private func closeGroup(_ number: Int) -> Int {
        state.locked(in: self) { state in
            guard let group = state.groups[number] else { return 0 }
            if state.open[group.key] == number { state.open[group.key] = nil }
            return group.members.values.reduce(0) { $0.addingClamped($1.prepared.byteCount) }
        }
    }

    /// Decodes as few times as possible, then computes the results one after the other. `flag` is set when all members
    /// have cancelled.
    private func renderGroup(_ number: Int, _ flag: CancellationFlag) {
        guard let group = state.locked(in: self, { $0.groups[number] }) else { return }
        let members = group.members.sorted { $0.key < $1.key }
        for member in members { member.value.begin(true) }
        let start = ContinuousClock.now
        let (images, decodeCount) = renderer.resampledImages(members.map(\.value.prepared), group.bytes, flag)
        let duration = start.duration(to: .now)
        for (member, resampled) in zip(members, images) where resampled.isSuccess { member.value.decode.end() }
        counters.countDecodes(decodeCount)
        for _ in decodeCount..<max(decodeCount, members.count) { metrics.shared(.decode) }
        for ((position, member), resampled) in zip(members, images) {
            if position != members.first?.key { member.begin(false) }
            let result: RenderResult
            do throws(ServiceError) {
                var image = try renderer.finish(
                    try resampled.get(), member.prepared, member.prepared.plan, sourceBytes: group.bytes.count,
                    cancellation: member.flag)
                image.decodeDuration = duration
                result = .success(image)
            } catch {
                result = .failure(error)
            }
            state.locked(in: self) { _ = $0.groups[number]?.members.removeValue(forKey: position) }
            member.results.yield(result)
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
