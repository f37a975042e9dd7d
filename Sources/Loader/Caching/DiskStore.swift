internal import PlatformImage
internal import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension DiskCache {
    /// Stores a response with its body, replacing the stored response of the same key and variant.
    ///
    /// The file appears completely or not at all. When the store fails, the previous response, now superseded, is
    /// removed or marked unusable. An entry without a response, which contains only an error, never replaces a stored
    /// response: the error is added to the stored entry.
    ///
    /// - Parameters:
    ///   - entry: The entry, with the request's values in ``StoredResponse/vary``.
    ///   - body: The body as received; empty for an entry without a response.
    ///   - varying: The request's values, as for ``read(_:varying:)``; used for an entry without a response.
    ///   - ticket: From ``ticket()`` at the start of the load; nil stores the entry even if the cache was purged since
    ///     then.
    /// - Returns: False when nothing was stored: a fault, an entry larger than ``maxBytes``, a body longer than
    ///   ``maxBodyBytes``, or a purge since `ticket`.
    @discardableResult
    public func store(
        _ entry: CacheEntry, body: [UInt8], varying: RequestValues = DiskCache.noFields, ticket: Ticket? = nil
    ) -> Bool {
        storeEntry(entry, body: body, varying: varying, ticket: ticket) != nil
    }

    /// Stores like ``store(_:body:varying:ticket:)``.
    ///
    /// - Parameter missing: The key's file name when an earlier lookup found no stored entry, otherwise nil. With a
    ///   name, the lookup is skipped unless a file of that name exists by now.
    /// - Returns: The identity of the stored body; nil when nothing was stored.
    func storeEntry(
        _ entry: CacheEntry, body: [UInt8], varying: RequestValues = DiskCache.noFields, ticket: Ticket? = nil,
        missing: DiskName? = nil
    ) -> Revision? {
        let generation = (ticket ?? self.ticket()).generation
        let key = entry.key.bytes
        let name = missing ?? DiskName(key)
        guard let response = entry.response else {
            guard let failure = entry.failure else { return nil }
            let older = load(name, key: key, withBody: false)
            return store(failure, key: key, as: name, older: older, varying: varying, generation: generation)
        }
        var metadata = DiskMetadata(
            key: key, vary: response.vary, family: uniqueNumber(), createdAt: response.createdAt,
            bodyLength: body.count, bodyChecksum: DiskFormat.bodyChecksum(body), response: response,
            failure: entry.failure)
        if missing != nil {
            switch publish(metadata, body: body, as: name, .noFile, generation: generation) {
            case .done(let revision): return revision
            case .notStored: return nil
            case .fileExists: break
            }
        }
        let older = load(name, key: key, withBody: false)
        if let older { metadata.family = older.metadata.family }
        return publish(metadata, body: body, as: name, replacing: older, generation: generation)
    }

    private func store(
        _ failure: FailureRecord, key: [UInt8], as name: DiskName, older: Found?, varying: RequestValues,
        generation: UInt64
    ) -> Revision? {
        var metadata = DiskMetadata(
            key: key, vary: [], family: uniqueNumber(), createdAt: failure.at, bodyLength: 0,
            bodyChecksum: DiskFormat.bodyChecksum([]), response: nil, failure: failure)
        guard let older else { return publish(metadata, body: [], as: name, replacing: nil, generation: generation) }
        metadata.family = older.metadata.family
        let values = varying(older.metadata.vary.map(\.name))
        if older.metadata.vary.isEmpty || values.inNameOrder == older.metadata.vary.inNameOrder {
            return update(older, response: older.metadata.response, failure: failure, generation: generation)
        }
        guard let variant = values.variantBytes else { return nil }
        let variantName = DiskName(key, variant: variant)
        if let other = load(variantName, key: key, withBody: false), other.metadata.family == metadata.family,
            other.metadata.vary.inNameOrder == values.inNameOrder
        {
            return update(other, response: other.metadata.response, failure: failure, generation: generation)
        }
        metadata.vary = values
        return publish(metadata, body: [], as: variantName, replacing: nil, generation: generation)
    }

    /// Replaces the header and the stored error of an entry and retains its body, as after a 304.
    ///
    /// - Parameters:
    ///   - entry: The new entry. Its response may be nil only if the stored entry has no response either. The creation
    ///     date of its response is ignored.
    ///   - revision: Identity of the validated body; nothing is changed when a different body has been stored
    ///     meanwhile.
    ///   - ticket: As for ``store(_:body:varying:ticket:)``.
    /// - Returns: False when the header was not replaced: another body, a fault, or a purge since `ticket`. After a
    ///   fault the entry may have been removed.
    @discardableResult
    public func refresh(_ entry: CacheEntry, of revision: Revision, ticket: Ticket? = nil) -> Bool {
        refreshEntry(entry, of: revision, ticket: ticket) != nil
    }

    /// Refreshes like ``refresh(_:of:ticket:)``.
    ///
    /// - Returns: The identity of the stored body; nil when the header was not replaced.
    func refreshEntry(_ entry: CacheEntry, of revision: Revision, ticket: Ticket?) -> Revision? {
        let generation = (ticket ?? self.ticket()).generation
        let key = entry.key.bytes
        guard let found = load(revision.name, key: key, withBody: false), found.revision == revision else {
            return nil
        }
        guard entry.response != nil || found.metadata.response == nil else { return nil }
        return update(found, response: entry.response, failure: entry.failure, generation: generation)
    }

    private func update(
        _ found: Found, response: StoredResponse?, failure: FailureRecord?, generation: UInt64
    ) -> Revision? {
        var metadata = found.metadata
        metadata.response = response
        metadata.response?.createdAt = metadata.createdAt
        metadata.failure = failure
        if let response { metadata.vary = response.vary }
        let isNewest = found.name == DiskName(metadata.key)
        guard let payload = metadata.encoded() else {
            supersede(found.name, .headerTooLarge)
            return nil
        }
        if isNewest || metadata.vary.inNameOrder == found.metadata.vary.inNameOrder,
            let slot = DiskFormat.slot(sequence: found.slot.sequence &+ 1, payload: payload, size: found.slotSize)
        {
            return write(slot, over: found, generation: generation) ? found.revision : nil
        }
        // The payload exceeds its slot, or the variant needs another name: verify the body and write a new file.
        guard let verified = load(found.name, key: metadata.key, withBody: true), verified.revision == found.revision
        else {
            return nil
        }
        let name = DiskName(metadata.key)
        let older = isNewest ? nil : load(name, key: metadata.key, withBody: false)
        return publish(metadata, body: verified.body, as: name, replacing: older, generation: generation)
    }

    /// Writes the inactive slot with one system call; the file's name and body stay unchanged.
    private func write(_ slot: [UInt8], over found: Found, generation: UInt64) -> Bool {
        guard !isPaused(), let folder = folder(creating: false) else { return false }
        guard self.generation.load(ordering: .acquiring) == generation else { return false }
        do {
            let shard = try folder.shard(found.name.shard)
            let file = try DiskFile(in: shard.descriptor, name: found.name.fileName, flags: O_RDWR)
            // An inode number can be reused immediately, so the file is identified by its content after it is opened.
            let status = try file.status()
            guard status.isRegular,
                case .header(let header) = try DiskFileHeader.read(from: file, length: status.length),
                header.slot.sequence == found.slot.sequence, header.slot.index == found.slot.index,
                header.slotSize == found.slotSize, header.metadata == found.metadata
            else { return false }
            try file.write(slot, at: DiskFormat.prefixSize + (1 - found.slot.index) * found.slotSize)
            try? file.touch(now())
            try file.close()
        } catch {
            if !error.isMissing { recordWriteFault(error, at: "updating \(found.name.path)") }
            return false
        }
        health.locked(in: self) {
            $0.counts.refreshes += 1
            $0.recordWriteSuccess()
        }
        return true
    }

    /// Writes a file and renames it to its final name.
    private func publish(
        _ metadata: DiskMetadata, body: [UInt8], as name: DiskName, replacing older: Found?, generation: UInt64
    ) -> Revision? {
        let expected = older.map { Expectation.found($0) } ?? .anything
        guard case .done(let revision) = publish(metadata, body: body, as: name, expected, generation: generation)
        else { return nil }
        return revision
    }

    /// The existing file that a new one is expected to replace.
    private enum Expectation {
        /// Any file or none.
        case anything
        /// No file; an existing one is not replaced.
        case noFile
        case found(Found)

        var older: Found? { if case .found(let found) = self { found } else { nil } }
        var expectsNoFile: Bool { if case .noFile = self { true } else { false } }
    }

    private enum PublishResult {
        case done(Revision)
        /// A file exists although none was expected.
        case fileExists
        case notStored
    }

    private func publish(
        _ metadata: DiskMetadata, body: [UInt8], as name: DiskName, _ expected: Expectation, generation: UInt64
    ) -> PublishResult {
        let older = expected.older
        func fail(_ fault: Fault? = nil) -> PublishResult {
            supersede(metadata, name, older, fault)
            return .notStored
        }
        guard let payload = metadata.encoded(), let slotSize = DiskFormat.slotSize(payload: payload.count),
            let slot = DiskFormat.slot(sequence: 1, payload: payload, size: slotSize)
        else { return fail(.headerTooLarge) }
        let header = DiskFormat.prefix(slotSize: slotSize) + slot + [UInt8](repeating: 0, count: slotSize)
        let length = header.count + body.count
        if let maxBytes, length > maxBytes { return fail() }
        if body.count > maxBodyBytes { return fail(.bodyTooLarge) }
        guard !isPaused() else { return fail() }
        // A folder that was removed between two calls is created again, with a limited number of attempts.
        for attempt in 0..<4 {
            guard let folder = folder(creating: true) else { break }
            do {
                let publication = Publication(
                    folder: folder, name: name, isNew: expected.expectsNoFile, moved: moved(older, for: metadata),
                    length: length, generation: generation)
                switch try publication.attempt(by: self, header: header, body: body) {
                case .done(let movedName):
                    if publication.moved != nil { removeCopy(of: metadata, in: folder) }
                    health.locked(in: self) {
                        $0.counts.stores += 1
                        $0.markReplaced(name)
                        if let movedName { $0.markReplaced(movedName) }
                        $0.recordWriteSuccess()
                    }
                    rescanIfDue()
                    return .done(metadata.revision(as: name))
                case .fileExists: return .fileExists
                case .purged: return .notStored
                case .overLimit: freeSpace(for: length, ignoringLock: attempt > 0)
                }
            } catch {
                guard error.isMissing else {
                    recordWriteFault(error, at: "storing \(name.path)")
                    break
                }
                recordFault(error, at: "storing \(name.path)")
                discard(folder)
            }
        }
        return fail()
    }

    /// Returns the new name for the file of the older response if that is another variant, and the identity of the
    /// file. A lookup of the older variant finds the file by its new name. Nil if the file need not be moved.
    private func moved(_ older: Found?, for metadata: DiskMetadata) -> (DiskName, DiskStatus.Identity)? {
        guard let older, older.metadata.response != nil, !older.metadata.vary.isEmpty,
            older.metadata.vary.inNameOrder != metadata.vary.inNameOrder,
            let variant = older.metadata.vary.variantBytes
        else { return nil }
        return (DiskName(metadata.key, variant: variant), older.identity)
    }

    /// Removes the separate file of a variant that has become the newest response.
    private func removeCopy(of metadata: DiskMetadata, in folder: DiskDirectory) {
        guard !metadata.vary.isEmpty, let variant = metadata.vary.variantBytes else { return }
        removeOrMark(DiskName(metadata.key, variant: variant), in: folder)
    }

    /// Removes the older file of a response whose newer version could not be stored: the older version is outdated.
    private func supersede(_ metadata: DiskMetadata, _ name: DiskName, _ older: Found?, _ fault: Fault?) {
        // When another variant is the newest, this variant has a separate file.
        if moved(older, for: metadata) == nil { return supersede(name, fault) }
        guard let variant = metadata.vary.variantBytes, !metadata.vary.isEmpty else { return supersede(name, fault) }
        supersede(DiskName(metadata.key, variant: variant), fault)
    }

    private func supersede(_ name: DiskName, _ fault: Fault?) {
        if let fault { recordFault(fault, "\(name.path) was not stored") }
        removeOrMark(name)
    }
}

/// One attempt to write a file and rename it to its final name.
private struct Publication {
    let folder: DiskDirectory
    let name: DiskName
    /// True when no file of this name may exist.
    let isNew: Bool
    /// The new name of the older variant, and the identity of its file.
    let moved: (name: DiskName, identity: DiskStatus.Identity)?
    let length: Int
    let generation: UInt64

    enum RenameResult {
        /// The file has its final name; `moved` is the new name of the older variant, nil when none was moved.
        case done(moved: DiskName?)
        case fileExists, purged, overLimit

        var isDone: Bool { if case .done = self { true } else { false } }
    }

    func attempt(by cache: DiskCache, header: [UInt8], body: [UInt8]) throws(DiskError) -> RenameResult {
        let temporary = name.pathInShard(name.temporaryName(cache.uniqueNumber()))
        let file = try folder.newFile(temporary, of: name)
        do {
            try file.write(header, at: 0)
            try file.write(body, at: header.count)
            try file.touch(cache.now())
            try file.close()
            if let moved { try folder.makeShard(moved.name) }
            let result = try rename(temporary, cache)
            if !result.isDone { folder.remove(temporary) }
            return result
        } catch {
            folder.remove(temporary)
            throw error
        }
    }

    private func rename(_ temporary: [CChar], _ cache: DiskCache) throws(DiskError) -> RenameResult {
        let limit = cache.maxBytes
        return try cache.totals.locked(in: cache) { totals throws(DiskError) in
            guard cache.generation.load(ordering: .relaxed) == generation else { return .purged }
            return try rename(temporary, limit: limit, &totals)
        }
    }

    /// Renames the older variant's file if it must be moved, and then the new file. The caller holds the lock of the
    /// totals, so that no purge can interleave and every file is counted once.
    private func rename(
        _ temporary: [CChar], limit: Int?, _ totals: inout DiskTotals
    ) throws(DiskError) -> RenameResult {
        let path = name.pathInShard(name.fileName)
        let older = try existing(path)
        if isNew, older != nil { return .fileExists }
        if let limit, totals.bytes + length - (older?.length ?? 0) > limit { return .overLimit }
        var replacedLength = older?.length
        var movedName: DiskName?
        if let moved, let older, older.identity == moved.identity {
            let movedPath = moved.name.pathInShard(moved.name.fileName)
            let replaced = try existing(movedPath)
            try folder.rename(path, to: movedPath)
            replacedLength = nil
            movedName = moved.name
            totals.change(shard: name.shard, entries: -1, bytes: -older.length)
            totals.change(
                shard: moved.name.shard, entries: replaced == nil ? 1 : 0, bytes: older.length - (replaced?.length ?? 0)
            )
            // Another process may have replaced the file since its identity was checked. Under the new name of the
            // older variant, such a file is invalid.
            if let now = try? folder.status(movedPath), now.identity != moved.identity {
                folder.remove(movedPath)
                totals.change(shard: moved.name.shard, entries: -1, bytes: -now.length)
            }
        }
        try folder.rename(temporary, to: path)
        totals.change(shard: name.shard, entries: replacedLength == nil ? 1 : 0, bytes: length - (replacedLength ?? 0))
        return .done(moved: movedName)
    }

    /// Returns the status of the file at a path; nil for none. Throws EEXIST for anything but a regular file.
    private func existing(_ path: [CChar]) throws(DiskError) -> DiskStatus? {
        let status: DiskStatus
        do {
            status = try folder.status(path)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
        guard status.isRegular else { throw DiskError(code: EEXIST) }
        return status
    }
}
