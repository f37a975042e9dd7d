#if AsyncHTTPClient
import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import PlatformImageLoader

/// The handler of response heads alone, in a channel without a network.
struct HeadProbe {
    private let channel = EmbeddedChannel(handler: AsyncHTTPClientHead())

    /// Lets a request go out.
    func request() throws {
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        try channel.writeOutbound(HTTPClientRequestPart.head(head))
    }

    /// What the handler makes of bytes from the network.
    func receive(_ bytes: [UInt8]) throws -> [UInt8] {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        var result: [UInt8] = []
        while let part = try channel.readInbound(as: ByteBuffer.self) { result += part.readableBytesView }
        return result
    }
}
#endif
