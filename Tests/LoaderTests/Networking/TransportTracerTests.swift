#if AsyncHTTPClient
import AsyncHTTPClient
import Testing

@testable import PlatformImageLoader

/// What preparing a client's configuration does to its tracer. A tracer of a host's own would need the module Tracing,
/// which nothing here depends on by name.
@Suite struct TransportTracerTests {
    /// Nothing in this process gives the library a tracer, so it takes the one that does nothing.
    @Test func aTracerThatDoesNothingIsTakenOut() throws {
        var configuration = HTTPClient.Configuration()
        let tracer = try #require(configuration.tracing.tracer)
        #expect(String(describing: type(of: tracer)) == "NoOpTracer")

        AsyncHTTPClientTransport.prepare(&configuration)

        #expect(configuration.tracing.tracer == nil)
    }

    @Test func aConfigurationWithoutATracerStaysWithoutOne() {
        var configuration = HTTPClient.Configuration()
        configuration.tracing.tracer = nil

        AsyncHTTPClientTransport.prepare(&configuration)

        #expect(configuration.tracing.tracer == nil)
    }

    @Test func preparingTwiceIsPreparingOnce() {
        var configuration = HTTPClient.Configuration()
        for _ in 0..<2 { AsyncHTTPClientTransport.prepare(&configuration) }

        #expect(configuration.tracing.tracer == nil)
        #expect(!configuration.connectionPool.retryConnectionEstablishment)
    }
}
#endif
