/// A request that is not answered at once: it has a body, or a task computes its response or its body.
final class ActiveRequest {
    let id: ExchangeID
    var decoder: BodyDecoder
    /// The client waits for an interim response before it sends the body.
    var expectsContinue: Bool
    /// The side of the task; nil if no task computes the response.
    var exchange: Exchange?
    var task: Task<Void, Never>?
    /// The response, while the rest of the body is discarded.
    var heldResponse: Response?
    /// Bytes of the body that were discarded.
    var discardedBytes = 0
    /// Set while a task produces the body of the response.
    var stream: ResponseStream?

    init(_ id: ExchangeID, _ head: RequestHead) {
        self.id = id
        decoder = BodyDecoder(head.framing)
        expectsContinue = head.expectsContinue
    }

    /// Ends the work for the request.
    func cancel(_ failure: RequestBody.Failure) {
        exchange?.body.fail(failure)
        task?.cancel()
        stream?.end()
        stream = nil
    }
}

/// The body of a response that a task produces.
struct ResponseStream {
    let isChunked: Bool
    /// Bytes that are missing; nil if the length is unknown.
    var remaining: Int?
    let task: Task<Void, Never>
    /// Writes that wait until the client has received what was written.
    private var writes: [CheckedContinuation<Bool, Never>] = []

    init(isChunked: Bool, length: Int?, task: Task<Void, Never>) {
        (self.isChunked, remaining, self.task) = (isChunked, length, task)
    }

    mutating func wait(_ continuation: CheckedContinuation<Bool, Never>) { writes.append(continuation) }

    /// Ends the wait of the writes.
    mutating func resume(isOpen: Bool) {
        for write in writes { write.resume(returning: isOpen) }
        writes = []
    }

    /// Ends the stream without its rest.
    mutating func end() {
        task.cancel()
        resume(isOpen: false)
    }

    /// Bytes of a part in the framing of the body; nil if the body gets longer than its Content-Length.
    mutating func frame(_ bytes: [UInt8]) -> [[UInt8]]? {
        if let remaining {
            guard bytes.count <= remaining else { return nil }
            self.remaining = remaining - bytes.count
        }
        guard isChunked else { return [bytes] }
        return [Array((String(bytes.count, radix: 16) + "\r\n").utf8), bytes, [.carriageReturn, .lineFeed]]
    }
}

extension RequestHead {
    /// True if the client waits for `100 Continue` before it sends the body.
    package var expectsContinue: Bool { facts.expectsContinue }

    /// False if the client wants the connection to be closed after the response.
    var keepsAlive: Bool { facts.keepsAlive }
}
