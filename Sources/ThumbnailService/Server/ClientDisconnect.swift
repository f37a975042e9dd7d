import HTTPTypes
import NIOCore
import NIOHTTPTypes
import PlatformImage
import Synchronization

/// Notifies the work for a request when its client disconnects.
///
/// A server that supports half-closed connections detects a closed connection only when it writes. Here a client that
/// closes its sending side counts as disconnected, as in nginx.
final class ClientDisconnectHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    /// Thread-safe connection state, with the action for a disconnect of the client.
    final class Observer: Sendable {
        private struct State {
            var isDisconnected = false
            var action: (@Sendable () -> Void)?
        }

        private let state = Mutex(State())

        /// Calls `action` when the client disconnects, immediately when it already has; nil removes the action.
        func onDisconnect(_ action: (@Sendable () -> Void)?) {
            let isDisconnected = state.locked(in: self) { state in
                state.action = action
                return state.isDisconnected
            }
            if isDisconnected { action?() }
        }

        fileprivate func notify() {
            let action = state.locked(in: self) { state in
                state.isDisconnected = true
                return state.action
            }
            action?()
        }
    }

    let observer = Observer()

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { observer.notify() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        observer.notify()
        context.fireChannelInactive()
    }
}

/// Runs `work` until it ends, the time limit has passed or the client disconnects.
///
/// - Parameter onDisconnect: Called when the client disconnects.
/// - Throws: The errors of ``withDeadline(_:_:)``.
func whileConnected<Value: Sendable>(
    _ channel: any Channel, within limit: Duration, onDisconnect: @escaping @Sendable () -> Void,
    _ work: @escaping @Sendable () async throws(ServiceError) -> Value
) async throws(ServiceError) -> Value {
    let observer = try? await channel.eventLoop.submit {
        try channel.pipeline.syncOperations.handler(type: ClientDisconnectHandler.self).observer
    }.get()
    let task = Task { () -> Result<Value, ServiceError> in
        do throws(ServiceError) {
            return .success(try await withDeadline(limit, work))
        } catch {
            return .failure(error)
        }
    }
    observer?.onDisconnect {
        onDisconnect()
        task.cancel()
    }
    defer { observer?.onDisconnect(nil) }
    let result = await withTaskCancellationHandler {
        await task.value
    } onCancel: {
        task.cancel()
    }
    return try result.get()
}

/// Runs `work` and cancels it when the time limit has passed.
///
/// - Throws: `deadline` when the time has passed or the calling task was cancelled, or the error of the work.
func withDeadline<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws(ServiceError) -> Value
) async throws(ServiceError) -> Value {
    let result: Result<Value, ServiceError> = await withTaskGroup(of: Result<Value, ServiceError>?.self) { group in
        group.addTask {
            do throws(ServiceError) { return .success(try await work()) } catch { return .failure(error) }
        }
        group.addTask {
            // The sleep returns nil when it is cancelled; then the result of the work is used.
            guard (try? await Task.sleep(for: limit)) != nil else { return nil }
            return .failure(ServiceError(.deadline, "the request took longer than \(limit)"))
        }
        defer { group.cancelAll() }
        while let result = await group.next() { if let result { return result } }
        return .failure(ServiceError(.deadline, "the request was cancelled"))
    }
    return try result.get()
}
