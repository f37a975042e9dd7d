// The results of a decode in messages from a worker. The worker may be compromised: the reader accepts only values that
// a decode can have.

extension WireWriter {
    mutating func write(_ error: DecodeError) {
        write(error.code.description)
        write(error.format?.rawValue)
        write(error.detail)
        write(error.message.singleLine(maxBytes: 1000))
    }

    mutating func write(_ header: ImageHeader) {
        write(header.format.rawValue)
        write(header.width)
        write(header.height)
        write(header.orientation.rawValue)
        write(header.bitsPerChannel)
        write(header.channelCount)
        write(header.colorModel.rawValue)
        write(header.hasAlpha)
        write(header.frameCount)
        write(header.loopCount)
        write(header.isProgressive)
        write(header.profileSource.rawValue)
        write(header.iccProfileDescription)
        write(header.iccProfileByteCount)
        write(header.exifRange) { writer, range in
            writer.write(range.lowerBound)
            writer.write(range.upperBound)
        }
        writeByteCount(header.workByteCount)
        write(header.warnings)
        write(all: header.pages) { writer, page in
            writer.write(page.width)
            writer.write(page.height)
            writer.write(page.isReduced)
            writer.write(page.isSubIFD)
        }
    }

    /// Writes an estimate of memory in bytes, at most ``WireReader/maxByteCount``.
    mutating func writeByteCount(_ count: Int) { write(min(count, WireReader.maxByteCount)) }

    mutating func write(_ warnings: [DecodeWarning]) { write(all: warnings) { $0.write(Int(clamping: $1.code)) } }

    mutating func write(_ status: DecodeStatus) {
        switch status {
        case .complete: write(UInt8(0))
        case .truncated(let rows):
            write(UInt8(1))
            write(rows)
        case .corrupt(let warnings):
            write(UInt8(2))
            write(warnings)
        }
    }

    mutating func write(_ info: FrameInfo) {
        for number in [info.index, info.x, info.y, info.width, info.height] { write(number) }
        write(info.delay.numerator)
        write(info.delay.denominator)
        write(info.disposal == .keep ? UInt8(0) : info.disposal == .clear ? 1 : 2)
        write(info.blend == .over)
    }
}

extension WireReader {
    mutating func readError() throws(WireError) -> DecodeError {
        let code = try readText(maxCount: 64)
        guard let code = DecodeError.Code.ofWorkers.first(where: { $0.description == code }) else { throw WireError() }
        let format = try readOptional { (reader) throws(WireError) in try reader.readCase(ImageFormat.self) }
        let detail = try readOptional { (reader) throws(WireError) in try reader.readText(maxCount: 256) }
        return DecodeError(code, format: format, detail: detail, try readText())
    }

    /// - Parameters:
    ///   - inputByteCount: Bytes of the file: the end of every range in it.
    ///   - declared: The content type of the request, which the worker does not return.
    mutating func readHeader(inputByteCount: Int, declared: ContentType?) throws(WireError) -> ImageHeader {
        let sides = 1...Int(Int32.max)
        var header = ImageHeader(
            format: try readCase(ImageFormat.self), width: try readInt(in: sides), height: try readInt(in: sides),
            bitsPerChannel: 0, channelCount: 0, colorModel: .rgb, hasAlpha: false)
        guard let orientation = Orientation(rawValue: try readByte()) else { throw WireError() }
        header.orientation = orientation
        header.bitsPerChannel = try readInt(in: 1...64)
        header.channelCount = try readInt(in: 1...Int(UInt16.max))
        header.colorModel = try readCase(ImageHeader.ColorModel.self)
        header.hasAlpha = try readBool()
        // Every frame and every page has bytes of its own in the file.
        header.frameCount = try readOptional { (reader) throws(WireError) in
            try reader.readInt(in: 0...max(1, inputByteCount))
        }
        header.loopCount = try readOptional { (reader) throws(WireError) in
            try reader.readInt(in: 0...Int(UInt32.max))
        }
        header.isProgressive = try readBool()
        header.profileSource = try readCase(ImageHeader.ProfileSource.self)
        header.iccProfileDescription = try readOptional { (reader) throws(WireError) in try reader.readString() }
        header.iccProfileByteCount = try readInt(in: 0...Int(UInt32.max))
        header.exifRange = try readOptional { (reader) throws(WireError) in
            let start = try reader.readInt(in: 0...max(0, inputByteCount))
            var range = ByteCursor(0..<max(0, inputByteCount))
            let end = try reader.readInt(in: start...max(start, inputByteCount))  // trap-free: ordered
            guard range.move(to: FileNumber(end)) else { throw WireError() }
            return range.range(from: start)
        }
        header.workByteCount = try readByteCount()
        header.warnings = try readWarnings()
        header.pages = try readPages(maxCount: header.format == .tiff ? header.frameCount ?? 0 : 0)
        header.declaredContentType = declared?.format
        return header
    }

    private mutating func readPages(maxCount: Int) throws(WireError) -> [PageInfo] {
        let sides = 0...Int(UInt32.max)
        return try readAll(maxCount: maxCount) { (reader) throws(WireError) in
            PageInfo(
                width: try reader.readInt(in: sides), height: try reader.readInt(in: sides),
                isReduced: try reader.readBool(), isSubIFD: try reader.readBool())
        }
    }

    /// The greatest estimate of memory in messages, in bytes: sums of the estimates of many requests cannot overflow.
    static let maxByteCount = 1 << 48

    /// Reads an estimate of memory in bytes, 0 to ``maxByteCount``.
    mutating func readByteCount() throws(WireError) -> Int { try readInt(in: 0...Self.maxByteCount) }

    mutating func readWarnings() throws(WireError) -> [DecodeWarning] {
        try readAll(maxCount: Damage.maxWarnings) { (reader) throws(WireError) in
            DecodeWarning(code: UInt16(clamping: try reader.readInt(in: 0...Int(UInt16.max))))
        }
    }

    mutating func readStatus() throws(WireError) -> DecodeStatus {
        switch try readByte() {
        case 0: .complete
        case 1: .truncated(rows: try readInt(in: 0...Int(Int32.max)))
        case 2: .corrupt(try readWarnings())
        default: throw WireError()
        }
    }

    mutating func readFrameInfo() throws(WireError) -> FrameInfo {
        let numbers = Int(Int32.min)...Int(UInt32.max)
        let index = try readInt(in: 0...Int(UInt32.max))
        let (x, y) = (try readInt(in: numbers), try readInt(in: numbers))
        let (width, height) = (try readInt(in: 0...Int(Int32.max)), try readInt(in: 0...Int(Int32.max)))
        let delay = FrameDelay(
            numerator: try readInt(in: 0...Int(UInt32.max)), denominator: try readInt(in: 1...Int(UInt32.max)))
        let disposal = try readDisposal()
        return FrameInfo(
            index: index, x: x, y: y, width: width, height: height, delay: delay, disposal: disposal,
            blend: try readBool() ? .over : .source)
    }

    private mutating func readDisposal() throws(WireError) -> FrameInfo.Disposal {
        switch try readByte() {
        case 0: .keep
        case 1: .clear
        case 2: .restorePrevious
        default: throw WireError()
        }
    }
}

extension DecodeError.Code {
    /// The codes that a decode in a worker can throw.
    fileprivate static var ofWorkers: [Self] {
        [
            .unknownFormat, .contentTypeMismatch, .unsupported, .malformed, .truncated, .limitExceeded,
            .invalidArgument, .emptyCrop, .outOfMemory, .cancelled, .internal,
        ]
    }
}

extension String {
    /// The text without control characters, cut to at most `maxBytes` bytes of UTF-8.
    func singleLine(maxBytes: Int) -> String {
        var result = ""
        var count = 0
        for scalar in unicodeScalars {
            let next = scalar.isControl ? " " : scalar
            count &+= String(next).utf8.count
            guard count <= maxBytes else { break }
            result.unicodeScalars.append(next)
        }
        return result
    }
}
