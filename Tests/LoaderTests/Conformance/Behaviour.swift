#if Loader
import Testing

@testable import PlatformImageLoader

/// One behaviour of the public project http-tests/cache-tests, told again as a scenario of our own words.
struct Behaviour: Sendable, CustomTestStringConvertible {
    /// The project's weight of a behaviour: a MUST, an efficiency, or a question without a right answer.
    enum Kind: String, Sendable, CaseIterable {
        case required, optimal, check
    }

    /// Whether a cache of ours does what the project expects.
    enum Verdict: Sendable, Equatable {
        case met
        /// For a reason, and then it differs in exactly these points.
        case notMet(String, found: [String] = ["step 2: fetched, not cached"])
    }

    let id: String
    let kind: Kind
    let verdict: Verdict
    let steps: [Step]
    /// The host's choice of stale answers; nil leaves the settings as they are by default.
    var staleIfError: StaleChoice?
    /// What the reader of the table should know.
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

    /// The commonest form: the origin answers once with `answer`, and three seconds later the same is asked again.
    init(
        _ id: String, _ kind: Kind = .required, _ verdict: Verdict = .met, answer: ScriptedFields, then: Step.Source,
        note: String = ""
    ) {
        self.init(id, kind, verdict, note: note, steps: [.get(answer, pause: 3), .get(expect: then)])
    }

    var testDescription: String { id }
}

/// One load and what the origin would answer to it.
struct Step: Sendable {
    /// Where an answer came from.
    enum Source: Sendable, Equatable {
        /// From the store, before any request.
        case cached
        /// The body that the origin gave to this load.
        case fetched
        /// The stored body after a 304 to the stored entity tag, byte for byte.
        case etagValidated
        /// The stored body after a 304 to the stored date.
        case dateValidated
        /// No answer: the load failed.
        case failed
        /// No request and no answer: 504.
        case notInCache
    }

    var url = "http://origin.test/picture"
    var policy = CachePolicy.default
    /// What the caller asks with.
    var asking = ScriptedFields()
    /// What the origin answers with, if it is asked.
    var answer = ScriptedFields()
    var status = 200
    /// Nil stands for a body that no other step has.
    var body: String?
    /// The status and fields of a 1xx answer before the final one.
    var interim: (status: Int, fields: ScriptedFields)?
    /// The origin closes the connection instead of answering.
    var disconnects = false
    /// The origin answers any conditional request with 304, whatever it asks about.
    var confirmsAnything = false
    /// The connection ends before the body does.
    var cutsBody = false
    /// Seconds from the request to the head of the answer.
    var delay = 0
    /// Nil accepts any source.
    var expect: Source?
    var expectedStatus: Int?
    /// Fields of the answer that the caller must see with this value.
    var shows = ScriptedFields()
    /// Fields that the answer must not have.
    var hides: [String] = []
    /// Fields that the origin must see with this value.
    var sends = ScriptedFields()
    /// Fields that the origin must not see.
    var omits: [String] = []
    /// True when the caller must be given the interim answer as well.
    var showsInterim = false
    /// Seconds from the answer to the next load.
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

    /// This step with one more property set.
    func with<Value>(_ property: WritableKeyPath<Step, Value>, _ value: Value) -> Step {
        var step = self
        step[keyPath: property] = value
        return step
    }
}
#endif
