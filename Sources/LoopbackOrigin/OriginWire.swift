import NIOCore

/// The output of a response: an HTTP/1 connection or an HTTP/2 stream. Calls return when the data was written to the
/// socket.
protocol OriginWire: Sendable {
    func interim(_ status: Int, _ fields: [OriginField]) async throws
    func head(_ response: OriginResponse) async throws
    func chunk(_ bytes: ArraySlice<UInt8>, of response: OriginResponse) async throws
    func end(_ response: OriginResponse) async throws
    /// Aborts the response.
    func abort() async throws
    /// Performs an action that is not a response.
    func performFailure(_ action: OriginAction) async throws
}

extension OriginWire {
    /// Performs an action step by step. Throws when the client has disconnected.
    func perform(_ action: OriginAction, log: OriginLog) async throws {
        guard case .response(let response) = action else { return try await performFailure(action) }
        await response.gate?.waitUntilOpen()
        for head in response.interim { try await interim(head.status, head.fields) }
        try await head(response)
        await response.bodyGate?.waitUntilOpen()
        let length = min(response.failure?.after ?? response.body.count, response.body.count)
        var start = 0
        while start < length {
            if start > 0, let pause = response.pause { try await Task.sleep(for: pause) }
            let end = min(start + max(response.chunkSize, 1), length)
            try await chunk(response.body[start..<end], of: response)
            log.wrote(end - start)
            start = end
        }
        switch response.failure?.1 {
        case .close: try await abort()
        case .silence: break
        case nil: try await end(response)
        }
    }
}
