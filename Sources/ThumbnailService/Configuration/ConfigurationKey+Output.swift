#if Service
extension ConfigurationKey {
    static let signing: [ConfigurationKey] = [
        .init(
            "signing.keysFile", optional: \.keysFile, .text("file"),
            "Holds the signing keys, one a line, each 16 bytes or more: the first signs, all verify."),
        keys,
        .init(
            "signing.algorithms", each: \.service.signing.algorithms, .choice,
            "How targets are signed: the first signs, all verify."),
        .init(
            "signing.query", \.service.signing.signsQueries, .either("refuse", "signed"),
            "What becomes of a target with a query."),
        .init(
            "signing.acceptDecoded", \.service.signing.acceptsDecoded, .boolean,
            "Takes a signature of the percent-decoded target too."),
        .init("signing.unsafe", \.service.signing.allowsUnsafe, .boolean, "Takes targets that begin with `/unsafe/`."),
    ]

    private static let keys = {
        var key = ConfigurationKey(
            "signing.keys", shape: .one, syntax: "lines",
            "Signing keys, one a line, after those of `signing.keysFile`; from the environment alone."
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
            syntax: "list of: `file:` and a folder, or an address that has a host and ends with `/`",
            "What identifiers of IIIF stand for, at most one of each; empty switches the dialect off."
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
            "What becomes of a size `!w,h` that is larger than the region."),
    ]

    static let output: [ConfigurationKey] = [
        .init(
            "output.quality", \.service.output.quality, .integer(1...100),
            "Of a JPEG without a wish of its own."),
        .init(
            "output.auto", \.service.output.negotiates, .boolean,
            "Chooses JPEG or PNG by the Accept field where the target leaves it open."),
        .init(
            "output.sizes", each: \.service.output.sizes, .integer(1...65_535, "pixels"),
            "Widths that a target may name, or heights where it names no width; empty for any."),
        .init(
            "output.presetsOnly", \.service.output.presetsOnly, .boolean,
            "Refuses every target that is not made of presets alone."),
        .init(
            "output.presets", shape: .pairs, syntax: "names, each with parts of a target",
            "For the filter `preset(name)`."
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
            "The field Cross-Origin-Resource-Policy of answers."),
        .init(
            "filters.unknown", \.service.output.refusesUnknownFilters, .either("ignore", "refuse"),
            "What becomes of a target with a filter that is not known."),
    ]
}

/// Splits the bytes of a key file into keys, one per line; empty lines are ignored.
public func signingKeys(in text: [UInt8]) -> [[UInt8]] {
    text.split(separator: UInt8(ascii: "\n")).map { line in
        line.last == UInt8(ascii: "\r") ? Array(line.dropLast()) : Array(line)
    }.filter { !$0.isEmpty }
}
#endif
