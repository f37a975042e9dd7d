#if Service
import PlatformImageLoader

/// A result as it is kept: the bytes of an answer's body and what its head needs.
struct StoredResult: Sendable {
    /// What a client gets.
    let bytes: [UInt8]
    var facts: Facts

    /// What is known of a result besides its bytes.
    struct Facts: Hashable, Sendable {
        /// `image/jpeg`, for example.
        var contentType: String
        /// With quotes.
        var entityTag: String
        /// SHA-256 of the source, in hexadecimal digits.
        var sourceDigest: String
        /// Seconds since 1970; nil when the source does not say when it was modified.
        var lastModified: Int64?
        /// Frames or pages of the source; 1 for most.
        var frameCount: Int
        /// True when the source was cut short or damaged.
        var isDamaged: Bool
        /// What the origin said of the source at ``seenAt``.
        var source: CacheLifetime.Source
        /// When the source was last asked for.
        var seenAt: WallTime
        /// `region/size/rotation/quality.format` of IIIF in its canonical form; nil for other dialects.
        var canonicalPath: String?
    }

    /// How long an answer may be kept that goes out now.
    func lifetime(
        _ policy: AnswerPolicy, _ settings: CacheLifetime.Settings, now: WallTime
    ) -> CacheLifetime {
        let age = Int(clamping: max(0, (now - facts.seenAt) / 1000))
        var source = facts.source
        source.remaining = source.remaining.map { $0 - age }
        source.age += age
        return CacheLifetime(
            of: source, policy: policy, settings: settings, resultAge: age, isDamaged: facts.isDamaged,
            now: now.milliseconds)
    }

    /// What it is counted as in memory, at least 1.
    var cost: Int { bytes.count + 512 }
}

extension StoredResult.Facts {
    /// As fields of a stored response, which is how a result lies on disk.
    var fields: HeaderFields {
        var fields: HeaderFields = [
            "Content-Type": contentType, "ETag": entityTag, "X-Source-Digest": sourceDigest,
            "X-Frames": "\(frameCount)", "X-Damaged": isDamaged ? "1" : "0", "X-Source-Age": "\(source.age)",
        ]
        if let lastModified { fields.append("X-Last-Modified", "\(lastModified)") }
        if let remaining = source.remaining { fields.append("X-Source-Remaining", "\(remaining)") }
        if let canonicalPath { fields.append("X-Canonical", canonicalPath) }
        return fields
    }

    /// Nil when a field is missing or makes no sense.
    init?(_ response: StoredResponse) {
        func text(_ name: String) -> String? { response.fields[name].map { String(decoding: $0, as: UTF8.self) } }
        guard let contentType = text("Content-Type"), let entityTag = text("ETag"),
            let sourceDigest = text("X-Source-Digest"), let frames = text("X-Frames").flatMap({ Int($0) }), frames > 0,
            let damaged = text("X-Damaged"), let age = text("X-Source-Age").flatMap({ Int($0) })
        else { return nil }
        self.init(
            contentType: contentType, entityTag: entityTag, sourceDigest: sourceDigest,
            lastModified: text("X-Last-Modified").flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil },
            frameCount: frames, isDamaged: damaged != "0",
            source: .init(remaining: text("X-Source-Remaining").flatMap { Int($0) }, age: age),
            seenAt: response.responseTime, canonicalPath: text("X-Canonical"))
    }
}
#endif
