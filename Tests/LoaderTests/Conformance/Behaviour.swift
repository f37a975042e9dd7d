import Testing

@testable import PlatformImageLoader

/// One behaviour of the public project http-tests/cache-tests, described as a scenario.
struct Behaviour: Sendable, CustomTestStringConvertible {
    /// The kind of a behaviour in cache-tests: a MUST, an optimization, or a check without a correct result.
    enum Kind: String, Sendable, CaseIterable {
        case required, optimal, check
    }

    /// The result of the loader's cache: as cache-tests expects, or different.
    enum Verdict: Sendable, Equatable {
        case met
        /// Not met for this reason, with exactly these differences.
        case notMet(String, found: [String] = ["step 2: fetched, not cached"])
    }

    let id: String
    let kind: Kind
    let verdict: Verdict
    let steps: [Step]
    /// The setting `staleIfError`; nil means the default.
    var staleIfError: StaleChoice?
    /// Remark in the row of Docs/cache-tests.md.
    var note = ""

    enum StaleChoice: Sendable {
        case serverDirective, upToOneHour
    }

    init(
        _ id: String, _ kind: Kind = .required, _ verdict: Verdict = .met, staleIfError: StaleChoice? = nil,
        note: String = "", steps: [Step]
    ) {
        self.id = id
        self.kind = kind
        self.verdict = verdict
        self.steps = steps
        self.staleIfError = staleIfError
        self.note = note
    }

    /// The most frequent form: the origin responds with `answer`, and the request is repeated three seconds later.
    init(
        _ id: String, _ kind: Kind = .required, _ verdict: Verdict = .met, answer: ScriptedFields, then: Step.Source,
        note: String = ""
    ) {
        self.init(id, kind, verdict, note: note, steps: [.get(answer, pause: 3), .get(expect: then)])
    }

    var testDescription: String { id }
}

/// One load and the response of the origin.
struct Step: Sendable {
    /// The source of a response.
    enum Source: Sendable, Equatable {
        /// The stored response, which the origin did not validate for this load.
        case cached
        /// The body that the origin sent for this load.
        case fetched
        /// The stored body, after a 304 response to a request with exactly the stored entity tag.
        case etagValidated
        /// The stored body, after a 304 response to a request with exactly the stored `Last-Modified` date.
        case dateValidated
        /// The load failed.
        case failed
        /// None: there was no usable stored response and a request was not allowed, so the status is 504.
        case notInCache
    }

    var url = "http://origin.test/picture"
    var policy = CachePolicy.default
    /// The request fields of the caller.
    var asking = ScriptedFields()
    /// The response fields of the origin, if it receives a request.
    var answer = ScriptedFields()
    var status = 200
    /// The response body; `nil` means a body that is different for each step.
    var body: String?
    /// The status and fields of a 1xx response before the final response; nil for none.
    var interim: (status: Int, fields: ScriptedFields)?
    /// True when the origin closes the connection without a response.
    var disconnects = false
    /// True when the origin responds with 304 to every request with `If-None-Match`, whatever the entity tag is.
    var confirmsAnything = false
    /// True when the connection closes before the end of the body.
    var cutsBody = false
    /// Seconds from the request to the response head.
    var delay = 0
    /// The expected source of the response; `nil` accepts any source.
    var expect: Source?
    var expectedStatus: Int?
    /// Fields that the caller must receive with these values.
    var shows = ScriptedFields()
    /// Fields that the caller must not receive.
    var hides: [String] = []
    /// Fields that the origin must receive with these values.
    var sends = ScriptedFields()
    /// Fields that the origin must not receive.
    var omits: [String] = []
    /// True when the caller must also receive the interim response.
    var showsInterim = false
    /// Seconds from the response to the next load.
    var pause = 0

    static func get(
        _ answer: ScriptedFields = [:], asking: ScriptedFields = [:], status: Int = 200, expect: Source? = nil,
        shows: ScriptedFields = [:], hides: [String] = [], pause: Int = 0
    ) -> Step {
        var step = Step()
        step.answer = answer
        step.asking = asking
        step.status = status
        step.expect = expect
        step.shows = shows
        step.hides = hides
        step.pause = pause
        return step
    }

    /// Returns this step with one more property set.
    func with<Value>(_ property: WritableKeyPath<Step, Value>, _ value: Value) -> Step {
        var step = self
        step[keyPath: property] = value
        return step
    }
}
