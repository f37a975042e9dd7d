@testable import PlatformImageLoader

/// Runs the steps of a behaviour through the cache policy and a store, as a loader does, with a simulated clock.
struct ScenarioClient<Store: ScenarioStore> {
    /// The response that the caller of one load receives.
    struct Shown {
        var source: Step.Source
        var status: Int?
        var fields = HeaderFields()
        var body: [UInt8]?
    }

    private var store: Store
    private var origin: ScriptedOrigin
    private var now: WallTime
    private let start: WallTime
    private let behaviour: Behaviour
    private let settings: CacheSettings

    init(_ behaviour: Behaviour, store: Store) {
        self.behaviour = behaviour
        self.store = store
        origin = ScriptedOrigin(steps: behaviour.steps)
        // Saturday 2026-01-03 12:00 UTC plus a fraction of a second. The rows contain absolute dates before and after
        // this time.
        start = WallTime(milliseconds: 1_767_441_600_250)
        now = start
        var settings = CacheSettings()
        switch behaviour.staleIfError {
        case .serverDirective: settings.staleIfError = .serverDirective
        case .upToOneHour: settings.staleIfError = .upTo(.seconds(3600))
        case nil: break
        }
        self.settings = settings
    }

    /// The differences from the expectations of the steps; empty when the behaviour is met.
    mutating func differences() throws -> [String] {
        var differences: [String] = []
        for (number, step) in behaviour.steps.enumerated() {
            let shown = try load(step, number)
            differences += check(step, number, shown).map { "step \(number + 1): \($0)" }
            now = now.adding(milliseconds: Int64(step.pause) * 1000)
        }
        return differences
    }

    private mutating func load(_ step: Step, _ number: Int) throws -> Shown {
        guard let key = CacheKey(url: step.url) else { throw ScenarioError(text: "not a valid URL: \(step.url)") }
        let request = CacheRequest(fields: step.asking.fields(at: now), policy: step.policy)
        let stored = try store.find(key, request: request.fields)
        switch CacheDecision.decide(entry: usable(stored), request: request, settings: settings, now: now) {
        case .useStored(let answer, let refresh):
            if let refresh { _ = try exchange(refresh, request, key, number) }
            return Shown(source: .cached, status: answer.status, fields: answer.fields, body: stored?.body)
        case .send(let plan, _):
            return try exchange(plan, request, key, number)
        case .fail(let error, _):
            return Shown(source: .failed, status: error.status)
        case .notInCache:
            return Shown(source: .notInCache, status: 504)
        }
    }

    /// The entry that is passed to the cache policy: without its response when no body is stored.
    private func usable(_ stored: (entry: CacheEntry, body: [UInt8]?)?) -> CacheEntry? {
        guard let stored, stored.body == nil else { return stored?.entry }
        var entry = stored.entry
        entry.response = nil
        return entry
    }

    /// Sends a request and, when the cache policy requires it, a second one without validators.
    private mutating func exchange(
        _ plan: RequestPlan, _ request: CacheRequest, _ key: CacheKey, _ number: Int
    ) throws -> Shown {
        let step = behaviour.steps[number]
        let stored = try store.find(key, request: request.fields)
        let sent = HeaderFields(request.fields.lines + plan.addedFields.lines)
        let requestTime = now
        let reply = origin.reply(to: sent, step: number, now: now)
        now = now.adding(milliseconds: Int64(step.delay) * 1000)
        let exchange = CacheExchange(request: request, plan: plan, requestTime: requestTime, responseTime: now)
        try checkInterimIsNotStored(step, key, exchange, usable(stored))
        let result: ExchangeResult
        var received: [UInt8]?
        switch reply {
        case .disconnected: result = .transportFailure
        case .head(let status, let fields, let body):
            received = body
            result = .response(
                ResponseHead(status: status, fields: fields),
                body: step.cutsBody ? .incomplete : .complete(bytes: body.count))
        }
        let outcome = CacheOutcome.decide(
            entry: usable(stored), key: key, exchange: exchange, result: result, settings: settings, now: now)
        switch outcome.store {
        case .nothing: break
        case .write(let entry, let storesBody): try store.write(entry, body: storesBody ? received : nil)
        case .update(let entry): try store.update(entry)
        case .remove: try store.remove(key, request: request.fields)
        }
        switch outcome.result {
        case .received(let fields):
            guard case .response(let head, _) = result else {
                throw ScenarioError(text: "a response was used, but none was received")
            }
            return Shown(source: .fetched, status: head.status, fields: fields, body: received)
        case .notModified(let answer):
            let source: Step.Source = sent.contains("If-None-Match") ? .etagValidated : .dateValidated
            return Shown(source: source, status: answer.status, fields: answer.fields, body: stored?.body)
        case .stale(let answer):
            return Shown(source: .cached, status: answer.status, fields: answer.fields, body: stored?.body)
        case .retryUnconditionally(let next):
            guard !plan.isUnconditionalRetry else { throw ScenarioError(text: "the request was repeated twice") }
            return try self.exchange(next, request, key, number)
        case .transportFailure:
            return Shown(source: .failed)
        }
    }

    /// An interim response is never stored, even when a transport passes it to the policy by mistake.
    private func checkInterimIsNotStored(
        _ step: Step, _ key: CacheKey, _ exchange: CacheExchange, _ entry: CacheEntry?
    ) throws {
        guard let interim = step.interim else { return }
        let head = ResponseHead(status: interim.status, fields: interim.fields.fields(at: now))
        let outcome = CacheOutcome.decide(
            entry: entry, key: key, exchange: exchange, result: .response(head, body: .complete(bytes: 0)),
            settings: settings, now: now)
        if case .write = outcome.store { throw ScenarioError(text: "status \(interim.status) is stored") }
    }

    private func check(_ step: Step, _ number: Int, _ shown: Shown) -> [String] {
        var differences: [String] = []
        let seen = origin.requests.filter { $0.step == number }.map(\.fields)
        if let expected = step.expect, expected != shown.source {
            differences.append("\(shown.source), not \(expected)")
        }
        if let expected = step.expectedStatus, expected != shown.status {
            differences.append("status \(shown.status ?? 0), not \(expected)")
        }
        for (name, value) in step.shows.lines where !value.accepts(shown.fields[name], at: start) {
            differences.append("\(name) is \(text(shown.fields[name])), not \(value)")
        }
        for name in step.hides where shown.fields.contains(name) {
            differences.append("\(name) is \(text(shown.fields[name])), not absent")
        }
        for (name, value) in step.sends.lines
        where !seen.contains(where: { value.accepts($0[name], at: start) }) {
            differences.append("the origin sees no \(name) of \(value)")
        }
        for name in step.omits where seen.contains(where: { $0.contains(name) }) {
            differences.append("the origin sees \(name)")
        }
        if step.expect == .notInCache, !seen.isEmpty { differences.append("the origin sees a request") }
        if step.showsInterim { differences.append("no interim response is delivered") }
        return differences + checkBody(step, number, shown)
    }

    /// Fields and body must be of the same response: the response to this step if it was fetched, otherwise the
    /// response to another step.
    private func checkBody(_ step: Step, _ number: Int, _ shown: Shown) -> [String] {
        switch shown.source {
        case .failed, .notInCache: return []
        case .cached, .fetched, .etagValidated, .dateValidated: break
        }
        if shown.status == 304 || shown.status == 999 { return ["status \(shown.status ?? 0)"] }
        guard let answer = shown.fields["Answer-Number"].flatMap({ Int(String(decoding: $0, as: UTF8.self)) }),
            behaviour.steps.indices.contains(answer)
        else { return ["the answer has no number"] }
        var differences: [String] = []
        if (answer == number) != (shown.source == .fetched) { differences.append("answer \(answer) is shown") }
        if shown.body != ScriptedOrigin.body(of: behaviour.steps[answer], answer) {
            differences.append("the body is not that of answer \(answer)")
        }
        if let body = step.body, shown.body != Array(body.utf8) { differences.append("the body is not \(body)") }
        return differences
    }

    private func text(_ value: [UInt8]?) -> String {
        value.map { "'\(String(decoding: $0, as: UTF8.self))'" } ?? "absent"
    }
}
