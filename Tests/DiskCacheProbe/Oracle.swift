import PlatformImageLoader

/// Expected entries: body and metadata are pure functions of the key number, the body version and the refresh number,
/// so every entry that a cache returns can be verified without other state.
enum Oracle {
    /// The URL of entry `number`.
    static func url(_ number: Int) -> String { "http://faults.example/\(number)/picture.png?width=\(number % 7)" }

    static func key(_ number: Int) -> CacheKey {
        guard let key = CacheKey(url: url(number)) else { preconditionFailure("the test URL is invalid") }
        return key
    }

    /// 0 to 24,000 bytes, mostly under 2,000; two versions rarely have the same length.
    static func body(_ number: Int, version: Int) -> [UInt8] {
        var random = Random(seed: UInt64(truncatingIfNeeded: number &* 1_000_003 &+ version))
        let count = Int(random.next() % (random.next() % 16 == 0 ? 24_000 : 2_000))
        return [UInt8](unsafeUninitializedCapacity: count + 8) { bytes, filled in
            let raw = UnsafeMutableRawBufferPointer(bytes)
            while filled < count {
                raw.storeBytes(of: random.next().littleEndian, toByteOffset: filled, as: UInt64.self)
                filled += 8
            }
            filled = count
        }
    }

    /// Metadata of 300 bytes to 6 kB: a refresh may exceed the header slot of the stored version.
    static func entry(_ number: Int, version: Int, refresh: Int = 0) -> CacheEntry {
        var random = Random(seed: UInt64(truncatingIfNeeded: number &* 7_919 &+ version &* 104_729 &+ refresh))
        let padding = random.next() % 6 == 0 ? Int(random.next() % 5_000) : Int(random.next() % 300)
        let fields = HeaderFields([
            HeaderField("X-Number", "\(number)"), HeaderField("X-Version", "\(version)"),
            HeaderField("X-Refresh", "\(refresh)"), HeaderField("Cache-Control", "max-age=\(random.next() % 9_999)"),
            HeaderField("X-Padding", bytes: [UInt8](repeating: UInt8(0x21 + random.next() % 90), count: padding)),
        ])
        let stored = WallTime(seconds: 1_700_000_000 + Int64(version))
        let response = StoredResponse(
            status: 200, fields: fields, requestTime: stored.adding(milliseconds: Int64(refresh) * 1_000),
            responseTime: stored.adding(milliseconds: Int64(refresh) * 1_000 + 7), createdAt: stored)
        return CacheEntry(key: key(number), response: response)
    }

    /// Version and refresh number of an entry that the cache returned for `number`; nil when the entry or its body
    /// differs from the expected one.
    static func version(of number: Int, _ entry: CacheEntry, _ body: [UInt8]) -> (version: Int, refresh: Int)? {
        guard let fields = entry.response?.fields, let version = value("X-Version", fields),
            let refresh = value("X-Refresh", fields), entry == Self.entry(number, version: version, refresh: refresh),
            body == Self.body(number, version: version)
        else { return nil }
        return (version, refresh)
    }

    private static func value(_ name: String, _ fields: HeaderFields) -> Int? {
        fields[name].flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }
}

/// SplitMix64: equal seeds give equal numbers on every system.
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
