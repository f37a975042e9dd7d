#if AsyncHTTPClient
import NIOCore

/// Where an answer is written: an HTTP/1 connection or an HTTP/2 stream. Every call returns when the network took it.
protocol OriginWire: Sendable {
    func interim(_ status: Int, _ fields: [OriginField]) async throws
    func head(_ response: OriginResponse) async throws
    func piece(_ bytes: ArraySlice<UInt8>, of response: OriginResponse) async throws
    func end(_ response: OriginResponse) async throws
    /// Cuts what is being sent short.
    func cut() async throws
    /// Does one of the answers that are not a response.
    func misbehave(_ answer: OriginAnswer) async throws
}

extension OriginWire {
    /// Writes an answer, part after part. Throws when the other side went away.
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
