import PlatformImage

/// Parsers for the option values of `thumb`; they return `nil` for malformed text.
enum ThumbArguments {
    /// Values of `--format`.
    enum Format: String, CaseIterable {
        /// Selects the format by the extension of the output, otherwise by the source.
        case auto
        case png, jpeg, webp, gif

        /// `nil` for ``auto``.
        var encoded: EncodedFormat? { EncodedFormat(rawValue: rawValue) }
    }

    /// Parses `300x200`, `300x`, `x200`, or `300` for a square box, with an optional ImageMagick suffix: `>` (never
    /// enlarge), `!` (fill exactly) or `^` (cover).
    static func size(_ text: String) -> (width: Int?, height: Int?, fit: ThumbnailFit?)? {
        var sides = Substring(text)
        var fit: ThumbnailFit?
        switch sides.last {
        case ">": fit = .scaleDown
        case "!": fit = .fill
        case "^": fit = .cover
        default: break
        }
        if fit != nil { sides.removeLast() }
        let parts = sides.split(separator: "x", omittingEmptySubsequences: false)
        switch parts.count {
        case 1:
            guard let side = side(parts[0]) else { return nil }
            return (side, side, fit)
        case 2:
            let (width, height) = (side(parts[0]), side(parts[1]))
            guard width != nil || height != nil, parts[0].isEmpty == (width == nil), parts[1].isEmpty == (height == nil)
            else { return nil }
            return (width, height, fit)
        default: return nil
        }
    }

    private static func side(_ text: Substring) -> Int? {
        decimal(text).flatMap { (1...ThumbnailOptions.maxSide).contains($0) ? $0 : nil }
    }

    /// Parses ASCII digits only; `Int.init` also accepts signs.
    private static func decimal(_ text: Substring) -> Int? {
        Int(asciiDigits: text.utf8)
    }

    /// Parses a position such as `north` or `topleft`, or a focal point such as `0.3,0.5`.
    static func gravity(_ text: String) -> Gravity? {
        switch text.lowercased() {
        case "center", "centre": return .center
        case "north", "top": return .top
        case "south", "bottom": return .bottom
        case "west", "left": return .left
        case "east", "right": return .right
        case "northwest", "topleft": return .topLeft
        case "northeast", "topright": return .topRight
        case "southwest", "bottomleft": return .bottomLeft
        case "southeast", "bottomright": return .bottomRight
        default: break
        }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard parts.count == 2, let x = parts[0], let y = parts[1], (0...1).contains(x), (0...1).contains(y) else {
            return nil
        }
        return Gravity(x: x, y: y)
    }

    /// Parses `WIDTHxHEIGHT+X+Y`; without an offset the crop starts at the top left.
    static func crop(_ text: String) -> PixelRectangle? {
        let parts = text.split(separator: "+", omittingEmptySubsequences: false)
        let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false).map { decimal($0) }
        guard parts.count == 1 || parts.count == 3, sides.count == 2, let width = sides[0], let height = sides[1],
            width > 0, height > 0
        else { return nil }
        guard parts.count == 3 else { return PixelRectangle(x: 0, y: 0, width: width, height: height) }
        guard let x = decimal(parts[1]), let y = decimal(parts[2]) else { return nil }
        return PixelRectangle(x: x, y: y, width: width, height: height)
    }

    /// Parses `white`, `black`, or `#` and six or eight hexadecimal digits: red, green, blue, optional alpha.
    static func color(_ text: String) -> RGBA8? {
        switch text.lowercased() {
        case "white": return RGBA8(red: 255, green: 255, blue: 255)
        case "black": return RGBA8(red: 0, green: 0, blue: 0)
        default: break
        }
        let digits = text.utf8.dropFirst()
        guard text.hasPrefix("#"), digits.count == 6 || digits.count == 8,
            digits.allSatisfy({ $0.asciiHexValue != nil }),
            let value = UInt32(String(text.dropFirst()), radix: 16)
        else { return nil }
        let pixel = digits.count == 6 ? value << 8 | 255 : value
        return RGBA8(
            red: UInt8(truncatingIfNeeded: pixel >> 24), green: UInt8(truncatingIfNeeded: pixel >> 16),
            blue: UInt8(truncatingIfNeeded: pixel >> 8), alpha: UInt8(truncatingIfNeeded: pixel))
    }
}
