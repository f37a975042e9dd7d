extension ImageHeader {
    /// The properties as one line of ASCII text, for a cache file; without ``warnings``, ``pages`` and
    /// ``iccProfileDescription``.
    package var cacheText: String {
        let fields: [String] = [
            format.rawValue, "\(width)", "\(height)", "\(orientation.rawValue)", "\(bitsPerChannel)", "\(channelCount)",
            colorModel.rawValue, "\(hasAlpha)", Self.text(frameCount), Self.text(loopCount), "\(isProgressive)",
            profileSource.rawValue, "\(iccProfileByteCount)", Self.text(exifRange?.lowerBound),
            Self.text(exifRange?.upperBound), "\(workByteCount)", declaredContentType?.description ?? "",
        ]
        return fields.joined(separator: ";")
    }

    /// Parses the text of ``cacheText``; nil when it is malformed or a number is out of its range.
    package init?(cacheText: [UInt8]) {
        let fields = cacheText.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard fields.count == 17, let format = ImageFormat(rawValue: fields[0]),
            let width = Int(fields[1]), let height = Int(fields[2]), width > 0, height > 0,
            let orientation = UInt8(fields[3]).flatMap({ Orientation(rawValue: $0) }),
            let bitsPerChannel = Int(fields[4]), (1...64).contains(bitsPerChannel),
            let channelCount = Int(fields[5]), channelCount > 0, let colorModel = ColorModel(rawValue: fields[6]),
            let hasAlpha = Bool(fields[7]), let frameCount = Self.count(fields[8]),
            let loopCount = Self.count(fields[9]),
            let isProgressive = Bool(fields[10]), let profileSource = ProfileSource(rawValue: fields[11]),
            let iccProfileByteCount = Int(fields[12]), iccProfileByteCount >= 0,
            let exifStart = Self.count(fields[13]), let exifEnd = Self.count(fields[14]),
            (exifStart == nil) == (exifEnd == nil), exifStart ?? 0 <= exifEnd ?? 0,
            let workByteCount = Int(fields[15]), workByteCount >= 0
        else { return nil }
        let type = fields[16].isEmpty ? nil : ContentType(fields[16])
        guard fields[16].isEmpty || type != nil else { return nil }
        self.init(
            format: format, width: width, height: height, bitsPerChannel: bitsPerChannel, channelCount: channelCount,
            colorModel: colorModel, hasAlpha: hasAlpha)
        self.orientation = orientation
        self.frameCount = frameCount
        self.loopCount = loopCount
        self.isProgressive = isProgressive
        self.profileSource = profileSource
        self.iccProfileByteCount = iccProfileByteCount
        exifRange = exifStart.flatMap { start in exifEnd.map { start..<$0 } }
        self.workByteCount = workByteCount
        declaredContentType = type
    }

    private static func text(_ number: Int?) -> String { number.map { "\($0)" } ?? "" }

    /// A number that is 0 or more; an empty text is the number nil, and any other text is malformed: the result is nil.
    private static func count(_ text: String) -> Int?? {
        if text.isEmpty { return .some(nil) }
        guard let number = Int(text), number >= 0 else { return nil }
        return .some(number)
    }
}
