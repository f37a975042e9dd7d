#if FUZZING
import PlatformImage

/// Entry point of `Fuzz/run disk`: entries of the disk cache that another program wrote.
///
/// Only builds with the flag FUZZING contain this type, because the fuzz package sees only public declarations.
public enum DiskFuzzing {
    /// Reads the bytes after the first as a file, as the metadata of a file with valid checksums, or as header fields
    /// of a stored response; computes the freshness and the pauses of what was read.
    public static func read(_ bytes: [UInt8]) {
        guard let kind = bytes.first else { return }
        let input = Array(bytes.dropFirst())
        switch kind % 4 {
        case 0: readFile(input)
        case 1: readMetadata(input)
        case 2:
            guard let slot = DiskFormat.slot(sequence: 1, payload: input, size: 65_536) else { return }
            readFile(DiskFormat.prefix(slotSize: 65_536) + slot + slot)
        default: readFields(input)
        }
    }

    private static func readFile(_ file: [UInt8]) {
        guard case .slotSize(let slotSize) = DiskFormat.readPrefix(file.prefix(DiskFormat.prefixSize)) else { return }
        for slot in DiskFormat.slots(inHeader: file, slotSize: slotSize) { readMetadata(Array(slot.payload)) }
    }

    private static func readMetadata(_ payload: [UInt8]) {
        guard let metadata = DiskMetadata(payload[...]) else { return }
        // Names that are not UTF-8, and a flag without its part, are not written again.
        if let again = metadata.encoded() {
            precondition(DiskMetadata(again[...]) == metadata, "metadata changes when it is written")
        }
        precondition(metadata.vary.variantBytes?.isEmpty == metadata.vary.isEmpty)
        evaluate(CacheEntry(key: key, response: metadata.response, failure: metadata.failure))
    }

    /// A line feed ends a field, and a colon its name. The first 16 bytes are the two times.
    private static func readFields(_ input: [UInt8]) {
        var cursor = ByteCursor(input.span)
        func time(_ cursor: inout ByteCursor) -> WallTime {
            WallTime(milliseconds: Int64(truncatingIfNeeded: cursor.word(8, .little, input.span) ?? 0))
        }
        let (requestTime, responseTime) = (time(&cursor), time(&cursor))
        var fields = HeaderFields()
        for line in input[cursor.position...].split(separator: 0x0A) {
            let parts = line.split(separator: 0x3A, maxSplits: 1)
            guard let name = parts.first, let value = parts.last else { continue }
            fields.lines.append(HeaderField(String(decoding: name, as: UTF8.self), bytes: Array(value)))
        }
        let response = StoredResponse(
            status: 200, fields: fields, requestTime: requestTime, responseTime: responseTime, createdAt: responseTime)
        evaluate(CacheEntry(key: key, response: response))
    }

    private static var key: CacheKey {
        guard let key = CacheKey(url: "https://example.org/image") else { preconditionFailure("no key") }
        return key
    }

    private static func evaluate(_ entry: CacheEntry) {
        let times: [Int64] = [0, 1_700_000_000_000, .min, .max]
        let stored = [entry.response?.responseTime, entry.failure?.at].compactMap { $0 }
        for time in times.map(WallTime.init(milliseconds:)) + stored {
            for isShared in [false, true] {
                var settings = CacheSettings()
                settings.isSharedCache = isShared
                settings.staleIfError = .upTo(.seconds(10))
                settings.defaultCacheControlMaxAgeForErrors = .seconds(60)
                evaluate(entry, settings, now: time)
            }
        }
    }

    private static func evaluate(_ entry: CacheEntry, _ settings: CacheSettings, now: WallTime) {
        let request = CacheRequest(
            method: "GET", fields: ["Cache-Control": "max-stale=2147483648, max-age=2147483648"], policy: .default)
        let constraints = CacheConstraints(request, settings: settings)
        if let stored = StoredCandidate(entry, request: request, settings: settings, now: now) {
            _ = (stored.isInRefreshWindow, stored.isAllowedInsteadOfError(settings), stored.freshness.remaining)
            _ = (constraints.accepts(stored), constraints.acceptsStale(stored))
        }
        _ = entry.rememberedError(request: request, settings: settings, now: now)
        let next = FailureRecord(status: 503, after: entry.failure, at: now, settings: settings)
        precondition(next.attempts > 0)
        if let response = entry.response {
            _ = SharedLifetime(response.fields, now: now)
            _ = response.merged(with: response.fields, requestTime: now, responseTime: response.requestTime)
        }
    }
}
#endif
