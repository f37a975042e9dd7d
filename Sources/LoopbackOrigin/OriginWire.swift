#if AsyncHTTPClient
import NIOCore

/// The output of a response: an HTTP/1 connection or an HTTP/2 stream. Calls return when the network has the bytes.
protocol OriginWire: Sendable {
    func interim(_ status: Int, _ fields: [OriginField]) async throws
    func head(_ response: OriginResponse) async throws
    func piece(_ bytes: ArraySlice<UInt8>, of response: OriginResponse) async throws
    func end(_ response: OriginResponse) async throws
    /// Aborts the response.
    func cut() async throws
    /// Performs an answer that is not a response.
    func misbehave(_ answer: OriginAnswer) async throws
}

extension OriginWire {
    /// Performs an answer step by step. Throws when the client has disconnected.
    func play(_ answer: OriginAnswer, log: OriginLog) async throws {
        guard case .response(let response) = answer else { return try await misbehave(answer) }
        await response.gate?.opened()
        for head in response.interim { try await interim(head.status, head.fields) }
        try await head(response)
        await response.bodyGate?.opened()
        let length = min(response.failure?.after ?? response.body.count, response.body.count)
        var start = 0
        while start < length {
            if start > 0, let pause = response.pause { try await Task.sleep(for: pause) }
            let end = min(start + max(response.pieceSize, 1), length)
            try await piece(response.body[start..<end], of: response)
            log.wrote(end - start)
            start = end
        }
        switch response.failure?.1 {
        case .close: try await cut()
        case .silence: break
        case nil: try await end(response)
        }
    }
}
#endif
