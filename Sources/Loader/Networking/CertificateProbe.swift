#if AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL
internal import PlatformImage
import Synchronization

/// Retrieves a server's certificates by a TLS handshake that is aborted before any request.
///
/// AsyncHTTPClient reports that a certificate was refused, but neither the reason nor the certificate
/// (async-http-client 1.37.0, swift-nio-ssl 2.37.6). So after such a failure a second connection is made; it trusts no
/// certificate and sends only the handshake.
enum CertificateProbe {
    /// Maximum duration of a probe.
    private static let maxDuration = TimeAmount.seconds(5)

    /// Returns the chain that the server sends, its leaf certificate first; empty when the probe fails or ends before
    /// the chain is received.
    ///
    /// - Parameters:
    ///   - host: The host of the URL, an IPv6 address without brackets.
    ///   - address: The IP address to connect to instead of a DNS lookup; nil to look the host up.
    ///   - deadline: Latest end of the probe; nil means that only the maximum of 5 seconds applies.
    static func chain(
        host: String, port: Int, address: String?, deadline: NIODeadline?
    ) async -> [NIOSSLCertificate] {
        let now = NIODeadline.now()
        let end = min(deadline ?? .distantFuture, now + maxDuration)
        guard end > now else { return [] }
        let received = ReceivedChain()
        do {
            let channel = try await bootstrap(host, received, timeout: end - now)
                .connect(host: address ?? host, port: port).get()
            let timer = channel.eventLoop.scheduleTask(deadline: end) { channel.close(promise: nil) }
            defer { timer.cancel() }
            await withTaskCancellationHandler {
                try? await channel.closeFuture.get()
            } onCancel: {
                channel.close(promise: nil)
            }
        } catch {
            return []
        }
        return received.chain.locked(in: received) { $0 }
    }

    private final class ReceivedChain: Sendable {
        let chain = Mutex<[NIOSSLCertificate]>([])
    }

    private static func bootstrap(_ host: String, _ received: ReceivedChain, timeout: TimeAmount) throws
        -> ClientBootstrap
    {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // The callback replaces verification, so no roots are loaded.
        configuration.trustRoots = .certificates([])
        let context = try NIOSSLContext(configuration: configuration)
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(timeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(
                        context: context, serverHostname: isAddress ? nil : host,
                        customVerificationCallback: { certificates, promise in
                            received.chain.locked(in: received) { $0 = certificates }
                            promise.succeed(.failed)
                        })
                    try channel.pipeline.syncOperations.addHandlers(handler, CloseOnError())
                }
            }
    }

    private final class CloseOnError: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
#endif
