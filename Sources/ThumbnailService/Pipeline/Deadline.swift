#if Service
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
