internal import PlatformImage
internal import Synchronization

extension DiskCache {
    /// Returns the request's values of the given field names, one per name, in the order of the names.
    public typealias RequestValues = ([String]) -> [VaryValue]

    /// Returns the values of a request that has none of the fields.
    public static func noFields(_ names: [String]) -> [VaryValue] { names.map { VaryValue(name: $0, value: nil) } }

    /// Returns the verified entry for a key and a request; nil for a miss.
    ///
    /// A hit sets the modification date of the file to now. A file that fails a check is removed.
    ///
    /// - Parameters:
    ///   - key: The key to look up.
    ///   - varying: Returns the request's values of the fields that the stored response varies by, normalized like
    ///     ``StoredResponse/vary``; not called when the stored response has no `Vary`.
    public func read(_ key: CacheKey, varying: RequestValues = DiskCache.noFields) -> Hit? {
        var missing: DiskName?
        return read(key, varying: varying, missing: &missing)
    }

    /// Reads like ``read(_:varying:)``.
    ///
    /// - Parameter missing: Set to the key's file name when no variant of the key is stored.
    func read(_ key: CacheKey, varying: RequestValues, missing: inout DiskName?) -> Hit? {
        let found = find(key, varying: varying, withBody: true, touches: true, missing: &missing)
        health.locked(in: self) {
            if found == nil { $0.counts.misses &+= 1 } else { $0.counts.hits &+= 1 }
        }
        guard let found else { return nil }
        return Hit(entry: found.metadata.entry(for: key), body: found.body, revision: found.revision)
    }

    /// Returns the entry for a key and a request without its body, which is neither read nor verified; nil for a miss.
    ///
    /// Does not count as an access: the modification date and the statistics stay unchanged.
    public func header(_ key: CacheKey, varying: RequestValues = DiskCache.noFields) -> Header? {
        header(key, varying: varying, touches: false)
    }

    /// As ``header(_:varying:)``.
    ///
    /// - Parameter touches: True counts as an access, so that the entry is not evicted while only files that were made
    ///   from it are read.
    func header(_ key: CacheKey, varying: RequestValues, touches: Bool) -> Header? {
        var missing: DiskName?
        guard let found = find(key, varying: varying, withBody: false, touches: touches, missing: &missing),
            found.metadata.bodyLength <= maxBodyBytes
        else { return nil }
        return Header(
            entry: found.metadata.entry(for: key), bodyLength: found.metadata.bodyLength, revision: found.revision)
    }

    /// A file that passed its checks.
    struct Found {
        let name: DiskName
        let identity: DiskStatus.Identity
        let slotSize: Int
        let slot: DiskFormat.Slot
        let metadata: DiskMetadata
        /// The body; empty when the caller did not request it.
        let body: [UInt8]

        var revision: Revision { metadata.revision(as: name) }
    }

    /// The result of reading and checking a file.
    enum ReadResult {
        case found(Found)
        case missing
        /// The file has another format version or is not a regular file. It stays unchanged.
        case foreign
        /// The body is longer than ``DiskCache/maxBodyBytes``; the file is not removed.
        case overLimit(bytes: Int)
        /// A check failed.
        case damaged(DiskStatus.Identity)
        case failed(DiskError)
    }

    private func find(
        _ key: CacheKey, varying: RequestValues, withBody: Bool, touches: Bool, missing: inout DiskName?
    ) -> Found? {
        let bytes = key.bytes
        let name = DiskName(bytes)
        guard let newest = load(name, key: bytes, withBody: withBody, touches: touches) else {
            missing = name
            return nil
        }
        let stored = newest.metadata.vary
        if stored.isEmpty { return newest }
        let values = varying(stored.map(\.name)).inNameOrder
        if values == stored.inNameOrder { return newest }
        // The newest response is another variant; the requested variant may be in a separate file.
        guard let variant = values.variantBytes,
            let other = load(DiskName(bytes, variant: variant), key: bytes, withBody: withBody, touches: touches),
            other.metadata.family == newest.metadata.family, other.metadata.vary.inNameOrder == values
        else { return nil }
        return other
    }

    /// Reads the file that should contain an entry of the key; removes a damaged file.
    ///
    /// - Parameter touches: True counts the read as an access; nil means `withBody`.
    func load(_ name: DiskName, key: [UInt8], withBody: Bool, touches: Bool? = nil) -> Found? {
        guard let folder = folder(creating: false) else { return nil }
        guard health.locked(in: self, { $0.isUsable(name) }) else {
            purgeIfPending(name.shard, in: folder)
            return nil
        }
        switch readFile(of: name, key: key, in: folder, withBody: withBody, touches: touches ?? withBody) {
        case .found(let found):
            return found
        case .missing:
            return nil
        case .foreign:
            recordFault(.foreignObject, "ignored \(name.path): it is not a regular file or has another format version")
        case .overLimit(let bytes):
            recordFault(
                .bodyTooLarge, "ignored \(name.path): its body has \(bytes) bytes, the limit is \(maxBodyBytes)")
        case .failed(let error):
            recordFault(error, at: "reading \(name.path)")
        case .damaged(let identity):
            recordFault(.damagedEntry, "removing \(name.path): its contents are damaged")
            remove(name, in: folder) { $0.identity == identity }
        }
        return nil
    }

    /// Opens and checks a file.
    ///
    /// - Parameter key: The expected key; nil accepts any key that matches the file name.
    func readFile(
        of name: DiskName, key: [UInt8]?, in folder: DiskDirectory, withBody: Bool, touches: Bool
    ) -> ReadResult {
        do {
            let file = try folder.file(name)
            let status = try file.status()
            guard status.isRegular else { return .foreign }
            let header: DiskFileHeader
            switch try DiskFileHeader.read(from: file, length: status.length) {
            case .header(let read): header = read
            case .unknownVersion: return .foreign
            case .damaged: return .damaged(status.identity)
            }
            let metadata = header.metadata
            guard key.map({ $0 == metadata.key }) ?? metadata.matchesFileName(name) else {
                return .damaged(status.identity)
            }
            var body: [UInt8] = []
            if withBody {
                // The body length comes from the file, which may be sparse: only this limit bounds the allocation.
                guard metadata.bodyLength <= maxBodyBytes else { return .overLimit(bytes: metadata.bodyLength) }
                let start = DiskFormat.headerSize(slotSize: header.slotSize)
                guard let read = try file.bytes(at: start, count: metadata.bodyLength),
                    DiskFormat.bodyChecksum(read) == metadata.bodyChecksum
                else { return .damaged(status.identity) }
                body = read
            }
            if touches { touch(file, modified: status.modified) }
            return .found(
                Found(
                    name: name, identity: status.identity, slotSize: header.slotSize, slot: header.slot,
                    metadata: metadata,
                    body: body))
        } catch {
            return error.isMissing ? .missing : .failed(error)
        }
    }

    /// Records an access by setting the modification date. A failure does not fail the read, for example on a read-only
    /// volume.
    private func touch(_ file: borrowing DiskFile, modified: WallTime) {
        let time = now()
        // Dates have millisecond resolution: an entry that is read continuously may have this date already.
        if modified == time { return }
        do {
            try file.touch(time)
        } catch {
            recordFault(error, at: "setting the modification date of a cache file")
        }
    }
}

/// The part of a file before its body.
struct DiskFileHeader {
    let slotSize: Int
    let slot: DiskFormat.Slot
    let metadata: DiskMetadata

    enum ReadResult {
        case header(DiskFileHeader)
        case unknownVersion
        case damaged
    }

    /// Reads the newest valid slot and compares the length of the file with the length that the slot states.
    static func read(from file: borrowing DiskFile, length: Int) throws(DiskError) -> ReadResult {
        // Concurrent updates may corrupt both slots for this reader: retry before reporting damage.
        for _ in 0..<4 {
            let reading = try readOnce(from: file, length: length)
            guard case .damaged = reading else { return reading }
            System.yieldThread()
        }
        return .damaged
    }

    private static func readOnce(from file: borrowing DiskFile, length: Int) throws(DiskError) -> ReadResult {
        let smallest = DiskFormat.headerSize(slotSize: DiskFormat.smallestSlotSize)
        guard length >= smallest, var header = try file.bytes(at: 0, count: smallest) else { return .damaged }
        let slotSize: Int
        switch DiskFormat.readPrefix(header.prefix(DiskFormat.prefixSize)) {
        case .slotSize(let size): slotSize = size
        case .unknownVersion: return .unknownVersion
        case .damaged: return .damaged
        }
        let size = DiskFormat.headerSize(slotSize: slotSize)
        if size > smallest {
            guard length >= size, let bytes = try file.bytes(at: 0, count: size) else { return .damaged }
            header = bytes
        }
        for slot in DiskFormat.slots(inHeader: header, slotSize: slotSize) {
            guard let metadata = DiskMetadata(slot.payload), metadata.bodyLength == length &- size else { continue }
            return .header(DiskFileHeader(slotSize: slotSize, slot: slot, metadata: metadata))
        }
        return .damaged
    }
}
