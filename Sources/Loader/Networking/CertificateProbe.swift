#if AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL
internal import PlatformImage
import Synchronization

/// Asks a server for its certificates by a TLS handshake that ends before any request.
///
/// AsyncHTTPClient says that a certificate was refused and not why, and gives nobody the certificate (async-http-client
/// 1.37.0, swift-nio-ssl 2.37.6). So a second connection looks, only after such a failure; it trusts nothing and sends
/// nothing but the handshake.
enum CertificateProbe {
    /// The longest that a look takes.
    private static let longest = TimeAmount.seconds(5)

    /// The chain that the server shows, its own certificate first; empty when there is none to be had.
    ///
    /// - Parameters:
    ///   - host: As in the address, an IPv6 address without brackets.
    ///   - address: The IP address to connect to in place of looking the host up; nil for any of the host's.
    ///   - deadline: The look ends by then; nil for its own limit of 5 seconds.
    static func chain(
        host: String, port: Int, address: String?, deadline: NIODeadline?
    ) async -> [NIOSSLCertificate] {
        let now = NIODeadline.now()
        let end = min(deadline ?? .distantFuture, now + longest)
        guard end > now else { return [] }
        let seen = Seen()
        do {
            let channel = try await bootstrap(host, seen, timeout: end - now)
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
        return seen.chain.locked(in: seen) { $0 }
    }

    private final class Seen: Sendable {
        let chain = Mutex<[NIOSSLCertificate]>([])
    }

    private static func bootstrap(_ host: String, _ seen: Seen, timeout: TimeAmount) throws -> ClientBootstrap {
        var configuration = TLSConfiguration.makeClientConfiguration()
        // The callback takes the place of verification: no root is needed, and none is loaded.
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
                            seen.chain.locked(in: seen) { $0 = certificates }
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
