import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import PlatformImageLoader

/// The channel handler of response heads in an embedded channel without a network.
struct ResponseHeadProbe {
    private let channel = EmbeddedChannel(handler: AsyncHTTPClientHeadHandler())

    /// Sends a request.
    func request() throws {
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        try channel.writeOutbound(HTTPClientRequestPart.head(head))
    }

    /// Passes bytes from the network to the handler and returns the handler's output.
    func receive(_ bytes: [UInt8]) throws -> [UInt8] {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        var result: [UInt8] = []
        while let part = try channel.readInbound(as: ByteBuffer.self) { result += part.readableBytesView }
        return result
    }
}
