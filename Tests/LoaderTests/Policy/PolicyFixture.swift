@testable import PlatformImageLoader

/// A key, a fixed time and stored responses for the policy tests. The time has no fraction of a second.
enum PolicyFixture {
    static let now = WallTime(seconds: 1_700_000_000)
    static let url = "http://origin.test/image.png"

    static func key() throws -> CacheKey {
        guard let key = CacheKey(url: url) else { throw Missing() }
        return key
    }

    struct Missing: Error {}

    /// A response received `age` seconds ago.
    static func response(
        _ fields: HeaderFields, status: Int = 200, age: Int64 = 0, request: HeaderFields = [:]
    ) -> StoredResponse {
        let time = now.adding(milliseconds: -age * 1000)
        return StoredResponse(
            status: status, fields: fields, requestTime: time, responseTime: time, createdAt: time,
            vary: Vary.values(of: fields, request: request) ?? [])
    }

    static func entry(
        _ fields: HeaderFields, status: Int = 200, age: Int64 = 0, request: HeaderFields = [:],
        failure: FailureRecord? = nil
    ) throws -> CacheEntry {
        CacheEntry(
            key: try key(), response: response(fields, status: status, age: age, request: request), failure: failure)
    }

    /// The outcome of the request that the policy decides to send for `entry`.
    static func outcome(
        _ status: Int, _ fields: HeaderFields = [:], body: ReceivedBody = .complete(bytes: 10),
        entry: CacheEntry? = nil, request: CacheRequest = CacheRequest(), settings: CacheSettings = CacheSettings(),
        now: WallTime = now
    ) throws -> CacheOutcome {
        try outcome(
            .response(ResponseHead(status: status, fields: fields), body: body), entry: entry, request: request,
            settings: settings, now: now)
    }

    static func outcome(
        _ result: ExchangeResult, entry: CacheEntry? = nil, request: CacheRequest = CacheRequest(),
        settings: CacheSettings = CacheSettings(), now: WallTime = now
    ) throws -> CacheOutcome {
        let plan: RequestPlan
        switch CacheDecision.decide(entry: entry, request: request, settings: settings, now: now) {
        case .send(let sent, _): plan = sent
        case .useStored(_, let refresh): plan = refresh ?? RequestPlan()
        case .fail, .notInCache: plan = RequestPlan()
        }
        return CacheOutcome.decide(
            entry: entry, key: try key(),
            exchange: CacheExchange(request: request, plan: plan, requestTime: now, responseTime: now), result: result,
            settings: settings, now: now)
    }
}

extension CacheOutcome {
    /// The entry that is written or updated; nil for none.
    var entry: CacheEntry? {
        switch store {
        case .write(let entry, _), .update(let entry): entry
        case .nothing, .remove: nil
        }
    }
}

extension HeaderFields {
    /// Several lines with the same field name.
    init(_ name: String, lines values: [String]) { self.init(values.map { HeaderField(name, $0) }) }

    /// The joined value as text; nil without such a field.
    func text(_ name: String) -> String? { self[name].map { String(decoding: $0, as: UTF8.self) } }
}
