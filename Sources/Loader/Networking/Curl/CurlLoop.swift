internal import CPlatformImageCurl
internal import PlatformImage

/// The transfers of one transport. The loop is created and used on its thread only.
final class CurlLoop {
    struct Settings: Sendable {
        /// Maximum HTTP/1.1 connections per host, 1 or more.
        let connectionsPerHost: Int
        /// The limits for untrusted origins; nil for trusted ones.
        let connectionGuard: ConnectionGuard?
    }

    /// Idle transfers that are kept for reuse.
    private static let maxIdleTransfers = 64
    /// Hosts without exchanges whose protocol is remembered.
    private static let maxUnusedHosts = 1_024
    /// Nanoseconds without an exchange after which all connections are closed.
    private static let idleTime: Int64 = 60_000_000_000

    let settings: Settings
    private let mailbox: CurlMailbox
    /// The functions that libcurl calls for every transfer.
    let callbacks = UnsafePointer(CurlCallbacks.makeTable())
    /// The `picu_multi`; nil until the first transfer.
    private var multi: OpaquePointer?
    var active: [CurlTransfer] = []
    private var idle: [CurlTransfer] = []
    /// The transfers with bytes that are not delivered, and the ones that are being delivered.
    private var dirty: [CurlTransfer] = []
    private var delivering: [CurlTransfer] = []
    private var resumptions: [CurlExchange.Resumption] = []
    var hosts: [CurlRequest.Host: CurlHost] = [:]
    private var commands: [CurlMailbox.Command] = []
    private var isClosed = false
    /// The time of the clock `picu_now` when this iteration began.
    private(set) var now: Int64 = 0
    /// The earliest time at which a time limit can expire.
    var nextDeadline = Int64.max
    private var lastUse: Int64 = 0

    init(_ mailbox: CurlMailbox) {
        self.mailbox = mailbox
        settings = mailbox.settings
    }

    deinit { callbacks.deallocate() }

    /// Serves exchanges until the transport is released and the last exchange has ended.
    func run() {
        picu_prepare_thread()
        while true {
            now = picu_now()
            process()
            if let multi {
                _ = picu_multi_perform(multi)
                finishCompleted(multi)
                deliverReceived()
            }
            expireDeadlines()
            resumeTasks()
            // Nothing can be waited for; the next request starts another thread.
            if picu_load() != nil, mailbox.end() { return }
            if isClosed, active.isEmpty, hosts.values.allSatisfy(\.isUnused), mailbox.end() { return shutDown() }
            wait()
        }
    }

    private func process() {
        mailbox.take(into: &commands)
        for command in commands {
            switch command {
            case .start(let exchange): enqueue(exchange)
            case .cancel(let exchange): cancel(exchange)
            case .resume(let exchange): exchange.transfer?.resume()
            case .close: isClosed = true
            }
        }
        commands.removeAll(keepingCapacity: true)
    }

    private func wait() {
        guard dirty.isEmpty else { return }
        guard picu_load() == nil, let multi = makeMulti() else { return System.yieldThread() }
        let isUnused = active.isEmpty
        if isUnused, lastUse == 0 { lastUse = now }
        if !isUnused { lastUse = 0 }
        let end = isUnused ? lastUse + Self.idleTime : nextDeadline
        let milliseconds = max(0, min((end - min(now, end) + 999_999) / 1_000_000, 600_000))
        guard mailbox.beginSleep(on: multi) else { return }
        if picu_multi_wait(multi, Int32(milliseconds)) != 0 { System.yieldThread() }
        mailbox.endSleep()
        if isUnused, picu_now() >= end { shutDown() }
    }

    /// Closes all connections.
    private func shutDown() {
        lastUse = 0
        for transfer in idle { transfer.free() }
        idle = []
        picu_multi_free(multi)
        multi = nil
    }

    private func makeMulti() -> OpaquePointer? {
        if multi == nil { multi = picu_multi_new() }
        return multi
    }
}

// The life of an exchange.
extension CurlLoop {
    private func enqueue(_ exchange: CurlExchange) {
        if let problem = picu_load() {
            return fail(exchange, .configuration(String(cString: problem)))
        }
        let host = hosts[exchange.request.host] ?? makeHost(exchange.request.host)
        guard host.hasConnection else {
            host.waiting.append(exchange)
            if let deadline = exchange.request.deadline { nextDeadline = min(nextDeadline, deadline) }
            return
        }
        start(exchange, host)
    }

    private func makeHost(_ key: CurlRequest.Host) -> CurlHost {
        if hosts.count >= Self.maxUnusedHosts { hosts = hosts.filter { !$0.value.isUnused } }
        let host = CurlHost(connections: settings.connectionsPerHost)
        hosts[key] = host
        return host
    }

    private func start(_ exchange: CurlExchange, _ host: CurlHost) {
        if exchange.isEnded { return }
        guard let multi = makeMulti(), let transfer = idle.popLast() ?? CurlTransfer(loop: self, multi: multi) else {
            return fail(exchange, .transport("memory is exhausted"))
        }
        let code = transfer.start(exchange, host)
        guard code == 0 else {
            let error = LoadError(curlCode: code, transfer)
            transfer.reset()
            idle.append(transfer)
            return fail(exchange, error)
        }
        host.active += 1
        transfer.index = active.count
        active.append(transfer)
        exchange.transfer = transfer
        noteDeadlines(of: transfer)
    }

    func fail(_ exchange: CurlExchange, _ error: LoadError) {
        var none: [UInt8] = []
        resumeLater(exchange.deliver(head: nil, bytes: &none, end: .failure(error)).resumption)
    }

    /// Resumes tasks at the end of the iteration: each resumption can wake a thread, which then competes with this one.
    func resumeLater(_ resumption: CurlExchange.Resumption) {
        if !resumption.isEmpty { resumptions.append(resumption) }
    }

    private func resumeTasks() {
        for resumption in resumptions { resumption.resume() }
        resumptions.removeAll(keepingCapacity: true)
    }

    private func cancel(_ exchange: CurlExchange) {
        if let transfer = exchange.transfer { return stop(transfer) }
        hosts[exchange.request.host]?.waiting.removeAll { $0 === exchange }
    }

    private func finishCompleted(_ multi: OpaquePointer) {
        var code: Int32 = 0
        while let context = picu_multi_next_completed(multi, &code) {
            let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
            finish(transfer, code)
        }
    }

    private func finish(_ transfer: CurlTransfer, _ code: Int32) {
        guard transfer.exchange != nil else { return recycle(transfer) }
        var error = code == 0 ? transfer.checkEnd() : LoadError(curlCode: code, transfer)
        if let failure = error {
            var repeated: Int32?
            if transfer.mayRetry(after: failure) {
                repeated = transfer.retry()
            } else if transfer.isConnectFailure(failure) {
                repeated = transfer.startAtNextAddress()
            }
            if repeated == 0 { return noteDeadlines(of: transfer) }
            if let repeated { error = LoadError(curlCode: repeated, transfer) }
        }
        _ = transfer.deliver(end: error.map { .failure($0) } ?? .success(()))
        recycle(transfer)
    }

    /// Ends a transfer before its response is complete.
    func stop(_ transfer: CurlTransfer) {
        if transfer.isResolved || picu_version() >= 0x075700 {
            picu_transfer_stop(transfer.handle)
            return recycle(transfer)
        }
        // libcurl before 7.87 waits for the end of a DNS look-up when its transfer is stopped, up to seconds. The
        // transfer continues without an exchange until the look-up ends; it then makes no connection.
        let host = transfer.host
        transfer.reset()
        if let host { release(host) }
    }

    /// Makes a stopped transfer available for the next exchange.
    private func recycle(_ transfer: CurlTransfer) {
        let last = active.removeLast()
        if last !== transfer {
            active[transfer.index] = last
            last.index = transfer.index
        }
        let host = transfer.host
        transfer.reset()
        if idle.count < Self.maxIdleTransfers { idle.append(transfer) } else { transfer.free() }
        if let host { release(host) }
    }

    /// Releases a connection and starts the exchanges that wait for it.
    private func release(_ host: CurlHost) {
        host.active -= 1
        startWaiting(host)
    }

    private func startWaiting(_ host: CurlHost) {
        while !host.waiting.isEmpty, host.hasConnection { start(host.waiting.removeFirst(), host) }
    }
}

// Bytes from the connections. Each transfer delivers once per iteration.
extension CurlLoop {
    func markDirty(_ transfer: CurlTransfer) {
        if transfer.isDirty { return }
        transfer.isDirty = true
        dirty.append(transfer)
    }

    /// Records the protocol of the host. Called by libcurl, so no transfer may be started.
    func receivedHead(_ transfer: CurlTransfer) {
        markDirty(transfer)
        if transfer.offersHTTP2 { transfer.host?.isHTTP2 = transfer.parser.isHTTP2 }
    }

    private func deliverReceived() {
        // To continue a transfer can add it again.
        swap(&dirty, &delivering)
        for transfer in delivering {
            transfer.isDirty = false
            if transfer.deliver(end: nil) { transfer.pause() } else { transfer.resume() }
            if transfer.parser.isHTTP2, let host = transfer.host { startWaiting(host) }
        }
        delivering.removeAll(keepingCapacity: true)
    }
}
