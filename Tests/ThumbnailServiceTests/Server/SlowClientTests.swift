import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Timeouts of slow clients, on an embedded channel with a simulated clock.
@Suite struct SlowClientTests {
    enum Step: Sendable {
        case send(String)
        /// Advances the clock by this number of seconds.
        case wait(Int64)
        /// The service sends a response.
        case answer
    }

    private static let get = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
    private static let post = "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 10\r\n\r\n"

    /// The steps, and whether the connection is open after them.
    private static let table: [(steps: [Step], isOpen: Bool)] = [
        ([.wait(4)], true),
        ([.wait(5)], false),
        ([.send("GET"), .wait(4)], true),
        ([.wait(3), .send("GET / HTTP/1.1\r\n"), .wait(2)], false),
        ([.wait(4), .send("G"), .wait(1)], false),
        // After a complete request there is no time limit for the response.
        ([.wait(4), .send(get), .wait(1_000)], true),
        ([.send(get), .answer, .wait(1_000)], true),
        ([.send(post), .wait(9)], true),
        ([.send(post), .wait(10)], false),
        ([.send(post), .wait(9), .send("012345678"), .wait(1)], false),
        ([.send(post), .wait(9), .send("0123456789"), .wait(1_000)], true),
        // The next request has a separate time limit.
        ([.send(get), .answer, .wait(50), .send("GET"), .wait(4)], true),
        ([.send(get), .answer, .wait(50), .send("GET"), .wait(5)], false),
        ([.send(post), .wait(6), .send("0123456789"), .answer, .send("GET"), .wait(4)], true),
        ([.send(post), .wait(6), .send("0123456789"), .answer, .send("GET"), .wait(5)], false),
        // The time limit of a second request begins when the first response is sent.
        ([.send(get), .send("GET"), .wait(50)], true),
        ([.send(get), .send("GET"), .wait(50), .answer, .wait(4)], true),
        ([.send(get), .send("GET"), .wait(50), .answer, .wait(5)], false),
    ]

    @Test(.requirement("SV20"), arguments: table.indices)
    func incompleteHeaderTimesOutAfter5SecondsAndIncompleteRequestAfter10Seconds(row: Int) throws {
        let channel = try Self.connection()
        for step in Self.table[row].steps {
            switch step {
            case .send(let text): try channel.writeInbound(ByteBuffer(string: text))
            case .wait(let seconds): channel.embeddedEventLoop.advanceTime(by: .seconds(seconds))
            case .answer:
                try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
                try channel.writeOutbound(HTTPResponsePart.end(nil))
            }
        }

        #expect(channel.isActive == Self.table[row].isOpen)

        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    @Test(.requirement("SV20")) func clientThatReadsNothingFor60SecondsIsDisconnected() throws {
        let channel = try Self.connection()
        try channel.writeInbound(ByteBuffer(string: Self.get))
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()

        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        #expect(channel.isActive)
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        #expect(channel.isActive)
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))

        #expect(!channel.isActive)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    private static func connection() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: false)
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        let limits = SlowClient.Limits(header: .seconds(5), request: .seconds(10), stalledResponse: .seconds(60))
        try pipeline.addHandler(SlowClient(limits))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
        return channel
    }
}
