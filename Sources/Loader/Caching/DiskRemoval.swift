internal import PlatformImage
internal import Synchronization

extension DiskCache {
    /// Removes the entry of a key with all its variants.
    ///
    /// - Returns: Number and size of the removed files. Only the file of the newest response is removed and counted;
    ///   files of other variants become unreachable.
    @discardableResult
    public func remove(_ key: CacheKey) -> RemovalReport {
        removeOrMark(DiskName(key.bytes))
    }

    /// Removes entries whose last access is more than `age` ago.
    ///
    /// An entry with a date in the future is not removed. Files that do not belong to the cache are not removed.
    public func clear(modifiedOlderThan age: Duration) async -> RemovalReport {
        await onQueue { cache in
            let now = cache.now()
            return cache.removeAll { _, status, _ in now - status.modified > age.millisecondCount }
        }
    }

    /// Removes entries whose body was stored more than `age` ago; a later 304 does not change that time.
    ///
    /// An entry with a date in the future is not removed. Files that do not belong to the cache are not removed, and
    /// neither are files with unreadable metadata.
    public func clear(createdOlderThan age: Duration) async -> RemovalReport {
        await onQueue { cache in
            let now = cache.now()
            return cache.removeAll { name, _, folder in
                let reading = cache.readFile(of: name, key: nil, in: folder, withBody: false, touches: false)
                guard case .found(let found) = reading else { return false }
                return now - found.metadata.createdAt > age.millisecondCount
            }
        }
    }

    /// Removes every entry; a store with a ``ticket()`` from before the purge is rejected.
    ///
    /// Files that do not belong to the cache are not removed. An entry that cannot be removed because of a fault is no
    /// longer used by this cache.
    public func purge() async -> RemovalReport {
        // A store holds this lock from its generation check until its files are renamed, so the generation cannot
        // change in between.
        totals.locked(in: self) { _ in _ = generation.wrappingAdd(1, ordering: .acquiringAndReleasing) }
        return await onQueue { cache in
            cache.purgeAll()
        }
    }

    private func purgeAll() -> RemovalReport {
        var report = RemovalReport()
        let folder: DiskDirectory
        do {
            folder = try openFolder(creating: false)
        } catch {
            if !error.isMissing {
                recordFault(error, at: "opening the folder")
                health.locked(in: self) { $0.markUnpurged(0..<DiskName.shardCount) }
            }
            return report
        }
        for shard in 0..<DiskName.shardCount { report.add(purge(shard, in: folder)) }
        return report
    }

    /// Removes all files of a shard, including temporary ones; files that cannot be removed are marked unusable.
    private func purge(_ shard: Int, in folder: DiskDirectory) -> RemovalReport {
        var report = RemovalReport()
        guard let listing = listing(of: shard, in: folder) else {
            health.locked(in: self) { $0.markUnpurged(shard..<(shard + 1)) }
            return report
        }
        for name in listing.entries { report.add(removeOrMark(name, in: folder)) }
        removeTemporaries(listing, in: shard, of: folder) { _, _ in true }
        health.locked(in: self) { $0.markPurged(shard) }
        return report
    }

    /// Purges a shard that an earlier purge could not list.
    func purgeIfPending(_ shard: Int, in folder: DiskDirectory) {
        if health.locked(in: self, { $0.unpurgedShards.contains(shard) }) { _ = purge(shard, in: folder) }
    }

    /// Removes, in all shards, the entries for which `condition` returns true.
    private func removeAll(where condition: (DiskName, DiskStatus, DiskDirectory) -> Bool) -> RemovalReport {
        var report = RemovalReport()
        guard let folder = folder(creating: false) else { return report }
        for shard in 0..<DiskName.shardCount {
            for name in listing(of: shard, in: folder)?.entries ?? [] {
                report.add(remove(name, in: folder) { condition(name, $0, folder) })
            }
        }
        return report
    }

    /// Lists a shard; a missing shard is empty. Returns nil when it cannot be listed.
    func listing(of shard: Int, in folder: DiskDirectory) -> DiskListing? {
        do {
            return try DiskListing(of: shard, in: folder)
        } catch {
            if error.isMissing { return DiskListing() }
            recordFault(error, at: "listing a shard")
            return nil
        }
    }

    /// Returns the status of each regular file in a listing. A missing shard has no files; nil when it exists but
    /// cannot be opened.
    func files(
        of listing: DiskListing, in shard: Int, of folder: DiskDirectory
    ) -> [(name: DiskName, status: DiskStatus)]? {
        if listing.entries.isEmpty { return [] }
        do {
            let opened = try folder.shard(shard)
            return listing.entries.compactMap { name in
                guard let status = try? DiskStatus(in: opened.descriptor, name: name.fileName), status.isRegular
                else { return nil }
                return (name, status)
            }
        } catch {
            return error.isMissing ? [] : nil
        }
    }

    /// Removes the file if it is regular and `condition` returns true for its current status.
    @discardableResult
    func remove(
        _ name: DiskName, in folder: DiskDirectory, where condition: (DiskStatus) -> Bool
    ) -> RemovalReport {
        do {
            let shard = try folder.shard(name.shard)
            let fileName = name.fileName
            let seen = try DiskStatus(in: shard.descriptor, name: fileName)
            guard seen.isRegular, condition(seen) else { return RemovalReport() }
            let removed = try totals.locked(in: self) { totals throws(DiskError) in
                try Self.unlink(fileName, of: name.shard, in: shard.descriptor, ifStill: seen.identity, &totals)
            }
            if removed.count > 0 { health.locked(in: self) { $0.markReplaced(name) } }
            return removed
        } catch {
            if !error.isMissing { recordFault(error, at: "removing \(name.path)") }
            return RemovalReport()
        }
    }

    private static func unlink(
        _ fileName: [CChar], of index: Int, in shard: Int32, ifStill identity: DiskStatus.Identity,
        _ totals: inout DiskTotals
    ) throws(DiskError) -> RemovalReport {
        let status = try DiskStatus(in: shard, name: fileName)
        guard status.identity == identity else { return RemovalReport() }
        try DiskFile.remove(fileName, in: shard)
        totals.change(shard: index, entries: -1, bytes: -status.length)
        return RemovalReport(count: 1, bytes: status.length)
    }

    /// Removes a file that must not be used any more, or marks it unusable.
    @discardableResult
    func removeOrMark(_ name: DiskName) -> RemovalReport {
        do {
            return removeOrMark(name, in: try openFolder(creating: false))
        } catch {
            // The folder cannot be opened now, but may become readable later; this file must not be used then.
            if !error.isMissing { health.locked(in: self) { $0.markUnusable(name) } }
            return RemovalReport()
        }
    }

    /// Removes a file in the open folder, or marks it unusable.
    @discardableResult
    func removeOrMark(_ name: DiskName, in folder: DiskDirectory) -> RemovalReport {
        let removed = remove(name, in: folder) { _ in true }
        if removed.count == 0, exists(name, in: folder) { health.locked(in: self) { $0.markUnusable(name) } }
        return removed
    }

    private func exists(_ name: DiskName, in folder: DiskDirectory) -> Bool {
        do {
            let shard = try folder.shard(name.shard)
            return try DiskStatus(in: shard.descriptor, name: name.fileName).isRegular
        } catch {
            return !error.isMissing
        }
    }

    /// Removes the temporary files for which `condition` returns true.
    func removeTemporaries(
        _ listing: DiskListing, in shard: Int, of folder: DiskDirectory, where condition: (Int32, DiskStatus) -> Bool
    ) {
        guard !listing.temporaries.isEmpty, let opened = try? folder.shard(shard) else { return }
        for (name, process) in listing.temporaries {
            guard let status = try? DiskStatus(in: opened.descriptor, name: name), status.isRegular else { continue }
            if condition(process, status) { try? DiskFile.remove(name, in: opened.descriptor) }
        }
    }
}
