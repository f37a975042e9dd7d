/// A complete JPEG or PNG file in place of pixels (BI_JPEG, BI_PNG of Windows 98 and 2000, intended for printers).
///
/// The codec of the embedded format decodes the file with the ``DecodeLimits`` that apply to the BMP. The result has
/// the size of the embedded image, regardless of the size in the BMP header. Orientation and profile of the embedded
/// file are ignored; only the BMP header can declare a profile.
struct BMPEmbedded {
    let imageHeader: ImageHeader
    let range: Range<Int>
    let call: CodecCall
    let codecHeader: CodecHeader

    init(
        _ bytes: Span<UInt8>, _ info: BMPInfo, start: Int, options: DecodeOptions, resamples: Bool,
        damage: inout Damage
    ) throws(DecodeError) {
        let format: ImageFormat = info.compression == BMPCompression.jpeg ? .jpeg : .png
        guard options.allowedFormats.contains(format) else {
            throw DecodeError(
                .unsupported, format: .bmp, detail: format.rawValue,
                "bmp: the embedded format \(format) is not in allowedFormats")
        }
        guard start < bytes.count else {
            throw DecodeError(.truncated, format: .bmp, "bmp: data ends at byte \(bytes.count)")
        }
        var cursor = ByteCursor(bytes)
        cursor.move(to: FileNumber(start))
        let size = info.imageSize > 0 ? min(info.imageSize, cursor.remaining) : cursor.remaining
        range = cursor.take(FileNumber(size)) ?? cursor.rest
        let file = bytes.extracting(range)  // trap-free: a range of the cursor
        guard case .decodable(format) = CodecCall.signature(of: file) else {
            throw DecodeError(
                .malformed, format: .bmp, "bmp: the header announces \(format) data, but its signature is missing")
        }

        var fullSizeOptions = options
        fullSizeOptions.scaleDenominator = 1
        call = CodecCall(format: format, options: fullSizeOptions, resamples: resamples)
        codecHeader = try call.header(of: file, damage: &damage)
        var header = ImageHeader(codecHeader, format: .bmp)
        if header.width != info.width || header.height != info.height { damage.warn(.structure) }
        header.orientation = .up
        header.frameCount = 1
        header.loopCount = nil
        header.profileSource = .none
        header.iccProfileByteCount = 0
        header.exifRange = nil
        imageHeader = header
    }

    func decode(
        _ bytes: Span<UInt8>, onto pixels: inout MutableSpan<UInt8>, flag: CancellationFlag?, damage: inout Damage
    ) throws(DecodeError) {
        var call = call
        call.flag = flag
        try call.decode(
            bytes.extracting(range),  // trap-free: of the cursor; the bytes are those of the initializer
            onto: &pixels, stride: imageHeader.width &* 4, width: imageHeader.width, height: imageHeader.height,
            orientation: .up, damage: &damage)
    }
}
