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
