/// Behaviours of cache-tests that do not apply to a private cache of GET requests for images, with a reason per group.
struct ExcludedBehaviours: Sendable {
    let reason: String
    let ids: [String]

    static let all: [ExcludedBehaviours] = [
        ExcludedBehaviours(
            reason: "Duties of shared caches: `s-maxage`, `proxy-revalidate`, `private`, Authorization (RFC 9111 §3.5)",
            ids: [
                "freshness-s-maxage-shared", "freshness-max-age-s-maxage-shared-longer",
                "freshness-max-age-s-maxage-shared-longer-reversed",
                "freshness-max-age-s-maxage-shared-longer-multiple", "freshness-max-age-s-maxage-shared-shorter",
                "freshness-max-age-s-maxage-shared-shorter-expires", "cc-resp-private-shared",
                "stale-close-proxy-revalidate", "stale-close-s-maxage=2", "other-authorization",
                "other-authorization-public", "other-authorization-must-revalidate", "other-authorization-smaxage",
            ]),
        ExcludedBehaviours(
            reason: "`CDN-Cache-Control` is for content delivery networks (RFC 9213)",
            ids: [
                "max-age", "max-age-max", "max-age-max-plus", "max-age-age", "max-age-space-before-equals",
                "max-age-space-after-equals", "max-age-0", "max-age-extension", "max-age-case-insensitive",
                "max-age-expires", "max-age-cc-max-age-invalid-expires", "max-age-0-expires",
                "max-age-short-cc-max-age", "max-age-long-cc-max-age", "private", "no-cache", "no-store-cc-fresh",
                "fresh-cc-nostore", "cc-invalid-sh-type-unknown", "cc-invalid-sh-type-wrong", "remove-header",
                "remove-age-exceed", "date-update-exceed", "expires-update-exceed",
            ].map { "cdn-\($0)" }),
        ExcludedBehaviours(
            reason: "Unsafe methods and their invalidation: the loader sends only GET",
            ids: ["method-POST"]
                + ["POST", "PUT", "DELETE", "M-SEARCH"].flatMap { method in
                    ["", "-failed", "-location", "-cl"].map { "invalidate-\(method)\($0)" }
                }),
        ExcludedBehaviours(
            reason: "Updating by HEAD: the loader sends only GET",
            ids: [
                "head-writethrough", "head-200-retain", "head-200-freshness-update", "head-200-update",
                "head-410-update",
            ]),
        ExcludedBehaviours(
            reason: "Ranges from the store: a Range of the caller is forwarded, and 206 is never stored",
            ids: [
                "store-partial-reuse-partial", "store-complete-reuse-partial", "store-complete-reuse-partial-no-last",
                "store-complete-reuse-partial-suffix", "store-partial-reuse-partial-byterange",
                "store-partial-reuse-partial-absent", "store-partial-reuse-partial-suffix", "store-partial-complete",
                "use-headers", "use-stored-headers",
            ].map { "partial-\($0)" }),
        ExcludedBehaviours(
            reason: "Conditional requests of the caller: they are forwarded and never served from the store",
            ids: [
                "conditional-lm-fresh", "conditional-lm-fresh-earlier", "conditional-lm-stale",
                "conditional-lm-fresh-no-lm", "conditional-lm-fresh-rfc850", "conditional-304-etag",
                "conditional-etag-precedence", "conditional-etag-quoted-respond-unquoted",
                "conditional-etag-unquoted-respond-unquoted", "conditional-etag-unquoted-respond-quoted",
                "conditional-etag-strong-respond", "conditional-etag-strong-respond-obs-text",
                "conditional-etag-strong-respond-multiple-first", "conditional-etag-strong-respond-multiple-second",
                "conditional-etag-strong-respond-multiple-last", "conditional-etag-weak-respond",
                "conditional-etag-weak-respond-lowercase", "conditional-etag-weak-respond-backslash",
                "conditional-etag-weak-respond-omit-slash",
            ]),
        ExcludedBehaviours(
            reason: "Set-Cookie: the loader stores no cookies",
            ids: [
                "headers-store-Set-Cookie", "headers-store-Set-Cookie2", "304-etag-update-response-Set-Cookie",
                "304-etag-update-response-Set-Cookie2", "other-set-cookie",
            ]),
        ExcludedBehaviours(
            reason: "204 has no body, so it is not an image",
            ids: ["heuristic-204-cached", "status-204-fresh", "status-204-stale"]),
        ExcludedBehaviours(
            reason: "Content codings that do not exist cannot be decoded, so such a body is not an image",
            ids: ["headers-store-Content-Encoding", "304-etag-update-response-Content-Encoding"]),
    ]
}
