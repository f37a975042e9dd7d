#if AsyncHTTPClient
import AsyncHTTPClient
import Testing

@testable import PlatformImageLoader

/// `prepare` and the tracer of a client's configuration. There is no test with a custom tracer, because it needs the
/// module Tracing, which is not a direct dependency.
@Suite struct TransportTracerTests {
    /// This process sets no tracer, so the library's default is the no-op tracer.
    @Test func prepareRemovesTheNoOpTracerFromAClientConfiguration() throws {
        var configuration = HTTPClient.Configuration()
        let tracer = try #require(configuration.tracing.tracer)
        #expect(String(describing: type(of: tracer)) == "NoOpTracer")

        AsyncHTTPClientTransport.prepare(&configuration)

        #expect(configuration.tracing.tracer == nil)
    }

    @Test func prepareAddsNoTracerToAClientConfigurationWithoutATracer() {
        var configuration = HTTPClient.Configuration()
        configuration.tracing.tracer = nil

        AsyncHTTPClientTransport.prepare(&configuration)

        #expect(configuration.tracing.tracer == nil)
    }

    @Test func preparingAClientConfigurationTwiceHasTheResultOfPreparingItOnce() {
        var configuration = HTTPClient.Configuration()
        for _ in 0..<2 { AsyncHTTPClientTransport.prepare(&configuration) }

        #expect(configuration.tracing.tracer == nil)
        #expect(!configuration.connectionPool.retryConnectionEstablishment)
    }
}
#endif
