#if Loader
import PlatformImage

/// The directives of a request or a response (RFC 9111 §5.2).
///
/// Of a directive that comes twice the first counts. A number that cannot be read is read the strict way: it makes a
/// response stale, and a request ask for validation.
struct CacheControl: Hashable, Sendable {
    /// One member of the list, known or not.
    struct Directive: Hashable, Sendable {
        /// In lower case.
        var name: String
        /// What follows `=`, without quotes and escapes; nil without `=`.
        var value: [UInt8]?
        /// False when something stands where the grammar has no place for it.
        var isWellFormed = true
    }

    /// All members in order.
    let directives: [Directive]
    /// True when there is a Cache-Control line at all, whatever it says.
    let isPresent: Bool
    /// True when a quoted string has no end, so that nobody knows which of the commas count.
    let hasOpenString: Bool

    /// The directives of a header.
    init(_ fields: HeaderFields) {
        let lines = fields[lines: "Cache-Control"]
        var parser = CacheControlParser()
        // A quoted string cannot go on in the next line: reading line by line keeps a bad line from hiding a good one.
        for line in lines { parser.read(line) }
        directives = parser.directives
        hasOpenString = parser.hasOpenString
        isPresent = !lines.isEmpty
    }

    /// The first directive of that name in lower case; nil for none.
    subscript(name: String) -> Directive? { directives.first { $0.name == name } }

    /// True when there is a directive of that name, whatever its value.
    func contains(_ name: String) -> Bool { self[name] != nil }

    /// Seconds; 0 for a number that cannot be read, nil without `max-age`.
    var maxAge: Int64? {
        guard let directive = self["max-age"] else { return nil }
        return hasOpenString ? 0 : directive.seconds ?? 0
    }

    /// True for `no-cache` without field names. With names it speaks of those fields only, which a private cache may
    /// keep (RFC 9111 §5.2.2.4).
    var noCache: Bool {
        directives.contains { directive in
            directive.name == "no-cache"
                && (!directive.isWellFormed || directive.value?.trimmingASCIIBlanks().isEmpty != false)
        }
    }

    /// True for `no-store`; see ``Storability`` for what may overrule it.
    var noStore: Bool { contains("no-store") }

    /// Of a response: seconds of its lifetime, 0 for a number that cannot be read; nil when it gives none.
    ///
    /// - Parameter isShared: True lets `s-maxage` win (RFC 9111 §5.2.2.10).
    func lifetime(isShared: Bool) -> Int64? {
        guard isShared, let directive = self["s-maxage"] else { return maxAge }
        return hasOpenString ? 0 : directive.seconds ?? 0
    }

    /// True when the response is never to be used stale: `must-revalidate` or ``noCache``.
    var forbidsStale: Bool { contains("must-revalidate") || noCache }

    /// True when a shared cache may not use the response stale, whatever a private one may (RFC 9111 §4.2.4).
    var forbidsSharedStale: Bool { contains("proxy-revalidate") || contains("s-maxage") }

    /// Seconds after the lifetime in which a stale answer may go out while it is refreshed (RFC 5861 §3); nil for none.
    var staleWhileRevalidate: Int64? { hasOpenString ? nil : self["stale-while-revalidate"]?.seconds }

    /// Seconds after the lifetime in which a stale answer may stand in for an error (RFC 5861 §4); nil for none.
    var staleIfError: Int64? { hasOpenString ? nil : self["stale-if-error"]?.seconds }

    /// Of a request: seconds that the answer must still be fresh; the most there is when it cannot be read.
    var minFresh: Int64? { self["min-fresh"].map { $0.seconds ?? DeltaSeconds.max } }

    /// Of a request: seconds that the answer may be stale; the most there is without a number, nil when the directive
    /// is missing or cannot be read.
    var maxStale: Int64? {
        guard let directive = self["max-stale"], directive.isWellFormed else { return nil }
        return directive.value == nil ? DeltaSeconds.max : directive.seconds
    }
}

extension CacheControl.Directive {
    /// The value as a number of seconds; nil for anything else.
    var seconds: Int64? { isWellFormed ? value.flatMap(DeltaSeconds.parse) : nil }
}
#endif
