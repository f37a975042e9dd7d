import PlatformImage

/// A transport over libcurl.
public final class CurlTransport: HTTPTransport {
    /// Placeholder until the transport is written.
    public init(proxy: ProxySetting = .environment, connectionsPerHost: Int = 8) {}
    public func validate(_ trust: TrustSettings) throws(LoadError) {}
    public func send(
        _ request: HTTPRequest, trust: TrustSettings, timeouts: TransportTimeouts
    ) async throws -> HTTPResponse { throw LoadError.transport("not implemented") }
}
