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
        let age = Int(clamping: max(0, (now - facts.validatedAt) / 1000))
        var source = facts.source
        source.remaining = source.remaining.map { $0 - age }
        source.age += age
        return CacheLifetime(
            of: source, policy: policy, settings: settings, resultAge: age, isDamaged: facts.isDamaged,
            now: now.milliseconds)
    }

    /// Cost in the memory cache: the body plus 512 bytes.
    var cost: Int { bytes.count + 512 }
}

extension StoredResult.Facts {
    /// The properties as fields of a stored response, the form in which a result is stored on disk.
    var fields: HeaderFields {
        var fields: HeaderFields = [
            "Content-Type": contentType, "ETag": entityTag, "X-Source-Digest": sourceDigest,
            "X-Frames": "\(frameCount)", "X-Damaged": isDamaged ? "1" : "0", "X-Source-Age": "\(source.age)",
        ]
        if resultFrameCount > 1 { fields.append("X-Result-Frames", "\(resultFrameCount)") }
        if let lastModified { fields.append("X-Last-Modified", "\(lastModified)") }
        if let remaining = source.remaining { fields.append("X-Source-Remaining", "\(remaining)") }
        if let canonicalPath { fields.append("X-Canonical", canonicalPath) }
        return fields
    }

    /// Parses the fields of a stored response; nil when a required field is missing or invalid. Invalid optional fields
    /// are ignored.
    init?(_ response: StoredResponse) {
        func text(_ name: String) -> String? { response.fields[name].map { String(decoding: $0, as: UTF8.self) } }
        guard let contentType = text("Content-Type"), let entityTag = text("ETag"),
            let sourceDigest = text("X-Source-Digest"), let frames = text("X-Frames").flatMap({ Int($0) }), frames > 0,
            let damaged = text("X-Damaged"), let age = text("X-Source-Age").flatMap({ Int($0) })
        else { return nil }
        self.init(
            contentType: contentType, entityTag: entityTag, sourceDigest: sourceDigest,
            lastModified: text("X-Last-Modified").flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil },
            frameCount: frames,
            resultFrameCount: text("X-Result-Frames").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 1,
            isDamaged: damaged != "0",
            source: .init(remaining: text("X-Source-Remaining").flatMap { Int($0) }, age: age),
            validatedAt: response.responseTime, canonicalPath: text("X-Canonical"))
    }
}
