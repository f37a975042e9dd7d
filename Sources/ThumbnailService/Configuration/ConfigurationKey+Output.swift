extension ConfigurationKey {
    static let signing: [ConfigurationKey] = [
        .init(
            "signing.keysFile", optional: \.keysFile, .text("file"),
            """
            File with the signing keys, one per line, 16 bytes or more each. The first key is used to create \
            signatures; signatures of every key are accepted.
            """),
        keys,
        .init(
            "signing.algorithms", each: \.service.signing.algorithms, .choice,
            """
            Signature algorithms. The first algorithm is used to create signatures; \
            signatures of every listed algorithm are accepted.
            """),
        .init(
            "signing.query", \.service.signing.signsQueries, .either("refuse", "signed"),
            "Handling of targets with a query: `refuse` rejects them, `signed` adds the query to the signed message."
        ),
        .init(
            "signing.acceptDecoded", \.service.signing.acceptsDecoded, .boolean,
            "Also accepts a signature of the percent-decoded target."),
        .init(
            "signing.unsafe", \.service.signing.allowsUnsafe, .boolean,
            "Accepts unsigned targets that begin with `/unsafe/`."),
    ]

    private static let keys = {
        var key = ConfigurationKey(
            "signing.keys", shape: .one, syntax: "lines",
            "Signing keys, one per line, in addition to those of `signing.keysFile`; set only by the environment."
        ) { draft, texts in
            draft.service.signing.keys = texts.flatMap { signingKeys(in: Array($0.utf8)) }
            return nil
        } format: { draft in
            [draft.service.signing.keys.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")]
        }
        key.isSecret = true
        return key
    }()

    static let iiif: [ConfigurationKey] = [
        .init(
            "iiif.map", shape: .list,
            syntax: "list of: `file:` and a directory, or an http or https URL that ends with `/`",
            """
            Directory and URL prefix of the sources that IIIF identifiers name, at most one of each; \
            an empty list disables the IIIF dialect.
            """
        ) { draft, texts in
            var map = ServiceConfiguration.IdentifierMap()
            for text in texts {
                if text.hasPrefix("file:"), text.utf8.count > 5, map.fileRoot == nil {
                    map.fileRoot = String(text.dropFirst(5))
                } else if ServiceConfiguration.IdentifierMap.isPrefix(text), map.urlPrefix == nil {
                    map.urlPrefix = text
                } else {
                    return text
                }
            }
            draft.service.iiif = texts.isEmpty ? nil : map
            return nil
        } format: { draft in
            let map = draft.service.iiif
            return [map?.fileRoot.map { "file:" + $0 }, map?.urlPrefix].compactMap { $0 }
        },
        .init(
            "iiif.confinedTooLarge", \.service.output.clampsConfinedSizes, .either("refuse", "clamp"),
            """
            Handling of a size `!w,h` that is larger than the region: `refuse` rejects it, \
            `clamp` uses the size of the region.
            """),
    ]

    static let output: [ConfigurationKey] = [
        .init(
            "output.quality", \.service.output.quality, .integer(1...100),
            "Default quality of JPEG and WebP."),
        .init(
            "output.auto", \.service.output.negotiates, .boolean,
            "Selects the output format by the `Accept` field when the target does not name a format."),
        .init(
            "output.formats", each: \.service.output.formats, .choice,
            "Formats that `output.auto` may select. `webp` requires a program with the trait `WebP`."),
        .init(
            "output.autoWebP", \.service.output.sendsWebP, .boolean,
            """
            Sends still results as WebP to clients whose `Accept` field names `image/webp` when the target does not \
            name a format, as thumbor with `AUTO_WEBP`; without effect when `output.auto` is on.
            """),
        .init(
            "output.animations", \.service.output.keepsAnimations, .boolean,
            "Includes all frames of an animated source; `off` includes only the first frame."),
        .init(
            "output.best", optional: \.service.output.searchBudget, .duration(), none: "off",
            """
            Time in which a still result is also encoded in other accepted formats, to send the smallest file at equal \
            measured quality, when the target does not name a format.
            """),
        .init(
            "output.metadata", \.service.output.metadata, .choice,
            """
            Metadata (EXIF, XMP, IPTC) of the source that results contain; the result then also has the ICC profile of \
            the source, except with `strip`.
            """),
        .init(
            "output.sizes", each: \.service.output.sizes, .integer(1...65_535, "pixels"),
            "Allowed widths in pixels; for targets without a width, allowed heights. An empty list allows all sizes."),
        .init(
            "output.presetsOnly", \.service.output.presetsOnly, .boolean,
            "Rejects targets that contain no preset, or options other than presets and `meta`."),
        .init(
            "output.presets", shape: .pairs,
            syntax: "map from preset name to options, such as `fit-in/250x250/filters:quality(70)`",
            "Options that the filter `preset(name)` inserts, by name."
        ) { draft, texts in
            var presets: [String: String] = [:]
            for text in texts {
                guard let sign = text.firstIndex(of: "=") else { return text }
                let (name, parts) = (String(text[..<sign]), String(text[text.index(after: sign)...]))
                guard !name.isEmpty, !parts.isEmpty, presets.updateValue(parts, forKey: name) == nil else {
                    return text
                }
            }
            draft.service.output.presets = presets
            return nil
        } format: { draft in
            draft.service.output.presets.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        },
        .init(
            "output.resourcePolicy", optional: \.service.output.resourcePolicy, .choice, none: "off",
            "Value of the response field `Cross-Origin-Resource-Policy`."),
        .init(
            "filters.unknown", \.service.output.refusesUnknownFilters, .either("ignore", "refuse"),
            "Handling of an unknown filter: `ignore` skips the filter, `refuse` rejects the target."),
    ]
}

/// Splits the bytes of a key file into keys, one per line; empty lines are ignored.
public func signingKeys(in text: [UInt8]) -> [[UInt8]] {
    text.split(separator: UInt8(ascii: "\n")).map { line in
        line.last == UInt8(ascii: "\r") ? Array(line.dropLast()) : Array(line)
    }.filter { !$0.isEmpty }
}

/// Warnings about keys that look like comments: a file of signing keys has none, so such a line is a key that can be
/// guessed.
public func signingKeyWarnings(_ keys: [[UInt8]]) -> [String] {
    keys.enumerated().filter { $0.element.first == UInt8(ascii: "#") }.map { number, _ in
        "signing key \(number + 1) of \(keys.count) begins with #: each line is a key, there are no comments"
    }
}
