@testable import PlatformImageHTTPServer

/// Runs a server with its threads until `body` returns.
func withServer<Value>(
    _ handler: any RequestHandler, loops: Int = 1,
    _ change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (HTTPServer) async throws -> Value
) async throws -> Value {
    var configuration = ServerConfiguration(listeners: [.tcp(host: "127.0.0.1", port: 0)])
    configuration.loops = loops
    // Limits that a slow machine does not reach.
    configuration.time.head = .seconds(3_600)
    configuration.time.request = .seconds(3_600)
    change(&configuration)
    let server = try await HTTPServer.start(configuration, handler: handler)
    do {
        let value = try await body(server)
        await server.stop()
        return value
    } catch {
        await server.stop()
        throw error
    }
}
