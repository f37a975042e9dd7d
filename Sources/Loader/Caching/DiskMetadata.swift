/// The payload of a slot of ``DiskFormat``: everything about an entry except its body.
struct DiskMetadata: Equatable {
    /// The algorithm of ``bodyChecksum``.
    enum Algorithm: UInt8 {
        case xxh3 = 1
    }

    /// ``CacheKey/bytes`` in full; compared on every read.
    var key: [UInt8]
    /// The request fields that selected this variant; equal to those in ``response``. The variant's file name is
    /// derived from them.
    var vary: [VaryValue]
    /// A random number shared by all variants of a key, so that removing the newest variant invalidates all variants.
    var family: UInt64
    /// When this body was stored; equal to the time in ``response``. For an entry without a response, the time of the
    /// error.
    var createdAt: WallTime
    /// Length in bytes of the body, which follows the slots of ``DiskFormat``.
    var bodyLength: Int
    /// Checksum of the body, by ``Algorithm/xxh3``.
    var bodyChecksum: UInt64
    /// The response; nil when the entry contains only an error.
    var response: StoredResponse?
    /// The record of consecutive errors since the last success; nil when there was no error.
    var failure: FailureRecord?

    /// Returns the entry; the caller has compared the stored key with `key`.
    func entry(for key: CacheKey) -> CacheEntry { CacheEntry(key: key, response: response, failure: failure) }

    /// Returns the identity of the body in a file of this name.
    func revision(as name: DiskName) -> DiskCache.Revision {
        DiskCache.Revision(
            name: name, family: family, createdAt: createdAt, bodyLength: bodyLength, bodyChecksum: bodyChecksum)
    }

    /// Returns true when `name` is the file name of the key's newest response or of this variant.
    func matchesFileName(_ name: DiskName) -> Bool {
        name == DiskName(key) || name == vary.variantBytes.map { DiskName(key, variant: $0) }
    }

    /// Returns the payload; nil when a part is longer than 65,535 bytes, which exceeds the largest slot.
    func encoded() -> [UInt8]? {
        var writer = DiskWriter(capacity: 1024)
        writer.string(key)
        writer.checkedU16(vary.count)
        for value in vary { writer.vary(value) }
        writer.u64(family)
        writer.time(createdAt)
        writer.u64(UInt64(clamping: bodyLength))
        writer.u8(Algorithm.xxh3.rawValue)
        writer.u64(bodyChecksum)
        writer.u8((response == nil ? 0 : 1) | (failure == nil ? 0 : 2) | (failure?.freshUntil == nil ? 0 : 4))
        if let response {
            writer.checkedU16(response.status)
            writer.time(response.requestTime)
            writer.time(response.responseTime)
            writer.checkedU16(response.fields.lines.count)
            for line in response.fields.lines {
                writer.string(line.name.utf8)
                writer.string(line.value)
            }
        }
        if let failure {
            writer.checkedU16(failure.status)
            writer.u32(UInt32(clamping: failure.attempts))
            writer.time(failure.at)
            if let freshUntil = failure.freshUntil { writer.time(freshUntil) }
        }
        return writer.isComplete ? writer.bytes : nil
    }
}

extension DiskMetadata {
    /// Parses a payload; nil when it is malformed or has trailing bytes.
    init?(_ payload: ArraySlice<UInt8>) {
        var reader = DiskReader(payload)
        guard let key = reader.string(), let vary = reader.varyValues(), let family = reader.u64(),
            let createdAt = reader.time(), let length = reader.u64(), let bodyLength = Int(exactly: length),
            let algorithm = reader.u8(), Algorithm(rawValue: algorithm) != nil, let bodyChecksum = reader.u64(),
            let parts = reader.u8(), parts < 8
        else { return nil }
        self.init(
            key: Array(key), vary: vary, family: family, createdAt: createdAt, bodyLength: bodyLength,
            bodyChecksum: bodyChecksum)
        if parts & 1 != 0 {
            guard let response = StoredResponse(from: &reader, createdAt: createdAt, vary: vary) else { return nil }
            self.response = response
        }
        if parts & 2 != 0 {
            guard let failure = FailureRecord(from: &reader, hasFreshness: parts & 4 != 0) else { return nil }
            self.failure = failure
        }
        guard reader.isAtEnd else { return nil }
    }
}

extension StoredResponse {
    fileprivate init?(from reader: inout DiskReader, createdAt: WallTime, vary: [VaryValue]) {
        guard let status = reader.u16AsInt(), let requestTime = reader.time(), let responseTime = reader.time(),
            let count = reader.u16AsInt()
        else { return nil }
        var fields = HeaderFields()
        for _ in 0..<max(0, count) {
            guard let name = reader.string(), let value = reader.string() else { return nil }
            fields.lines.append(HeaderField(String(decoding: name, as: UTF8.self), bytes: Array(value)))
        }
        self.init(
            status: status, fields: fields, requestTime: requestTime, responseTime: responseTime, createdAt: createdAt,
            vary: vary)
    }
}

extension FailureRecord {
    fileprivate init?(from reader: inout DiskReader, hasFreshness: Bool) {
        guard let status = reader.u16AsInt(), let attempts = reader.u32(), let at = reader.time() else { return nil }
        self.init(status: status, attempts: Int(clamping: attempts), at: at)
        if hasFreshness {
            guard let freshUntil = reader.time() else { return nil }
            self.freshUntil = freshUntil
        }
    }
}

extension DiskWriter {
    fileprivate mutating func vary(_ value: VaryValue) {
        string(value.name.utf8)
        u8(value.value == nil ? 0 : 1)
        if let bytes = value.value { string(bytes) }
    }
}

extension DiskReader {
    fileprivate mutating func varyValues() -> [VaryValue]? {
        guard let count = u16AsInt() else { return nil }
        var values: [VaryValue] = []
        for _ in 0..<max(0, count) {
            guard let name = string(), let isPresent = u8(), isPresent < 2 else { return nil }
            var value: [UInt8]?
            if isPresent == 1 {
                guard let bytes = string() else { return nil }
                value = Array(bytes)
            }
            values.append(VaryValue(name: String(decoding: name, as: UTF8.self), value: value))
        }
        return values
    }
}

extension [VaryValue] {
    /// The values sorted by name, so that `Vary: a, b` and `Vary: b, a` select the same variant.
    var inNameOrder: Self { count < 2 ? self : sorted { $0.name < $1.name } }

    /// The bytes hashed after the key for a variant's file name; nil when a value does not fit in the largest slot.
    var variantBytes: [UInt8]? {
        var writer = DiskWriter()
        for value in inNameOrder { writer.vary(value) }
        return writer.isComplete ? writer.bytes : nil
    }
}
