import PlatformImage

/// Presets: parts of targets by name, for the filter `preset(name)`.
struct ThumborPresets: Sendable {
    private let parts: [String: [UInt8]]
    /// True when a target must contain a preset, and no other option except `meta`.
    let areRequired: Bool

    /// Creates an empty set.
    init() {
        parts = [:]
        areRequired = false
    }

    /// Parses all presets in advance, so that syntax errors are reported at startup.
    ///
    /// - Parameter presets: Parts without signature and source, such as `fit-in/300x200/filters:quality(70)`.
    /// - Throws: `internalFault` for invalid names and parts, for unknown filters, and when presets are required but
    ///   `presets` is empty.
    init(_ presets: [String: String], areRequired: Bool) throws(ServiceError) {
        guard !areRequired || !presets.isEmpty else {
            throw ServiceError(.internalFault, "output.presetsOnly is on, but output.presets is empty")
        }
        for (name, text) in presets {
            guard ThumborDraft.isFilterWord(Array(name.utf8)[...]) else {
                throw ServiceError(
                    .internalFault, "invalid preset name \(name); expected 1 to 64 letters, digits, _ or -")
            }
            var draft = ThumborDraft(quality: 1)
            do throws(ServiceError) {
                try draft.apply(preset: Array(text.utf8))
            } catch {
                throw ServiceError(.internalFault, "the preset \(name) is invalid: \(error.message)")
            }
            guard draft.policy.ignoredFilters.isEmpty else {
                throw ServiceError(.internalFault, "the preset \(name) contains an unknown filter")
            }
        }
        parts = presets.mapValues { Array($0.utf8) }
        self.areRequired = areRequired
    }

    /// Returns the parts of a preset; nil for an unknown name.
    func parts(of name: some Sequence<UInt8>) -> [UInt8]? { parts[String(decoding: Array(name), as: UTF8.self)] }
}

extension ThumborDraft {
    /// Parses the optional parts before the source. Each part is expected only at its position; a different segment
    /// there means that the part is absent.
    ///
    /// - Throws: `malformed`.
    mutating func read(parts scanner: inout TargetScanner, isDecoded: Bool) throws(ServiceError) {
        var stage = ThumborStage.debug
        while let segment = scanner.segment() {
            guard let part = try read(segment, at: stage) else { return }
            stage = part.next
            guard part == .filters else {
                if part != .meta, !isInPreset { hasExplicitParts = true }
                scanner.consume(segment)
                continue
            }
            guard let text = scanner.upToClosedSegment() else { return }
            scanner.consume(text)
            let filters = text.dropFirst(ThumborPart.filtersPrefix.utf8.count)
            return try read(filters: isDecoded ? Array(filters) : PercentEncoding.decode(filters))
        }
    }

    /// Parses the parts of a preset and adds them at the position of the filter `preset`. Their values replace earlier
    /// values of the target, and later values replace theirs. Their render steps follow the earlier render steps.
    ///
    /// - Throws: `malformed` for invalid parts, and for a preset inside a preset.
    mutating func apply(preset parts: [UInt8]) throws(ServiceError) {
        guard !isInPreset else { throw .malformed("a preset must not contain another preset") }
        isInPreset = true
        defer { isInPreset = false }
        var scanner = TargetScanner(parts + [UInt8(ascii: "/")])
        try read(parts: &scanner, isDecoded: true)
        guard scanner.isAtEnd else { throw .malformed("the preset contains text that is not a valid option") }
        hasPresets = true
    }
}
