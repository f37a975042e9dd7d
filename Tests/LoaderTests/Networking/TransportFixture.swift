import PlatformImageLoopbackOrigin
import Testing

@testable import PlatformImageLoader

/// Helpers of the transport tests.
enum TransportFixture {
    struct Reply {
        let head: ResponseHead
        let body: [UInt8]
    }

    /// No timeouts, so that tests on a busy machine take longer instead of failing.
    static let patient: TransportTimeouts = {
        var timeouts = TransportTimeouts()
        timeouts.connect = nil
        timeouts.idle = nil
        return timeouts
    }()

    /// Sends a GET and reads all of the body.
    static func get(
        _ url: String, with transport: CurlTransport, fields: HeaderFields = [:],
        trust: TrustSettings = TrustSettings(), timeouts: TransportTimeouts = patient
    ) async throws -> Reply {
        let request = HTTPRequest(url: url, fields: fields)
        let response = try await transport.send(request, trust: trust, timeouts: timeouts)
        var body: [UInt8] = []
        for try await chunk in response.body { body += chunk }
        return Reply(head: response.head, body: body)
    }

    /// Sends a GET, reads all of the body and returns the error; nil for success.
    static func failure(
        _ url: String, with transport: CurlTransport, trust: TrustSettings = TrustSettings(),
        timeouts: TransportTimeouts = patient
    ) async -> LoadError? {
        do {
            _ = try await get(url, with: transport, trust: trust, timeouts: timeouts)
            return nil
        } catch {
            return error as? LoadError
        }
    }

    /// A byte pattern in which shifted or swapped bytes are detected.
    static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) } }
}
