import PlatformImage

/// Compares the fast paths of the codecs with the plain libraries. For PNG, TIFF, and JPEG at each scale, it compares
/// pixels (byte for byte), status, warnings and errors; for GIF, it compares the frames with those that giflib decodes;
/// for WebP, which is decoded in pieces into bands of rows, the pixels of intact images and frames with those that
/// libwebp decodes at once.
public enum DecoderAgreement {
    /// Result of a comparison.
    public enum ComparisonResult: Equatable, Sendable {
        /// Number of equal images; 0 for a file that both decoders reject with equal errors, and for a GIF or a WebP
        /// that this library rejects as damaged or too large.
        case agrees(images: Int)
        case differs(String)
        /// The format is not PNG, JPEG, TIFF, GIF or WebP, or giflib or libwebp cannot decode the file.
        case notCompared
    }

    /// Decodes the file with the fast path and with the plain library, and compares the results.
    ///
    /// - Parameter bytes: A file, which may be damaged.
    public static func check(_ bytes: [UInt8]) -> ComparisonResult {
        switch ImageFormat(signatureOf: bytes.span) {
        case .png, .tiff: againstLibrary(bytes, denominators: [1])
        case .jpeg: againstLibrary(bytes, denominators: [1, 2, 4, 8])
        case .gif: gif(bytes)
        case .webp: webP(bytes)
        default: .notCompared
        }
    }

    // ------------------------------------------------------------------ fast paths against the plain library

    private static func againstLibrary(_ bytes: [UInt8], denominators: [Int]) -> ComparisonResult {
        var images = 0
        for strictness in [DecodeOptions.Strictness.lenient, .corrupt] {
            for denominator in denominators {
                var options = DecodeOptions.asStored
                options.strictness = strictness
                options.scaleDenominator = denominator
                let fast = ImageDecoder(options: options)
                options.usesLibrariesAlone = true
                let plain = ImageDecoder(options: options)
                let (one, other) = (DecodedResult(bytes, fast), DecodedResult(bytes, plain))
                if let difference = one.difference(to: other) {
                    return .differs("strictness \(strictness), scale 1/\(denominator): \(difference)")
                }
                if case .image = one { images += 1 }
                switch animation(bytes, fast, plain) {
                case .differs(let difference): return .differs("strictness \(strictness): \(difference)")
                case .agrees(let count): images += count
                case .notCompared: break
                }
            }
        }
        return .agrees(images: images)
    }

    private static func animation(_ bytes: [UInt8], _ fast: ImageDecoder, _ plain: ImageDecoder) -> ComparisonResult {
        guard ImageFormat(signatureOf: bytes.span) == .png, let one = try? fast.frames(of: bytes),
            let other = try? plain.frames(of: bytes), one.header.frameCount ?? 2 > 1
        else { return .notCompared }
        var count = 0
        while true {
            let frames = (DecodedResult(one), DecodedResult(other))
            if let difference = frames.0.difference(to: frames.1) { return .differs("frame \(count): \(difference)") }
            guard case .image = frames.0 else { return .agrees(images: count) }
            count += 1
        }
    }

    /// Complete result of one decode: pixels, status and warnings, or the error.
    private enum DecodedResult {
        case image(Bitmap, DecodeStatus, [DecodeWarning])
        case failure(DecodeError)
        /// The animation has no more frames.
        case end(DecodeStatus)

        init(_ bytes: [UInt8], _ decoder: ImageDecoder) {
            do throws(DecodeError) {
                let image = try decoder.decode(bytes)
                self = .image(image.bitmap, image.status, image.header.warnings)
            } catch {
                self = .failure(error)
            }
        }

        init(_ frames: ImageFrames) {
            do throws(DecodeError) {
                let frame = try frames.next()
                self = frame.map { .image($0.bitmap, frames.status, []) } ?? .end(frames.status)
            } catch {
                self = .failure(error)
            }
        }

        func difference(to other: Self) -> String? {
            switch (self, other) {
            case (.image(let a, let status, let warnings), .image(let b, let otherStatus, let otherWarnings)):
                if status != otherStatus { return "status \(status), expected \(otherStatus)" }
                if warnings != otherWarnings { return "warnings \(warnings), expected \(otherWarnings)" }
                return a.hasPixels(of: b) ? nil : "the pixels differ"
            case (.failure(let a), .failure(let b)):
                return a.code == b.code && a.detail == b.detail ? nil : "error \(a), expected \(b)"
            case (.end(let a), .end(let b)): return a == b ? nil : "status \(a), expected \(b)"
            case (.failure(let error), _): return "error \(error), expected none"
            case (_, .failure(let error)): return "no error, expected \(error)"
            default: return "the animations have different numbers of frames"
            }
        }
    }

    // ------------------------------------------------------------------ GIF

    private static func gif(_ bytes: [UInt8]) -> ComparisonResult {
        guard let expected = Baseline.gifFrames(of: bytes) else { return .notCompared }
        let expectedImages = expected.images
        do throws(DecodeError) {
            let frames = try ImageDecoder(options: DecodeBenchmark.options).frames(of: bytes)
            var count = 0
            while count < expectedImages.count, try frames.advance() != nil, frames.status == .complete {
                guard let frame = try frames.raw(), frame.hasPixels(of: expectedImages[count]) else {
                    return .differs("the pixels of frame \(count) differ")
                }
                count += 1
            }
            // giflib emits pixels for invalid codes, so frames from the first damaged frame on are not comparable.
            guard frames.status == .complete else { return .agrees(images: count) }
            guard count == expectedImages.count else {
                return .differs("\(count) frames, expected \(expectedImages.count)")
            }
            // giflib may stop early, because it requires a code after the last pixel; that is not a difference.
            if expected.isComplete, try frames.advance() != nil {
                return .differs("more than \(count) frames, expected \(count)")
            }
            return .agrees(images: count)
        } catch {
            // giflib has no limits and accepts invalid codes, so these errors are not differences.
            let isRefused = [.limitExceeded, .malformed, .truncated].contains(error.code) || expectedImages.isEmpty
            return isRefused ? .agrees(images: 0) : .differs("error \(error), expected none")
        }
    }
}

extension DecoderAgreement {
    // ------------------------------------------------------------------ WebP

    fileprivate static func webP(_ bytes: [UInt8]) -> ComparisonResult {
        do throws(DecodeError) {
            let decoder = ImageDecoder(options: DecodeBenchmark.options)
            let image = try decoder.decode(bytes)
            if let expected = Baseline(.webp).bitmap(of: bytes) {
                // libwebp ignores some damage, such as a wrong RIFF size.
                guard image.status == .complete else { return .agrees(images: 0) }
                // Without the alpha bit this library returns an opaque image, as dwebp does.
                let isEqual =
                    image.bitmap.hasPixels(of: expected)
                    || !image.header.hasAlpha && image.bitmap.hasColors(of: expected)
                return isEqual ? .agrees(images: 1) : .differs("the pixels differ")
            }
            guard let expected = Baseline.webPFrames(of: bytes) else { return .notCompared }
            return webPFrames(try decoder.frames(of: bytes), expected)
        } catch {
            // libwebp has no limits, and accepts a lossy image whose chunk is a few bytes too short.
            let isRefused = [.limitExceeded, .malformed, .truncated].contains(error.code)
            return isRefused ? .agrees(images: 0) : .differs("error \(error), expected none")
        }
    }

    private static func webPFrames(_ frames: ImageFrames, _ expected: BaselineFrames) -> ComparisonResult {
        for (number, canvas) in expected.images.enumerated() {
            guard let frame = try? frames.next(), frames.status == .complete else {
                // libwebpdemux goes on after some damage at which this library ends the animation.
                if frames.status != .complete { return .agrees(images: number) }
                return .differs("\(number) frames, expected \(expected.images.count)")
            }
            if !frame.bitmap.hasPixels(of: canvas) { return .differs("the pixels of frame \(number) differ") }
        }
        if expected.isComplete, (try? frames.next()) != nil {
            return .differs("more than \(expected.images.count) frames")
        }
        return .agrees(images: expected.images.count)
    }
}

extension Bitmap {
    /// True when the size and all bytes are equal, including colours of pixels with alpha 0.
    fileprivate func hasPixels(of other: Bitmap) -> Bool {
        width == other.width && height == other.height && copyBytes() == other.copyBytes()
    }

    /// True when the size and all bytes except those of alpha are equal.
    fileprivate func hasColors(of other: Bitmap) -> Bool {
        guard width == other.width, height == other.height else { return false }
        let pairs = zip(copyBytes(), other.copyBytes()).enumerated()
        return pairs.allSatisfy { index, samples in index % 4 == 3 || samples.0 == samples.1 }
    }
}
