import PlatformImage

/// The Cache-Control directives of a request or a response (RFC 9111 §5.2).
///
/// The first of duplicate directives is used. An invalid number is interpreted strictly: a response with it is stale,
/// and a request with it requires validation.
struct CacheControl: Hashable, Sendable {
    /// One member of the directive list, known or unknown.
    struct Directive: Hashable, Sendable {
        /// The name in lower case.
        var name: String
        /// The value after `=`, without quotes and escapes; nil without `=`.
        var value: [UInt8]?
        /// False when the member has bytes that the grammar does not permit.
        var isWellFormed = true
    }

    /// All members, in order.
    let directives: [Directive]
    /// True when a Cache-Control line exists, whatever its value.
    let isPresent: Bool
    /// True when a quoted string is unterminated, so that it is unknown which commas are separators.
    let hasOpenString: Bool

    /// Parses the directives of a header.
    init(_ fields: HeaderFields) {
        let lines = fields[lines: "Cache-Control"]
        var parser = CacheControlParser()
        // A quoted string cannot span lines. Lines are parsed separately, so that an unterminated string affects one
        // line.
        for line in lines { parser.read(line) }
        directives = parser.directives
        hasOpenString = parser.hasOpenString
        isPresent = !lines.isEmpty
    }

    /// The first directive with this lowercase name; nil when there is none.
    subscript(name: String) -> Directive? { directives.first { $0.name == name } }

    /// Returns true when a directive has this lowercase name, whatever its value.
    func contains(_ name: String) -> Bool { self[name] != nil }  // trap-free: a search

    /// `max-age` in seconds; 0 for an invalid number or if ``hasOpenString`` is true, nil without the directive.
    var maxAge: Int64? {
        guard let directive = self["max-age"] else { return nil }
        return hasOpenString ? 0 : directive.seconds ?? 0
    }

    /// True for `no-cache` without field names, and for a malformed `no-cache`. With field names the directive concerns
    /// only those fields (RFC 9111 §5.2.2.4).
    var noCache: Bool {
        directives.contains { directive in
            directive.name == "no-cache"
                && (!directive.isWellFormed || directive.value?.trimmingASCIIBlanks().isEmpty != false)
        }
    }

    /// True for `no-store`; see ``Storability`` for the directive that overrides it.
    var noStore: Bool { contains("no-store") }

    /// Returns the freshness lifetime of a response in seconds; 0 for an invalid number or if ``hasOpenString`` is
    /// true, nil without a directive.
    ///
    /// - Parameter isShared: True gives `s-maxage` precedence (RFC 9111 §5.2.2.10).
    func lifetime(isShared: Bool) -> Int64? {
        guard isShared, let directive = self["s-maxage"] else { return maxAge }
        return hasOpenString ? 0 : directive.seconds ?? 0
    }

    /// True when the response must never be used stale: `must-revalidate` or ``noCache``.
    var forbidsStale: Bool { contains("must-revalidate") || noCache }

    /// True when a shared cache must not use the response stale, even if a private cache may (RFC 9111 §4.2.4).
    var forbidsSharedStale: Bool { contains("proxy-revalidate") || contains("s-maxage") }

    /// Seconds after the lifetime in which a stale response is usable during revalidation (RFC 5861 §3); nil when the
    /// directive is missing or invalid.
    var staleWhileRevalidate: Int64? { hasOpenString ? nil : self["stale-while-revalidate"]?.seconds }

    /// Seconds after the lifetime in which a stale response may replace an error (RFC 5861 §4); nil when the directive
    /// is missing or invalid.
    var staleIfError: Int64? { hasOpenString ? nil : self["stale-if-error"]?.seconds }

    /// Request directive: minimum remaining freshness in seconds; ``DeltaSeconds/max`` if invalid, nil for none.
    var minFresh: Int64? { self["min-fresh"].map { $0.seconds ?? DeltaSeconds.max } }

    /// Request directive: accepted staleness in seconds; ``DeltaSeconds/max`` without a value, nil when the directive
    /// is missing or invalid.
    var maxStale: Int64? {
        guard let directive = self["max-stale"], directive.isWellFormed else { return nil }
        return directive.value == nil ? DeltaSeconds.max : directive.seconds
    }
}

extension CacheControl.Directive {
    /// The value in seconds; nil for anything but a number.
    var seconds: Int64? { isWellFormed ? value.flatMap(DeltaSeconds.parse) : nil }
}
