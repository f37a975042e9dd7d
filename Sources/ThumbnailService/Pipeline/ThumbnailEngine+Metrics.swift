import PlatformImage
import PlatformImageHTTPServer

extension ThumbnailEngine {
    /// Reads a source and records the duration; counts a cancelled fetch if the task was cancelled.
    func timedRead(_ name: SourceName) async throws(ServiceError) -> SourceBytes {
        let begin = ContinuousClock.now
        let trace = RequestTrace.current
        defer {
            let elapsed = begin.duration(to: .now)
            trace?.update { $0.fetch = elapsed }
        }
        do throws(ServiceError) {
            return try await sources.read(name)
        } catch {
            if Task.isCancelled { metrics.cancelled(.fetch) }
            throw error
        }
    }

    /// Returns the stored failure of a source; nil when the source may be read.
    func storedFailure(of source: SourceName) -> ServiceError? {
        let failure = failures.failure(of: source, now: now)
        guard let failure else {
            metrics.miss(.failure)
            return nil
        }
        metrics.hit(.failure)
        RequestTrace.current?.update { $0.isStoredFailure = true }
        return failure
    }

    /// Counts a lookup of results that found no fresh result.
    ///
    /// - Parameter wasDiskRead: False when a stale result was in memory, so that the disk was not read.
    func countMisses(wasDiskRead: Bool) {
        if results.hasMemory { metrics.miss(.memory) }
        if wasDiskRead, results.hasDisk { metrics.miss(.disk) }
    }

    /// Updates the gauges from current values; must be called before metrics are exported.
    func updateGauges() {
        metrics.set(.queueDepth, queue.waitingCount + queue.budget.waitingCount)
        metrics.set(.inFlightBytes, queue.budget.grantedBytes)
        metrics.set(.inFlightLimit, queue.budget.maxBytes)
        metrics.set(.openConnections, server?.connectionCount ?? 0)
        metrics.set(.queuedBytes, server?.queuedBytes ?? 0)
        metrics.set(.liveBitmapBytes, Bitmap.liveBitmapBytes)
        metrics.set(.memoryBytes, results.memoryBytes)
        metrics.set(.diskBytes, results.diskBytes)
        metrics.set(.sourceBytes, sources.storedBytes)
        if let bytes = ResidentMemory.bytes { metrics.set(.residentBytes, bytes) }
        if let workers = isolation.workers { metrics.workers.update(workers.statistics) }
    }
}
