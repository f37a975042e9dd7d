import PlatformImage
import PlatformImageTestSupport

@testable import PlatformImageLoader

/// A scripted response to one request.
struct ScriptedReply: Sendable {
    enum Ending: Sendable {
        case complete
        /// The connection closes after the chunks.
        case closed
        /// The response stays open until the exchange is cancelled.
        case stalled
    }

    var status = 200
    var fields: HeaderFields = [:]
    var chunks: [[UInt8]] = []
    var ending = Ending.complete
    /// Thrown instead of a response.
    var error: LoadError?
    /// The response waits for this gate.
    var headGate: Gate?
    /// The body waits for this gate after its first chunk.
    var bodyGate: Gate?

    /// An image response, fresh for `maxAge` seconds, in chunks of 100 bytes.
    static func image(_ bytes: [UInt8], maxAge: Int? = nil, etag: String? = nil) -> Self {
        var reply = Self(fields: ["Content-Type": "image/png", "Content-Length": "\(bytes.count)"])
        if let maxAge { reply.fields.append("Cache-Control", "max-age=\(maxAge)") }
        if let etag { reply.fields.append("ETag", etag) }
        reply.chunks = stride(from: 0, to: bytes.count, by: 100).map { Array(bytes[$0..<min($0 + 100, bytes.count)]) }
        return reply
    }

    static func status(_ status: Int, _ fields: HeaderFields = [:]) -> Self { Self(status: status, fields: fields) }
    static var offline: Self { Self(error: .transport("no route")) }
}

/// Sends scripted responses and records the requests.
final class ScriptedTransport: HTTPTransport {
    private let answer: @Sendable (HTTPRequest, Int) -> ScriptedReply
    private let seen = Locked<[HTTPRequest]>([])
    private let open = Locked(0)

    /// - Parameter answer: Returns the response; receives the request and its number, from 1.
    init(_ answer: @escaping @Sendable (HTTPRequest, Int) -> ScriptedReply) { self.answer = answer }

    /// Sends these responses in order and then repeats the last one.
    convenience init(_ replies: ScriptedReply...) {
        self.init { _, number in replies[min(number, replies.count) - 1] }
    }

    var requests: [HTTPRequest] { seen.value }
    /// The number of exchanges (request and response) that are neither finished nor cancelled.
    var openCount: Int { open.value }

    func validate(_ trust: TrustSettings) throws(LoadError) {
        if trust.trustAnySSLCertificate { throw .configuration("a script has no certificates") }
    }

    func send(
        _ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts
    ) async throws -> HTTPResponse {
        var number = 0
        seen.update {
            $0.append(request)
            number = $0.count
        }
        let reply = answer(request, number)
        let exchange = OpenExchange(open)
        try await reply.headGate?.pass()
        if let error = reply.error { throw error }
        let position = Locked(0)
        let body = HTTPBody {
            _ = exchange
            var index = 0
            position.update {
                index = $0
                $0 += 1
            }
            if index == 1 { try await reply.bodyGate?.pass() }
            try Task.checkCancellation()
            if index < reply.chunks.count { return reply.chunks[index] }
            switch reply.ending {
            case .complete: return nil
            case .closed: throw LoadError.transport("the connection was reset")
            case .stalled:
                try await Gate().pass()
                return nil
            }
        }
        return HTTPResponse(head: ResponseHead(status: reply.status, fields: reply.fields), body: body)
    }

    private final class OpenExchange: Sendable {
        private let open: Locked<Int>

        init(_ open: Locked<Int>) {
            self.open = open
            open.update { $0 += 1 }
        }

        deinit { open.update { $0 -= 1 } }
    }
}

/// Suspends tasks until the gate is opened or the task is cancelled.
final class Gate: Sendable {
    private let channel = LoadChannel<Bool>()
    private let arrivals = LoadChannel<Bool>()

    /// Waits until the gate is open; for one task at a time. Throws when the task is cancelled.
    func pass() async throws {
        arrivals.send(true)
        await withTaskCancellationHandler {
            _ = await channel.next()
        } onCancel: {
            channel.close()
        }
        try Task.checkCancellation()
    }

    /// Returns when a task waits at this gate, or when the calling task is cancelled.
    func arrival() async {
        await withTaskCancellationHandler {
            _ = await arrivals.next()
        } onCancel: {
            arrivals.close()
        }
    }

    func open() { channel.close() }
}
