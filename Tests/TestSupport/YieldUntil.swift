/// Lets other tasks run until it is so, or until the task is cancelled, which a test's time limit does.
public func yieldUntil(_ isSo: () -> Bool) async {
    while !isSo(), !Task.isCancelled { await Task.yield() }
}
