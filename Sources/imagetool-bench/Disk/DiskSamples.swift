import PlatformImageLoader

/// Cache entries with realistic header fields, for the benchmarks of the disk cache.
struct DiskSamples {
    /// Size of each body in bytes.
    let bodyBytes: Int

    /// Key of the image with the given number.
    func key(_ number: Int) -> CacheKey {
        let address = "https://images.example.org/v2/photographs/originals/\(1_000_000 + number).png"
        guard let key = CacheKey(url: address) else { preconditionFailure("the URL is not a valid cache key") }
        return key
    }

    /// Entry with ten typical response header fields.
    func entry(_ number: Int, requestedAt time: WallTime = .now) -> CacheEntry {
        let fields: HeaderFields = [
            "Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Server": "nginx", "Content-Type": "image/png",
            "Content-Length": String(bodyBytes), "Last-Modified": "Sun, 06 Nov 1994 08:00:00 GMT",
            "ETag": "\"5f3-\(number)\"", "Cache-Control": "public, max-age=86400", "Accept-Ranges": "bytes",
            "Access-Control-Allow-Origin": "*", "Strict-Transport-Security": "max-age=31536000",
        ]
        let response = StoredResponse(
            status: 200, fields: fields, requestTime: time, responseTime: time, createdAt: time)
        return CacheEntry(key: key(number), response: response)
    }

    /// Pseudo-random bytes, different for each number and hardly compressible.
    func body(_ number: Int) -> [UInt8] {
        var state = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 | 1
        return (0..<bodyBytes).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }
}
