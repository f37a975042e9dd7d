#if Service
import HTTPTypes
import NIOCore
import NIOHTTPTypes
import PlatformImage
import Synchronization

/// Notifies the work for a request when its client disconnects.
///
/// A server that supports half-closed connections detects a closed one only when it writes. A client that closes its
/// sending side counts as disconnected, as in nginx.
final class ClientDeparture: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    /// Thread-safe view of the client's state.
    final class Watch: Sendable {
        private struct State {
            var isGone = false
            var action: (@Sendable () -> Void)?
        }

        private let state = Mutex(State())

        /// Calls `action` when the client disconnects, immediately when it already has; nil removes the action.
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

/// Runs `work` until it ends, the time limit has passed or the client disconnects.
///
/// - Parameter onDeparture: Called when the client disconnects.
/// - Throws: The errors of ``withDeadline(_:_:)``.
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

/// Runs `work` and cancels it when the time limit has passed.
///
/// - Throws: `deadline` when the time has passed or the calling task was cancelled, or the error of the work.
func withDeadline<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws(ServiceError) -> Value
) async throws(ServiceError) -> Value {
    let end: Result<Value, ServiceError> = await withTaskGroup(of: Result<Value, ServiceError>?.self) { group in
        group.addTask {
            do throws(ServiceError) { return .success(try await work()) } catch { return .failure(error) }
        }
        group.addTask {
            // A cancelled sleep gives no result; the result of the work counts.
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
