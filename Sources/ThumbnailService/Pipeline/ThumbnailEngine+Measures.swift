#if Service
import PlatformImage

extension ThumbnailEngine {
    /// Reads a source, and notes how long that took and whether it was given up.
    func timedRead(_ name: SourceName) async throws(ServiceError) -> SourceBytes {
        let begin = ContinuousClock.now
        let trace = RequestTrace.current
        defer {
            let elapsed = begin.duration(to: .now)
            trace?.note { $0.fetch = elapsed }
        }
        do throws(ServiceError) {
            return try await sources.read(name)
        } catch {
            if Task.isCancelled { metrics.cancelled(.fetch) }
            throw error
        }
    }

    /// What a source is known to be answered with.
    func rememberedFailure(of source: SourceName) -> ServiceError? {
        let failure = failures.failure(of: source, now: now)
        if failure == nil { metrics.miss(.failure) } else { metrics.hit(.failure) }
        return failure
    }

    /// Counts a look-up of results that found nothing fresh.
    ///
    /// - Parameter asksDisk: False when something stale was in memory already.
    func countMisses(asksDisk: Bool) {
        if results.hasMemory { metrics.miss(.memory) }
        if asksDisk, results.hasDisk { metrics.miss(.disk) }
    }

    /// Sets what is read rather than counted; to be called before the metrics are.
    func updateGauges() {
        metrics.set(.queueDepth, queue.waitingCount + queue.budget.waitingCount)
        metrics.set(.inFlightBytes, queue.budget.grantedBytes)
        metrics.set(.inFlightLimit, queue.budget.maxBytes)
        metrics.set(.liveBitmapBytes, Bitmap.liveBitmapBytes)
        metrics.set(.memoryBytes, results.memoryBytes)
        metrics.set(.diskBytes, results.diskBytes)
        metrics.set(.sourceBytes, sources.storedBytes)
        if let bytes = ResidentMemory.bytes { metrics.set(.residentBytes, bytes) }
    }
}
#endif
