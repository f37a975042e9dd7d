@testable import PlatformImageLoader

/// The server of a scenario: responds to each request as the step specifies and records the requests.
struct ScriptedOrigin {
    /// A response of the origin.
    enum Reply {
        case head(status: Int, fields: HeaderFields, body: [UInt8])
        case disconnected
    }

    let steps: [Step]
    /// All requests, each with its step.
    private(set) var requests: [(step: Int, fields: HeaderFields)] = []
    /// The last `ETag` that was sent in a response; `modified` is the last `Last-Modified`.
    private var tag: [UInt8]?
    private var modified: [UInt8]?

    init(steps: [Step]) { self.steps = steps }

    /// The response body of step `number`; steps without an explicit body have different bodies.
    static func body(of step: Step, _ number: Int) -> [UInt8] {
        Array((step.body ?? "the body of answer \(number)").utf8)
    }

    /// Responds to a request of step `number`.
    ///
    /// When the step expects a validation and the request does not have the stored validator, byte for byte, the status
    /// is 999.
    mutating func reply(to fields: HeaderFields, step number: Int, now: WallTime) -> Reply {
        let step = steps[number]
        requests.append((number, fields))
        if step.disconnects { return .disconnected }
        var answer = step.answer.fields(at: now)
        if step.confirmsAnything, fields.contains("If-None-Match") {
            return .head(status: 304, fields: answer, body: [])
        }
        switch step.expect {
        case .etagValidated, .dateValidated:
            let isTag = step.expect == .etagValidated
            let validator = isTag ? tag : modified
            guard let validator, fields[lines: isTag ? "If-None-Match" : "If-Modified-Since"] == [validator] else {
                return .head(status: 999, fields: answer, body: [])
            }
            remember(answer)
            return .head(status: 304, fields: answer, body: [])
        default:
            // Identifies the body, so that fields of one response with the body of another are detected.
            answer.append("Answer-Number", "\(number)")
            // An incomplete body must not be stored, so later requests must contain the earlier validators.
            if !step.cutsBody { remember(answer) }
            return .head(status: step.status, fields: answer, body: Self.body(of: step, number))
        }
    }

    private mutating func remember(_ answer: HeaderFields) {
        tag = answer["ETag"] ?? tag
        modified = answer["Last-Modified"] ?? modified
    }
}
