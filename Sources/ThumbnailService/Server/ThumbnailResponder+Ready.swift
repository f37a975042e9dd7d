import PlatformImage
import PlatformImageHTTPServer
import PlatformImageLoader

extension ThumbnailResponder {
    /// Answers a request for a result that was served from memory before, from fields that are made once per second.
    ///
    /// - Returns: Nil for every other request, and while requests are logged or have debug fields.
    func readyResponse(to request: Request) -> Response? {
        let head = request.head
        guard !showsDebugFields, !log.isEnabled(.info), head.method == .get || head.method == .head,
            state.acceptsRequests
        else { return nil }
        let start = ContinuousClock.now
        let accepted = negotiation.formats(for: negotiation.isOn ? head[.accept] : nil)
        let name = VerifiedTargetCache.Name(head.targetBytes, accepted: accepted)
        let (second, generation) = (engine.now.seconds, engine.results.generation)
        let table = hot[request.loop % hot.count]
        let entry: HotResponses.Entry
        if let found = table.find(name, second: second, generation: generation) {
            entry = found
        } else {
            guard let target = verifiedTargets.find(name), let result = engine.results.resultInMemory(target.key),
                let fields = target.readyFields(
                    of: result, second: second, { readyFields(target, result, head, second) })
            else { return nil }
            entry = HotResponses.Entry(fields: fields, body: result.bytes)
            table.insert(entry, for: name, second: second, generation: generation)
        }
        let isUnchanged = head.contains(.ifNoneMatch)
        // Other conditions are rare.
        if isUnchanged
            ? !head.hasSingle(.ifNoneMatch, equalTo: entry.fields.entityTagBytes) : head.contains(.ifModifiedSince)
        {
            return nil
        }
        // The value of this field depends on the request.
        let origin = crossOrigin.listedOrigin { head[.origin] }
        var response =
            isUnchanged
            ? Response(status: 304, fields: entry.fields.unchanged)
            : Response(status: 200, fields: entry.fields.complete, body: .bytes(entry.body))
        let count = isUnchanged ? entry.fields.unchangedCount : entry.fields.completeCount
        if let origin { response.ownFields.append(.accessControlAllowOrigin, origin) }
        if let identifier = head[.requestID] {
            response.ownFields.append(.requestID, RequestIdentifier.of(identifier))
        } else {
            response.ownFields.append(.requestID, hexadecimal: RequestIdentifier.next())
        }
        engine.metrics.recordHit(count, in: start.duration(to: .now))
        return response
    }

    private func readyFields(
        _ target: VerifiedTargetCache.Target, _ result: StoredResult, _ head: RequestHead, _ second: Int64
    ) -> VerifiedTargetCache.ReadyFields? {
        // Images with a status are counted, so they are not sent as ready responses.
        guard engine.isFresh(result), result.facts.imageStatus.isEmpty else { return nil }
        func response(isUnchanged: Bool) -> ServiceResponse {
            var response = imageResponse(
                target.request, target.dialect, .init(result: result, provenance: .memory), target: head.target,
                isUnchanged: isUnchanged)
            addCommonFields(to: &response, dependsOnAccept: target.dependsOnAccept, allowsOrigins: true)
            return response
        }
        let (complete, unchanged) = (response(isUnchanged: false), response(isUnchanged: true))
        return VerifiedTargetCache.ReadyFields(
            second: second, result.facts, complete: complete.fields.block, unchanged: unchanged.fields.block,
            completeCount: engine.metrics.counter(complete.labels),
            unchangedCount: engine.metrics.counter(unchanged.labels))
    }
}
