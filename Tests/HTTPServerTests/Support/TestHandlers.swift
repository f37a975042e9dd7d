import PlatformImageTestSupport

@testable import PlatformImageHTTPServer

/// A handler of two functions.
struct TestHandler: RequestHandler {
    let respond: @Sendable (Request) -> Answer

    init(_ respond: @escaping @Sendable (Request) -> Answer) { self.respond = respond }

    func answer(to request: Request) -> Answer { respond(request) }

    /// Answers every request with a text, at once.
    static func fixed(_ text: String = "ok") -> Self {
        Self { _ in .response(Response(status: 200, body: .bytes(Array(text.utf8)))) }
    }

    /// Answers GET at once with its target, and reads the body of other requests.
    static let echo = Self { request in
        let (method, target) = (request.head.method, request.head.target)
        guard method != .get, method != .head else { return .response(Response(status: 200, text: target)) }
        return .task { exchange in
            var bytes: [UInt8] = []
            do {
                while let part = try await exchange.body.next() { bytes += part }
            } catch {
                return Response(status: 500, text: "\(error)")
            }
            return Response(status: 200, body: .bytes(Array("\(method.rawValue) \(target) ".utf8) + bytes))
        }
    }
}

/// Lets the tasks of requests wait until a test opens the gate.
final class TestGate: Sendable {
    private let state = Locked<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))
    private let arrived = Locked(0)

    /// Number of tasks that have reached the gate.
    var arrivals: Int { arrived.value }

    func wait() async {
        await withCheckedContinuation { continuation in
            arrived.update { $0 += 1 }
            var resumes = false
            state.update { state in
                resumes = state.isOpen
                if !resumes { state.waiters.append(continuation) }
            }
            if resumes { continuation.resume() }
        }
    }

    func open() {
        var waiters: [CheckedContinuation<Void, Never>] = []
        state.update { state in
            waiters = state.waiters
            state = (true, [])
        }
        for waiter in waiters { waiter.resume() }
    }
}

let get = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"

/// The head of a POST request with additional field lines.
func post(_ fields: String, _ body: String = "") -> String {
    "POST /p HTTP/1.1\r\nHost: a.example\r\n\(fields)\r\n\r\n\(body)"
}
