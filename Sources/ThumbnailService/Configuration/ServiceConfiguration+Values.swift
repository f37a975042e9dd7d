import PlatformImage

// Conversions of the configuration to the types that other parts of the service use.

extension ServiceConfiguration.Limits {
    /// Decoder limits.
    var decode: DecodeLimits {
        var limits = DecodeLimits()
        limits.maxPixels = sourcePixels
        limits.maxInputBytes = sourceBytes
        limits.maxWork = workNanoseconds / 5 * 3
        return limits
    }

    /// ``work`` in the unit of ``DecodeLimits/maxWork``.
    var workNanoseconds: Int { Int(clamping: work.nanosecondCount) }
}

extension ServiceConfiguration.Decode.Damage {
    /// Strictness of the decoder.
    var strictness: DecodeOptions.Strictness {
        switch self {
        case .none: .lenient
        case .truncated: .truncated
        case .corrupt: .corrupt
        case .warning: .warning
        }
    }
}

extension ServiceConfiguration.Cache {
    /// Settings for the computation of cache lifetimes.
    var lifetimes: CacheLifetime.Settings {
        CacheLifetime.Settings(
            mode: mode.lifetimeMode, ttl: Int(clamping: lifetime.components.seconds),
            staleWhileRevalidate: Int(clamping: staleWhileRevalidate.components.seconds),
            negativeTTL: Int(clamping: negativeLifetime.components.seconds), isImmutable: isImmutable)
    }
}

extension ServiceConfiguration.Cache.Mode {
    fileprivate var lifetimeMode: CacheLifetime.Mode {
        switch self {
        case .ttl: .ttl
        case .passthrough: .passthrough
        case .shorter: .min
        }
    }
}

extension ServiceConfiguration.IdentifierMap {
    /// Returns true for an http or https URL with a host and a path that ends with `/`.
    ///
    /// Without that slash, an identifier would continue the host, the port or the last path segment. A query or a
    /// fragment is refused: an identifier may contain `&`, and fragments are not sent to origins.
    static func isPrefix(_ text: String) -> Bool {
        guard text.utf8.last == UInt8(ascii: "/"), !text.utf8.contains(where: { "?#".utf8.contains($0) }) else {
            return false
        }
        do throws(ServiceError) {
            _ = try SourceTarget(text)
            return true
        } catch {
            return false
        }
    }
}
