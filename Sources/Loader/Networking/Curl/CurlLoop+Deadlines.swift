// The total and the idle time limit. libcurl limits the time to connect.
extension CurlLoop {
    func noteDeadlines(of transfer: CurlTransfer) {
        if let deadline = transfer.request?.deadline { nextDeadline = min(nextDeadline, deadline) }
        if let idle = transfer.request?.idle { nextDeadline = min(nextDeadline, now + idle) }
    }

    /// Ends the exchanges whose time limit has expired. Progress only delays a deadline, so that the transfers need not
    /// be examined before the earliest one.
    func expireDeadlines() {
        guard now >= nextDeadline else { return }
        nextDeadline = .max
        // Ending a transfer changes the array.
        for transfer in Array(active) {
            guard let exchange = transfer.exchange, let request = transfer.request else { continue }
            if let deadline = request.deadline, deadline <= now {
                _ = transfer.deliver(end: .failure(LoadError.totalTimeout))
                stop(transfer)
            } else if let deadline = transfer.idleDeadline(now: now), deadline <= now {
                _ = transfer.deliver(end: .failure(LoadError.idleTimeout(request.idle ?? 0)))
                stop(transfer)
            } else if exchange.isEnded {
                continue
            } else {
                if let deadline = request.deadline { nextDeadline = min(nextDeadline, deadline) }
                if let deadline = transfer.idleDeadline(now: now) { nextDeadline = min(nextDeadline, deadline) }
            }
        }
        for host in Array(hosts.values) { expireWaiting(host) }
    }

    private func expireWaiting(_ host: CurlHost) {
        host.waiting.removeAll { exchange in
            guard let deadline = exchange.request.deadline else { return exchange.isEnded }
            guard deadline <= now else {
                nextDeadline = min(nextDeadline, deadline)
                return exchange.isEnded
            }
            fail(exchange, .totalTimeout)
            return true
        }
    }
}
