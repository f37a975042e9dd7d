/// Yields to other tasks until the condition is true or the task is cancelled, for example by a time limit.
public func yieldUntil(_ condition: () -> Bool) async {
    while !condition(), !Task.isCancelled { await Task.yield() }
}
