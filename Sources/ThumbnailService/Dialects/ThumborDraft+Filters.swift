import PlatformImage

extension ThumborDraft {
    /// Parses `name(arguments):name(arguments)`; the text is already percent-decoded.
    ///
    /// - Throws: `malformed` for invalid syntax, more than ``ThumborDialect/maxFilters`` filters, and bad arguments.
    mutating func read(filters text: [UInt8]) throws(ServiceError) {
        var (position, isEmpty) = (0, true)
        while position < text.count {
            guard let open = text[position...].firstIndex(of: UInt8(ascii: "(")),
                let name = Self.name(text[position..<open]), let close = Self.end(of: text, from: open + 1)
            else { throw .malformed("the filters are not a list of name(arguments)") }
            filterCount += 1
            isEmpty = false
            guard filterCount <= ThumborDialect.maxFilters else {
                throw .malformed("the target has more than \(ThumborDialect.maxFilters) filters")
            }
            try read(filter: name, text[(open + 1)..<close])
            position = close + 2
        }
        // The list must contain a filter, and must not end with a colon.
        guard !isEmpty, text.last == UInt8(ascii: ")") else {
            throw .malformed("the list of filters is empty or ends with a colon")
        }
    }

    private static func name(_ text: ArraySlice<UInt8>) -> String? {
        isFilterWord(text) ? String(decoding: text, as: UTF8.self) : nil
    }

    /// Returns true for 1 to 64 letters, digits, `_` and `-`, which are safe in a response field.
    static func isFilterWord(_ text: ArraySlice<UInt8>) -> Bool {
        (1...64).contains(text.count) && text.allSatisfy { $0.isASCIIAlphanumeric || "_-".utf8.contains($0) }
    }

    /// Returns the index of the first closing parenthesis that is followed by a colon or by the end of the text; nil
    /// when there is none.
    private static func end(of text: [UInt8], from start: Int) -> Int? {
        var index = start
        while index < text.count {
            let isLast = index + 1 == text.count || text[index + 1] == UInt8(ascii: ":")
            if text[index] == UInt8(ascii: ")"), isLast { return index }
            index += 1
        }
        return nil
    }

    private mutating func read(filter name: String, _ text: ArraySlice<UInt8>) throws(ServiceError) {
        if name != "preset", !isInPreset { hasExplicitParts = true }
        let isKnown = try readOption(name, text)
        if isKnown { return }
        if let filter = try ImageFilter.named(name, text) {
            operations.filters += filter
        } else if !policy.ignoredFilters.contains(name) {
            policy.ignoredFilters.append(name)
        }
    }

    /// Parses a filter that is not a render step. Returns false for the name of a render step and for an unknown name.
    private mutating func readOption(_ name: String, _ text: ArraySlice<UInt8>) throws(ServiceError) -> Bool {
        guard Self.optionNames.contains(name) else { return false }
        var arguments = try FilterArguments(of: name, text)
        switch name {
        case "no_upscale": size.forbidsUpscaling = true
        case "stretch": isStretched = true
        case "blurhash": wantsBlurHash = true
        case "quality": output.quality = try arguments.integer(1...100)
        case "max_bytes": output.maxBytes = try arguments.integer(1...Number.max)
        case "format": output.format = try arguments.format()
        case "cover": output.isStill = true
        case "strip_exif": output.metadata.stripEXIF()
        case "strip_icc": output.metadata.stripProfile()
        case "autojpg": output.prefersJPEG = arguments.hasMore ? try arguments.boolean() : true
        case "page": operations.page = try arguments.integer(1...Number.max)
        case "dpr": pixelRatio = try arguments.decimal(FixedDecimal(units: 1)...FixedDecimal(8))
        case "focal": if let box = try arguments.focalBox() { operations.focus.boxes.append(box) }
        case "max_age": policy.maxAge = try arguments.integer(0...Number.max)
        case "expire": policy.expires = try arguments.milliseconds()
        case "preset":
            let name = try arguments.text()
            guard let parts = presets.parts(of: name) else { throw .malformed("unknown preset") }
            try apply(preset: parts)
        case "attachment": policy.attachmentName = arguments.hasMore ? try arguments.fileName() : ""
        default: break
        }
        try arguments.end()
        return true
    }

    private static let optionNames: Set<String> = [
        "no_upscale", "stretch", "blurhash", "quality", "max_bytes", "format", "autojpg", "cover", "page", "dpr",
        "focal", "max_age", "expire", "attachment", "preset", "strip_exif", "strip_icc",
    ]
}

extension FilterArguments {
    fileprivate mutating func format() throws(ServiceError) -> OutputFormatRequest.Format {
        let name = String(decoding: try text(), as: UTF8.self).lowercased()
        switch name {
        case "jpg": return .jpeg
        case "tif": return .tiff
        case "heic": return .heif
        default:
            guard let format = OutputFormatRequest.Format(rawValue: name) else { throw malformed }
            return format
        }
    }

    /// Parses a focal box; nil for a box without area, which has no effect.
    fileprivate mutating func focalBox() throws(ServiceError) -> Operations.Focus.Box? {
        guard let (left, top, right, bottom) = Number.box(try text()) else { throw malformed }
        return left < right && top < bottom ? .init(left: left, top: top, right: right, bottom: bottom) : nil
    }

    /// Parses milliseconds since 1970 of at most 15 digits, about 30,000 years.
    fileprivate mutating func milliseconds() throws(ServiceError) -> Int64 {
        let digits = try text()
        guard digits.count <= 15, let value = Int(asciiDigits: digits) else { throw malformed }
        return Int64(value)
    }

    /// Parses a file name of at most 255 bytes of UTF-8 without control characters and path separators.
    fileprivate mutating func fileName() throws(ServiceError) -> String {
        let bytes = try text()
        guard bytes.count <= 255, !bytes.contains(where: { $0.isASCIIControl || "/\\".utf8.contains($0) }),
            let name = String(validating: bytes, as: UTF8.self)
        else { throw malformed }
        return name
    }
}
