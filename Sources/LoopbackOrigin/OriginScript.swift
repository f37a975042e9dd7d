/// The steps of one response, in order; it knows no protocol.
///
/// A step that waits is returned again until its condition holds, so a caller may ask at any time.
struct OriginScript {
    enum Step {
        /// Nothing to do at present. The gate is set once, when the wait for it begins; a pause ends at
        /// ``OriginScript/deadline``.
        case wait(OriginGate?)
        case interim(Int, [OriginField])
        case head
        /// These bytes of the body.
        case chunk(Range<Int>)
        /// The end of a complete response.
        case end
        case failure(OriginResponse.Failure)
    }

    private enum Phase {
        case gate
        case interim(Int)
        case bodyGate
        case body(start: Int)
        case ended
    }

    let response: OriginResponse
    /// The end of the pause that the script waits for; nil outside of pauses.
    private(set) var deadline: ContinuousClock.Instant?
    private var phase = Phase.gate
    private var isAtGate = false

    init(_ response: OriginResponse) { self.response = response }

    /// Returns true when the complete body was returned and only ``Step/end`` follows.
    var isBeforeEnd: Bool {
        if case .body(let start) = phase { return start >= length && response.failure == nil }
        return false
    }

    /// Number of body bytes to send.
    private var length: Int { max(min(response.failure?.after ?? response.body.count, response.body.count), 0) }

    /// Returns the next step; nil after the last one.
    mutating func next() -> Step? {
        switch phase {
        case .gate:
            if let wait = wait(for: response.gate) { return wait }
            phase = .interim(0)
            return next()
        case .interim(let number) where number < response.interim.count:
            phase = .interim(number + 1)
            return .interim(response.interim[number].status, response.interim[number].fields)
        case .interim:
            phase = .bodyGate
            return .head
        case .bodyGate:
            if let wait = wait(for: response.bodyGate) { return wait }
            phase = .body(start: 0)
            return next()
        case .body(let start) where start < length:
            if start > 0, let pause = response.pause, isPausing(pause) { return .wait(nil) }
            let end = start + min(max(response.chunkSize, 1), length - start)
            phase = .body(start: end)
            return .chunk(start..<end)
        case .body:
            phase = .ended
            return response.failure.map { .failure($0.1) } ?? .end
        case .ended:
            return nil
        }
    }

    private mutating func wait(for gate: OriginGate?) -> Step? {
        guard let gate, !gate.isOpen else {
            isAtGate = false
            return nil
        }
        defer { isAtGate = true }
        return .wait(isAtGate ? nil : gate)
    }

    /// Begins or continues the pause before a chunk.
    private mutating func isPausing(_ pause: Duration) -> Bool {
        let now = ContinuousClock.now
        guard let deadline else {
            deadline = now + pause
            return true
        }
        if now < deadline { return true }
        self.deadline = nil
        return false
    }
}
