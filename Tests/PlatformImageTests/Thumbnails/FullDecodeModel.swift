@testable import PlatformImage

/// The reference for shrinking on load: a full decode, then the resampler over all rows.
enum FullDecodeModel {
    struct Outcome: Equatable {
        var pixels: [UInt8]
        var status: DecodeStatus
        var warnings: [DecodeWarning]
    }

    static func decode(
        _ bytes: [UInt8], options: DecodeOptions = .asStored, width: Int, height: Int,
        change: (inout ResampleRequest) -> Void = { _ in }
    ) throws(DecodeError) -> Outcome {
        let full = try ImageDecoder(options: options).decode(bytes)
        let bitmap = full.bitmap
        var request = ResampleRequest(
            sourceWidth: bitmap.width, sourceHeight: bitmap.height, width: width, height: height, filter: .lanczos3)
        change(&request)
        // If the format has no alpha, only damage leaves pixels transparent.
        request.isOpaque = !full.header.hasAlpha && bitmap.isOpaque
        guard let small = PixelStorage(byteCount: width * height * 4, zeroed: true) else {
            throw DecodeError(.outOfMemory, "no memory")
        }
        let resampler = try RowResampler(request, into: small)
        for y in 0..<bitmap.height { bitmap.withRow(y) { resampler.push($0) } }
        return Outcome(
            pixels: small.withBytes { [UInt8]($0) }, status: full.status, warnings: full.header.warnings)
    }
}

/// Shrinks through ``SourceImage``, row by row.
enum ShrinkOnLoad {
    static func decode(
        _ bytes: [UInt8], options: DecodeOptions = .asStored, width: Int, height: Int,
        quality: ThumbnailQuality = .exact, flag: CancellationFlag? = nil,
        change: (inout ResampleRequest) -> Void = { _ in }
    ) throws(DecodeError) -> FullDecodeModel.Outcome {
        let span = bytes.span
        var source = try SourceImage(span, declared: nil, options: options, flag: flag, resamples: true)
        source.quality = quality
        let size = source.pixelSize(orientedBy: .up)
        var request = ResampleRequest(
            sourceWidth: size.width, sourceHeight: size.height, width: width, height: height, filter: .lanczos3)
        change(&request)
        guard let small = PixelStorage(byteCount: width * height * 4, zeroed: true) else {
            throw DecodeError(.outOfMemory, "no memory")
        }
        let transform = try source.transform(in: span, cache: ColorTransformCache())
        try source.decode(span, resampledBy: request, into: small, transform)
        try source.damage.throwIfExceeds(options.strictness, format: source.header.format)
        return FullDecodeModel.Outcome(
            pixels: small.withBytes { [UInt8]($0) }, status: source.damage.status,
            warnings: source.damage.warnings)
    }
}

extension Bitmap {
    var isOpaque: Bool {
        withBytes { bytes in
            for at in stride(from: 3, to: bytes.count, by: 4) where bytes[at] != 255 { return false }
            return true
        }
    }
}
