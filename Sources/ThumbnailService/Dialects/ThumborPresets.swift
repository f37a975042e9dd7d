#if Service
import PlatformImage

/// Parts of targets by name: what the filter `preset(name)` stands for.
struct ThumborPresets: Sendable {
    private let parts: [String: [UInt8]]
    /// A target is made of presets alone.
    let areRequired: Bool

    /// No presets.
    init() {
        parts = [:]
        areRequired = false
    }

    /// Reads every preset once, so that none can fail later for what it says.
    ///
    /// - Parameter presets: Parts without signature and source, such as `fit-in/300x200/filters:quality(70)`.
    /// - Throws: `internalFault` for parts that cannot be read, filters that are not known, and none where they are
    ///   required.
    init(_ presets: [String: String], areRequired: Bool) throws(ServiceError) {
        guard !areRequired || !presets.isEmpty else {
            throw ServiceError(.internalFault, "targets are to be made of presets alone, and there is no preset")
        }
        for (name, text) in presets {
            guard ThumborDraft.isFilterWord(Array(name.utf8)[...]) else {
                throw ServiceError(
                    .internalFault, "the name of the preset \(name) has other characters than a-z, 0-9, _ and -")
            }
            var draft = ThumborDraft(quality: 1)
            do throws(ServiceError) {
                try draft.apply(preset: Array(text.utf8))
            } catch {
                throw ServiceError(.internalFault, "the preset \(name) cannot be read: \(error.message)")
            }
            guard draft.policy.ignoredFilters.isEmpty else {
                throw ServiceError(.internalFault, "the preset \(name) has a filter that is not known")
            }
        }
        parts = presets.mapValues { Array($0.utf8) }
        self.areRequired = areRequired
    }

    /// Nil for a name that there is not.
    func parts(of name: some Sequence<UInt8>) -> [UInt8]? { parts[String(decoding: Array(name), as: UTF8.self)] }
}

extension ThumborDraft {
    /// Reads all optional parts that stand in front of the picture: each is tried where it may stand, and a miss means
    /// that it is absent.
    ///
    /// - Throws: `malformed`.
    mutating func read(parts scanner: inout TargetScanner, isDecoded: Bool) throws(ServiceError) {
        var stage = ThumborStage.debug
        while let segment = scanner.segment() {
            guard let part = try read(segment, at: stage) else { return }
            stage = part.next
            guard part == .filters else {
                if part != .meta, !isInPreset { hasOwnParts = true }
                scanner.take(segment)
                continue
            }
            guard let text = scanner.upToClosedSegment() else { return }
            scanner.take(text)
            let filters = text.dropFirst(ThumborPart.filtersPrefix.utf8.count)
            return try read(filters: isDecoded ? Array(filters) : PercentEncoding.decode(filters))
        }
    }

    /// Reads the parts of a preset as if they stood here: what came before is replaced, what follows replaces them.
    ///
    /// - Throws: `malformed` for parts that are none, and for a preset in a preset.
    mutating func apply(preset parts: [UInt8]) throws(ServiceError) {
        guard !isInPreset else { throw .malformed("a preset has a preset in it") }
        isInPreset = true
        defer { isInPreset = false }
        var scanner = TargetScanner(parts + [UInt8(ascii: "/")])
        try read(parts: &scanner, isDecoded: true)
        guard scanner.isAtEnd else { throw .malformed("the parts of a preset cannot be read") }
        hasPresets = true
    }
}
#endif
