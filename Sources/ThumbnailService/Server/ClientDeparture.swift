#if Service
import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Tells the work for a request that its client has gone.
///
/// A server that takes half-closed clients learns of a closed connection only when it writes. A client that closes its
/// sending end counts as gone, as nginx counts it.
final class ClientDeparture: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    /// What other threads see of it.
    final class Watch: Sendable {
        private struct State {
            var isGone = false
            var action: (@Sendable () -> Void)?
        }

        private let state = Mutex(State())

        /// Calls `action` when the client goes, at once when it has gone; nil for nothing any more.
        func whenGone(_ action: (@Sendable () -> Void)?) {
            let isGone = state.withLock { state in
                state.action = action
                return state.isGone
            }
            if isGone { action?() }
        }

        fileprivate func leave() {
            let action = state.withLock { state in
                state.isGone = true
                return state.action
            }
            action?()
        }
    }

    let watch = Watch()

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { watch.leave() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        watch.leave()
        context.fireChannelInactive()
    }
}
#endif
