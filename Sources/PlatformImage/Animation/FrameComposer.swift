/// Decodes and composes the frames of an animation in this process; see ``ImageFrames``.
final class FrameComposer: FrameSource {
    let header: ImageHeader
    private(set) var status = DecodeStatus.complete

    private let bytes: [UInt8]
    private let decoder: LocalDecoder
    private var source: SourceImage
    private let transform: ColorTransform?
    private var canvas: PixelStorage?
    private var saved: PixelStorage?
    private var frame = CodecFrame()
    private var decodedPixels = 0
    private var isAtEnd = false

    init(_ bytes: [UInt8], _ decoder: LocalDecoder) throws(DecodeError) {
        var source = try decoder.source(bytes.span, countsFrames: true)
        transform = try source.transform(in: bytes.span, cache: decoder.transforms)
        self.bytes = bytes
        self.decoder = decoder
        self.source = source
        header = source.header
    }

    /// As ``ImageFrames/advance()``.
    func advance() throws(DecodeError) -> FrameInfo? {
        guard !isAtEnd else { return nil }
        guard isAnimated else { return try stillFrame() }
        let displayed = frame
        let hasFrame = try runStep { (damage) throws(DecodeError) -> Bool in
            let bytes = bytes
            return try source.call.advance(&frame, in: bytes.span, damage: &damage)
        }
        guard hasFrame else {
            isAtEnd = true
            return nil
        }
        let info = FrameInfo(frame)
        try checkLimits(info)
        // If the canvas cannot be allocated, no later frame can be composed: the animation ends.
        let next = try endAnimationOnError { () throws(DecodeError) in try canvas(past: displayed) }
        if info.disposal == .restorePrevious {
            saved = try endAnimationOnError { () throws(DecodeError) in try copy(of: next) }
        }
        do throws(DecodeError) {
            try runStep { (damage) throws(DecodeError) in
                let bytes = bytes
                try source.call.draw(
                    frame, of: bytes.span, onto: next, width: header.width, height: header.height, damage: &damage)
            }
        } catch  where canEndAnimation(error, info) {
            source.damage.warn(.frameRefused)
            status = source.damage.status
            return nil
        }
        return info
    }

    /// As ``ImageFrames/composed()``.
    func composed() throws(DecodeError) -> PlatformImage {
        let (width, height) = source.pixelSize(orientedBy: orientation)
        guard let current = canvas else {
            let emptyCanvas = try allocate(byteCount: width * height * 4, zeroed: true)
            return Bitmap(width: width, height: height, storage: emptyCanvas)
        }
        // The bitmap shares the canvas storage (copy on write): the next frame copies the canvas if the bitmap still
        // exists.
        if !isAnimated || (orientation == .up && transform == nil) {
            return Bitmap(width: width, height: height, storage: current)
        }
        try charge()
        let result = try allocate(zeroed: false)
        current.copy(to: result, width: header.width, height: header.height, orientedBy: orientation)
        if let transform {
            var damage = Damage()
            try source.call.convert(result, width: width, height: height, with: transform, damage: &damage)
        }
        return Bitmap(width: width, height: height, storage: result)
    }

    /// As ``ImageFrames/raw()``.
    func raw() throws(DecodeError) -> PlatformImage? {
        guard isAnimated, frame.number > 0, frame.width > 0, frame.height > 0 else { return nil }
        let (width, height) = (frame.width, frame.height)
        let storage = try allocate(byteCount: width * height * 4, zeroed: true)
        var damage = Damage()
        let bytes = bytes
        try source.call.draw(
            frame.alone, of: bytes.span, onto: storage, width: width, height: height, damage: &damage)
        return Bitmap(width: width, height: height, storage: storage)
    }

    private var isAnimated: Bool { header.format.isAnimatable }

    private var orientation: Orientation { decoder.options.appliesOrientation ? header.orientation : .up }

    /// Decodes a format without animation: the still image is the only frame.
    private func stillFrame() throws(DecodeError) -> FrameInfo {
        isAtEnd = true
        let (width, height) = source.pixelSize(orientedBy: orientation)
        let storage = try allocate(byteCount: width * height * 4, zeroed: false)
        let bytes = bytes
        try source.decode(
            bytes.span, into: storage, width: width, height: height, orientation: orientation, transform)
        try source.damage.throwIfExceeds(decoder.options.strictness, format: header.format)
        status = source.damage.status
        canvas = storage
        frame = CodecFrame(stillFrameOfWidth: header.width, height: header.height)
        return FrameInfo(frame)
    }

    /// The canvas after the disposal of the previous frame, ready for the next one.
    private func canvas(past displayed: CodecFrame) throws(DecodeError) -> PixelStorage {
        if displayed.disposal == .restorePrevious, let restored = saved {
            canvas = restored
            saved = nil
            return restored
        }
        let isShared = !isKnownUniquelyReferenced(&canvas)
        guard let current = canvas else {
            let newCanvas = try allocate(zeroed: true)
            canvas = newCanvas
            return newCanvas
        }
        // A returned bitmap must never change: copy the canvas if a returned bitmap still shares its storage.
        let next = isShared ? try copy(of: current) : current
        canvas = next
        if displayed.disposal == .clear {
            CodecCall.clear(displayed, on: next, width: header.width, height: header.height)
        }
        return next
    }

    /// Returns true when the options allow the damage and the frame is not the first one: the animation then ends, and
    /// the previous frames remain valid. Damage of the first frame throws.
    private func canEndAnimation(_ error: DecodeError, _ info: FrameInfo) -> Bool {
        switch error.code {
        case .truncated: info.index > 0 && decoder.options.strictness < .truncated
        case .malformed: info.index > 0 && decoder.options.strictness < .corrupt
        default: false
        }
    }

    private func checkLimits(_ info: FrameInfo) throws(DecodeError) {
        let limits = decoder.options.limits
        if let limit = limits.maxFrames, info.index >= limit {
            isAtEnd = true
            throw DecodeError(
                .limitExceeded, format: header.format, detail: "maxFrames",
                "frame \(info.index + 1) exceeds the limit of \(limit) frames")
        }
        decodedPixels += header.width * header.height
        if let limit = limits.maxTotalPixels, decodedPixels > limit {
            isAtEnd = true
            throw DecodeError(
                .limitExceeded, format: header.format, detail: "maxTotalPixels",
                "\(decodedPixels) pixels in \(info.index + 1) frames exceed the limit of \(limit) pixels")
        }
    }

    /// Runs a codec step and merges its damage into ``status``. A failing step ends the animation.
    @discardableResult
    private func runStep<R>(_ body: (inout Damage) throws(DecodeError) -> R) throws(DecodeError) -> R {
        var damage = source.damage
        defer {
            source.damage = damage
            status = damage.status
        }
        return try endAnimationOnError { () throws(DecodeError) in
            let result = try body(&damage)
            try damage.throwIfExceeds(decoder.options.strictness, format: header.format)
            return result
        }
    }

    /// Runs `body` and ends the animation if it throws.
    private func endAnimationOnError<R>(_ body: () throws(DecodeError) -> R) throws(DecodeError) -> R {
        do throws(DecodeError) {
            return try body()
        } catch {
            isAtEnd = true
            throw error
        }
    }

    private func copy(of storage: PixelStorage) throws(DecodeError) -> PixelStorage {
        try charge()
        let copy = try allocate(byteCount: storage.byteCount, zeroed: false)
        storage.withBytes { bytes in copy.withMutableBytes { RowKernels.copy(bytes, to: &$0) } }
        return copy
    }

    /// Counts a copy of the canvas; the codec counts the work of the frames.
    private func charge() throws(DecodeError) {
        try source.call.work.charge(
            header.width * header.height * 2, decoder.options.limits, format: header.format)
    }

    private func allocate(zeroed: Bool) throws(DecodeError) -> PixelStorage {
        try allocate(byteCount: header.width * header.height * 4, zeroed: zeroed)
    }

    /// Allocates pixels; the canvas, its saved copy, the work memory of the codec and these pixels count against
    /// ``DecodeLimits/maxMemory``.
    private func allocate(byteCount: Int, zeroed: Bool) throws(DecodeError) -> PixelStorage {
        let inUse = (canvas?.byteCount ?? 0) + (saved?.byteCount ?? 0) + header.workByteCount
        if let limit = decoder.options.limits.maxMemory, byteCount > limit - min(limit, inUse) {
            throw DecodeError(
                .limitExceeded, format: header.format, detail: "maxMemory",
                "\(byteCount) bytes of pixels, with \(inUse) bytes in use, exceed the limit of \(limit) bytes")
        }
        guard let storage = PixelStorage(byteCount: byteCount, zeroed: zeroed) else {
            throw DecodeError(.outOfMemory, format: header.format, "out of memory: \(byteCount) bytes of pixels")
        }
        return storage
    }
}
