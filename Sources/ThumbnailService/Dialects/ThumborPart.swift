import PlatformImage

/// Positions of the optional parts of a thumbor target, in order.
enum ThumborStage: Int, Comparable, CaseIterable {
    case debug, meta, trim, crop, fit, size, horizontal, vertical, smart, filters, image

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The stage after this one; `image` is the last stage.
    var next: Self { Self(rawValue: rawValue + 1) ?? .image }
}

/// An optional part of a thumbor target, which is recognized by its spelling alone.
enum ThumborPart: Hashable {
    case debug
    case meta
    case trim(Operations.Trim)
    case crop(Operations.Region)
    case fit(full: Bool, adaptive: Bool)
    case size(width: ThumborSize.Side, height: ThumborSize.Side, flipsHorizontally: Bool, flipsVertically: Bool)
    case horizontal(Operations.Focus.Horizontal)
    case vertical(Operations.Focus.Vertical)
    case smart
    case filters

    static let filtersPrefix = "filters:"

    /// Parses a segment; nil when it is not an optional part, but the beginning of the source.
    ///
    /// - Throws: `malformed` for a trim with an invalid number or corner.
    init?(_ segment: ArraySlice<UInt8>) throws(ServiceError) {
        if segment.starts(with: Self.filtersPrefix.utf8) {
            self = .filters
        } else if let word = Self.words.first(where: { segment.elementsEqual($0.word.utf8) }) {
            self = word.part
        } else if segment.starts(with: "trim:".utf8) {
            self = .trim(try Self.trim(segment.dropFirst(5)))
        } else if let box = Number.box(segment) {
            self = .crop(.box(left: box.left, top: box.top, right: box.right, bottom: box.bottom))
        } else if let size = Self.size(segment) {
            self = size
        } else {
            return nil
        }
    }

    var stage: ThumborStage {
        switch self {
        case .debug: .debug
        case .meta: .meta
        case .trim: .trim
        case .crop: .crop
        case .fit: .fit
        case .size: .size
        case .horizontal: .horizontal
        case .vertical: .vertical
        case .smart: .smart
        case .filters: .filters
        }
    }

    private static let words: [(word: String, part: ThumborPart)] = [
        ("fit-in", .fit(full: false, adaptive: false)), ("full-fit-in", .fit(full: true, adaptive: false)),
        ("adaptive-fit-in", .fit(full: false, adaptive: true)),
        ("adaptive-full-fit-in", .fit(full: true, adaptive: true)), ("smart", .smart), ("meta", .meta),
        ("trim", .trim(.init())), ("debug", .debug), ("left", .horizontal(.left)), ("center", .horizontal(.center)),
        ("right", .horizontal(.right)), ("top", .vertical(.top)), ("middle", .vertical(.middle)),
        ("bottom", .vertical(.bottom)),
    ]

    /// Parses the text after `trim:`: a corner, a tolerance, or both.
    private static func trim(_ text: ArraySlice<UInt8>) throws(ServiceError) -> Operations.Trim {
        var trim = Operations.Trim()
        var rest = text
        for corner in Operations.Trim.Corner.allCases where rest.starts(with: corner.rawValue.utf8) {
            trim.corner = corner
            rest = rest.dropFirst(corner.rawValue.utf8.count)
            if rest.isEmpty { return trim }
            guard rest.first == UInt8(ascii: ":") else { break }
            rest = rest.dropFirst()
            break
        }
        guard let tolerance = Number.unsigned(rest), tolerance <= Operations.Trim.maxTolerance else {
            throw .malformed(
                "invalid trim; expected top-left or bottom-right, a tolerance from 0 to "
                    + "\(Operations.Trim.maxTolerance), or both separated by a colon")
        }
        trim.tolerance = tolerance
        return trim
    }

    /// Parses `WxH`: a side is digits, `orig` or empty, each with an optional prefix `-`.
    private static func size(_ segment: ArraySlice<UInt8>) -> ThumborPart? {
        guard let cross = segment.firstIndex(of: UInt8(ascii: "x")) else { return nil }
        let (first, second) = (segment[..<cross], segment[(cross + 1)...])
        let (isMirrored, isFlipped) = (first.first == UInt8(ascii: "-"), second.first == UInt8(ascii: "-"))
        guard let width = side(isMirrored ? first.dropFirst() : first),
            let height = side(isFlipped ? second.dropFirst() : second)
        else { return nil }
        return .size(width: width, height: height, flipsHorizontally: isMirrored, flipsVertically: isFlipped)
    }

    private static func side(_ text: ArraySlice<UInt8>) -> ThumborSize.Side? {
        if text.isEmpty { return .proportional }
        if text.elementsEqual("orig".utf8) { return .original }
        return Number.unsigned(text).map { $0 == 0 ? .proportional : .pixels($0) }
    }

    /// Returns true for an invalid size that cannot be a host name: `1e9x200`, `--3x2`, `NaNx1`, `++x9`, digits of
    /// other scripts, a number with too many digits. Treated as a host, it would lead to a misleading error.
    static func isMalformedSize(_ segment: ArraySlice<UInt8>) -> Bool {
        // Longer segments are not sizes, and reading Unicode properties is slow.
        guard segment.count <= 128, let cross = segment.firstIndex(of: UInt8(ascii: "x")) else { return false }
        let sides = [segment[..<cross], segment[(cross + 1)...]].map { side in
            String(decoding: PercentEncoding.decode(side).drop { "+-".utf8.contains($0) }, as: UTF8.self).lowercased()
        }
        let isSigned = segment.first.map { "+-".utf8.contains($0) } ?? false
        let isNumber = sides.contains { side in
            isWord(side) || side.unicodeScalars.first?.properties.numericType != nil
        }
        return (isNumber || isSigned)
            && sides.allSatisfy { side in
                isWord(side)
                    || side.unicodeScalars.allSatisfy {
                        $0.properties.numericType != nil || "+-.:ex".unicodeScalars.contains($0)
                    }
            }
    }

    private static func isWord(_ side: String) -> Bool { ["nan", "inf", "infinity", "orig"].contains(side) }
}
