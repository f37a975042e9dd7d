#if Loader
@testable import PlatformImageLoader

/// The server of a scenario: it answers each request as the step says and remembers what it saw.
struct ScriptedOrigin {
    /// What the origin sends back.
    enum Reply {
        case head(status: Int, fields: HeaderFields, body: [UInt8])
        case disconnected
    }

    let steps: [Step]
    /// All requests with the step in which they came.
    private(set) var requests: [(step: Int, fields: HeaderFields)] = []
    /// The validators of the answer sent last, as bytes.
    private var tag: [UInt8]?
    private var modified: [UInt8]?

    init(steps: [Step]) { self.steps = steps }

    /// The body that step `number` answers with; no two steps without a body of their own share one.
    static func body(of step: Step, _ number: Int) -> [UInt8] {
        Array((step.body ?? "the body of answer \(number)").utf8)
    }

    /// Answers a request of step `number`.
    ///
    /// Where the step expects a validation, anything but the stored validator, byte for byte, is answered with 999.
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
            // Ties the fields to the body: whoever shows one with another answer's other is found out.
            answer.append("Answer-Number", "\(number)")
            // What never arrives whole is nothing that a client could ask to have confirmed.
            if !step.cutsBody { remember(answer) }
            return .head(status: step.status, fields: answer, body: Self.body(of: step, number))
        }
    }

    private mutating func remember(_ answer: HeaderFields) {
        tag = answer["ETag"] ?? tag
        modified = answer["Last-Modified"] ?? modified
    }
}
#endif
