#if Loader
internal import PlatformImage

extension LoadPipeline {
    /// What follows an exchange.
    enum Conclusion: Sendable {
        case end(FetchEnd)
        /// The request is to be sent once more, as this plan says.
        case refetch(RequestPlan)
    }

    /// Decodes what came, lets the policy conclude, and does to the caches what it says.
    func conclude(
        _ received: Received, _ hop: LoadHop, _ plan: RequestPlan, _ found: FoundEntry
    ) async -> Conclusion {
        var received = received
        var content: LoadContent?
        var failure = received.error.map { FetchFailure(error: $0) }
        if let status = received.head?.status, Storability.isSuccess(status), case .complete = received.body {
            // What does not decode is never stored.
            switch await accept(received.content, hop) {
            case .success(let accepted): content = accepted
            case .failure(let refused):
                let response = received.head.map { FailedResponse($0, body: received.content) }
                failure = FetchFailure(error: refused.error.about(response), variant: refused.variant)
                received.body = .rejected
            }
        }
        if Task.isCancelled || failure?.error.code == .cancelled {
            return .end(.failure(FetchFailure(error: .cancelled(url: Redaction.shown(hop.url)))))
        }
        let hasNoResponse = received.head == nil
        if hasNoResponse, let failure, failure.error.code != .transport { return .end(.failure(failure)) }

        let exchange = CacheExchange(
            request: hop.request, plan: plan, requestTime: received.requestTime, responseTime: received.responseTime)
        let outcome = CacheOutcome.conclude(
            entry: found.entry, key: hop.key, exchange: exchange,
            result: received.head.map { .response($0, body: received.body) } ?? .transportFailure, settings: settings,
            now: now)
        if case .refetch(let next) = outcome.answer { return .refetch(next) }
        var found = found
        let (entry, revision) = await apply(outcome.store, received.bytes, hop, found)
        switch outcome.answer {
        case .received(let fields):
            let status = received.head?.status ?? 0
            if let failure { return .end(.failure(failure)) }
            guard content != nil || Storability.isRedirect(status) || hop.load.givesBack(status, plan) else {
                let error = LoadError(
                    .unexpectedStatus, url: Redaction.shown(hop.url), statusCode: status, "status \(status)")
                let response = received.head.map { FailedResponse($0, body: received.content) }
                return .end(.failure(FetchFailure(error: error.about(response))))
            }
            if let content, let entry { remember(content, entry, revision, hop, found.moments) }
            let fetched = Fetched(
                .received, status: status, fields: fields, isFresh: true, entry: entry, revision: revision,
                body: received.content, content: content, variant: hop.load.decoding?.variant)
            return .end(.success(fetched))
        case .notModified(let stored):
            // A request that forbids storing leaves what is stored where it is.
            if outcome.store != .nothing { found.revision = revision }
            return .end(.success(fetched(.notModified, stored, found, hop, entry: entry, insteadOf: nil)))
        case .stale(let stored):
            let error = failure?.error ?? .transport("no response", url: Redaction.shown(hop.url))
            return .end(.success(fetched(.stored, stored, found, hop, entry: found.entry, insteadOf: error)))
        case .refetch, .transportFailure:
            let error = failure?.error ?? .transport("no response", url: Redaction.shown(hop.url))
            return .end(.failure(FetchFailure(error: error)))
        }
    }

    /// The content of a body as the fetch's first load wants it.
    private func accept(_ bytes: [UInt8], _ hop: LoadHop) async -> Result<LoadContent, FetchFailure> {
        guard let decoding = hop.load.decoding else { return await acceptUndecoded(bytes, hop) }
        let begin = ContinuousClock.now
        defer { hop.load.meter.add(\.decode, since: begin) }
        switch await decode(bytes, hop, decoding) {
        case .success(let image):
            return .success(LoadContent(image: image, bytes: configuration.retainsEncodedData ? bytes : nil))
        case .failure(let error):
            return .failure(FetchFailure(error: Self.error(of: error, hop), variant: decoding.variant))
        }
    }

    /// Changes the caches.
    ///
    /// - Returns: What they hold now of the response, and the name of its body on disk; nil for nothing.
    private func apply(
        _ change: CacheOutcome.StoreChange, _ bytes: [UInt8], _ hop: LoadHop, _ found: FoundEntry
    ) async -> (CacheEntry?, DiskCache.Revision?) {
        let writes = hop.load.layers.contains(.writesDisk) ? disk : nil
        let ticket = found.moments.disk
        switch change {
        case .nothing:
            return (nil, nil)
        case .remove:
            memory?.remove(hop.key)
            if let writes { await onDisk(for: hop) { _ = writes.remove(hop.key) } }
            return (nil, nil)
        case .write(let entry, let keepsBody):
            guard let writes else { return (entry, nil) }
            let revision: DiskCache.Revision? = await onDisk(for: hop) {
                writes.keep(
                    entry, body: keepsBody ? bytes : [], varying: hop.varying, ticket: ticket, missing: found.missing)
            }
            return (entry, revision)
        case .update(let entry):
            // A load that may not write leaves the body on disk where it is.
            guard let writes else { return (entry, found.revision) }
            let revision: DiskCache.Revision? = await onDisk(for: hop) {
                if let revision = found.revision, let renewed = writes.renew(entry, of: revision, ticket: ticket) {
                    return renewed
                }
                // An error alone is added to what is there; a body that was lost while the origin confirmed it is
                // stored again. Another one that came meanwhile stays.
                let isAlone = entry.response == nil || found.revision == nil
                guard isAlone || writes.head(hop.key, varying: hop.varying) == nil else { return nil }
                if entry.response != nil, found.body == nil { return nil }
                let stored = writes.keep(entry, body: found.body ?? [], varying: hop.varying, ticket: ticket)
                return entry.response == nil ? nil : stored
            }
            return (entry, revision)
        }
    }
}
#endif
