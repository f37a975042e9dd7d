#if Service
import HTTPTypes
import NIOCore
import NIOHTTPTypes
import PlatformImage
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
            let isGone = state.locked(in: self) { state in
                state.action = action
                return state.isGone
            }
            if isGone { action?() }
        }

        fileprivate func leave() {
            let action = state.locked(in: self) { state in
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

/// Does work until it ends, a time has passed or the client goes.
///
/// - Parameter onDeparture: Is called when the client goes.
/// - Throws: As ``withDeadline(_:_:)``.
func whileConnected<Value: Sendable>(
    _ channel: any Channel, within limit: Duration, onDeparture: @escaping @Sendable () -> Void,
    _ work: @escaping @Sendable () async throws(ServiceError) -> Value
) async throws(ServiceError) -> Value {
    let departure = try? await channel.eventLoop.submit {
        try channel.pipeline.syncOperations.handler(type: ClientDeparture.self).watch
    }.get()
    let task = Task { () -> Result<Value, ServiceError> in
        do throws(ServiceError) {
            return .success(try await withDeadline(limit, work))
        } catch {
            return .failure(error)
        }
    }
    departure?.whenGone {
        onDeparture()
        task.cancel()
    }
    defer { departure?.whenGone(nil) }
    let end = await withTaskCancellationHandler {
        await task.value
    } onCancel: {
        task.cancel()
    }
    return try end.get()
}

/// Does work until it ends or a time has passed, whichever comes first; then the work is cancelled.
///
/// - Throws: `deadline` when the time has passed or the calling task was cancelled, or what the work throws.
func withDeadline<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws(ServiceError) -> Value
) async throws(ServiceError) -> Value {
    let end: Result<Value, ServiceError> = await withTaskGroup(of: Result<Value, ServiceError>?.self) { group in
        group.addTask {
            do throws(ServiceError) { return .success(try await work()) } catch { return .failure(error) }
        }
        group.addTask {
            // Ended early, the sleep says nothing: the work decides.
            guard (try? await Task.sleep(for: limit)) != nil else { return nil }
            return .failure(ServiceError(.deadline, "it took longer than \(limit.components.seconds) s"))
        }
        defer { group.cancelAll() }
        while let ended = await group.next() { if let ended { return ended } }
        return .failure(ServiceError(.deadline, "the request was given up"))
    }
    return try end.get()
}
#endif
