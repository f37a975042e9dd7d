import PlatformImage
import PlatformImageLoader

/// A cached result: the bytes of a response body, and the properties for the response header.
struct StoredResult: Sendable {
    /// Body of the response.
    let bytes: [UInt8]
    var facts: Facts

    /// Properties of a result apart from its bytes.
    struct Facts: Hashable, Sendable {
        /// Media type, such as `image/jpeg`.
        var contentType: String
        /// Entity tag with its quotes.
        var entityTag: String
        /// Digest of the source (``SourceBytes/digest``), in hexadecimal digits.
        var sourceDigest: String
        /// Modification time of the source in seconds since 1970; nil when it is not known.
        var lastModified: Int64?
        /// Number of frames or pages of the source; 1 for most.
        var frameCount: Int
        /// Number of frames of the result.
        var resultFrameCount = 1
        /// True when the source was truncated or damaged.
        var isDamaged: Bool
        /// True when the source was stale because the origin failed.
        var isStale = false
        /// Freshness that the origin stated at ``validatedAt``.
        var source: CacheLifetime.Source
        /// Time when the result was rendered, or when the source was last revalidated.
        var validatedAt: WallTime
        /// Canonical IIIF path `region/size/rotation/quality.format`; nil for other dialects.
        var canonicalPath: String?
    }

    /// Returns the cache lifetime of a response that is sent now.
    func lifetime(
        _ policy: ResponsePolicy, _ settings: CacheLifetime.Settings, now: WallTime
    ) -> CacheLifetime {
        let age = CacheLifetime.clampedSeconds((now - facts.validatedAt) / 1000)  // trap-free: WallTime clamps
        var source = facts.source
        // Both terms are at most 2^31.
        source.remaining = source.remaining.map { $0 &- age }
        source.age = source.age &+ age
        return CacheLifetime(
            of: source, policy: policy, settings: settings, resultAge: age, isDamaged: facts.isDamaged || facts.isStale,
            now: now.milliseconds)
    }

    /// Cost in the memory cache: the body plus 512 bytes.
    var cost: Int { bytes.count.addingClamped(512) }
}

extension StoredResult.Facts {
    /// The properties as fields of a stored response, the form in which a result is stored on disk.
    var fields: HeaderFields {
        var fields: HeaderFields = [
            "Content-Type": contentType, "ETag": entityTag, "X-Source-Digest": sourceDigest,
            "X-Frames": "\(frameCount)", "X-Damaged": isDamaged ? "1" : "0",
            "X-Source-Age": "\(CacheLifetime.clampedSeconds(Int64(clamping: source.age)))",
        ]
        if resultFrameCount > 1 { fields.append("X-Result-Frames", "\(resultFrameCount)") }
        if isStale { fields.append("X-Stale", "1") }
        if let lastModified { fields.append("X-Last-Modified", "\(lastModified)") }
        if let remaining = source.remaining {
            fields.append("X-Source-Remaining", "\(CacheLifetime.clampedRemaining(remaining))")
        }
        if let canonicalPath { fields.append("X-Canonical", canonicalPath) }
        return fields
    }

    /// Parses the fields of a stored response; nil when a required field is missing or invalid. Invalid optional fields
    /// are ignored.
    init?(_ response: StoredResponse) {
        func text(_ name: String) -> String? {
            response.fields[name].map { String(decoding: $0, as: UTF8.self) }  // trap-free: nil for a missing field
        }
        /// A number of the file, which anyone may have written; nil outside of the range.
        func number(_ name: String, _ range: ClosedRange<Int>) -> Int? {
            text(name).flatMap { Int($0, radix: 10) }.flatMap { range.contains($0) ? $0 : nil }  // trap-free: of a text
        }
        guard let contentType = text("Content-Type"), let entityTag = text("ETag"),
            let sourceDigest = text("X-Source-Digest"), let frames = number("X-Frames", 1...Int(Int32.max)),
            let damaged = text("X-Damaged"), let age = number("X-Source-Age", CacheLifetime.ages)
        else { return nil }
        self.init(
            contentType: contentType, entityTag: entityTag, sourceDigest: sourceDigest,
            lastModified: number("X-Last-Modified", 0...Int.max).map { Int64(clamping: $0) },
            frameCount: frames, resultFrameCount: number("X-Result-Frames", 1...Int(Int32.max)) ?? 1,
            isDamaged: damaged != "0", isStale: text("X-Stale") == "1",
            source: .init(remaining: number("X-Source-Remaining", CacheLifetime.remainders), age: age),
            validatedAt: response.responseTime, canonicalPath: text("X-Canonical"))
    }
}

extension StoredResult.Facts {
    /// The deviations of the result; empty for the complete image of a current source.
    var imageStatus: [ImageStatus] {
        var statuses: [ImageStatus] = []
        if isDamaged { statuses.append(.partial) }
        if isStale { statuses.append(.stale) }
        return statuses
    }
}
