/// Decoded pixels: RGBA, 8 bits per channel, straight alpha, top row first.
///
/// Bitmaps are immutable; copies share one allocation, so passing one to another thread is cheap. The size in memory is
/// ``byteCount``, rounded up to whole pages from 4 MiB on.
public struct Bitmap: Sendable {
    /// Pixels in a row, at least 1.
    public let width: Int
    /// Rows, at least 1.
    public let height: Int

    let storage: PixelStorage

    /// Bytes per row: `width * 4`, no padding.
    public var bytesPerRow: Int { width * 4 }

    /// Bytes of all pixels: `bytesPerRow * height`. Use it as the cost in a cache.
    public var byteCount: Int { bytesPerRow * height }

    /// Creates a bitmap of a trusted size and fills it with `pixels`; before, all pixels are transparent black.
    ///
    /// For an untrusted size use ``init(width:height:limits:pixels:)``, which throws where this initialiser traps.
    ///
    /// - Parameters:
    ///   - width: Pixels per row, at least 1.
    ///   - height: Rows, at least 1.
    ///   - pixels: Receives all rows in order, `width * height * 4` bytes of RGBA.
    /// - Throws: Only the errors of `pixels`. A side below 1, or a size that does not fit into memory, is a programming
    ///   error and traps.
    public init<E: Error>(
        width: Int, height: Int, pixels: (inout MutableSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        let storage: PixelStorage
        do throws(DecodeError) {
            storage = try PixelStorage.forBitmap(width: width, height: height, limits: .unlimited, zeroed: true)
        } catch {
            // `fatalError`, because release builds do not print the message of `preconditionFailure`.
            fatalError("Bitmap: \(error.message)")
        }
        try storage.withMutableBytes(pixels)
        self.init(width: width, height: height, storage: storage)
    }

    /// Creates a bitmap within `limits` and fills it with `pixels`; before, all pixels are transparent black.
    ///
    /// - Parameters:
    ///   - width: Pixels per row, at least 1.
    ///   - height: Rows, at least 1.
    ///   - limits: `maxSide`, `maxPixels` and `maxMemory` apply to the bitmap. With ``DecodeLimits/unlimited`` only the
    ///     available memory limits it.
    ///   - pixels: Receives all rows in order, `width * height * 4` bytes of RGBA.
    /// - Throws: A ``DecodeError`` before `pixels` is called: `invalidArgument` when a side is below 1,
    ///   `limitExceeded`, `outOfMemory`; and the errors of `pixels`.
    public init(
        width: Int, height: Int, limits: DecodeLimits, pixels: (inout MutableSpan<UInt8>) throws -> Void
    ) throws {
        let storage = try PixelStorage.forBitmap(width: width, height: height, limits: limits, zeroed: true)
        try storage.withMutableBytes(pixels)
        self.init(width: width, height: height, storage: storage)
    }

    /// Creates a bitmap from uninitialised memory; `pixels` must write every byte.
    ///
    /// - Throws: `invalidArgument` and `outOfMemory` where ``init(width:height:pixels:)`` traps, `limitExceeded`, and
    ///   the errors of `pixels`.
    package static func written(
        width: Int, height: Int, limits: DecodeLimits = .unlimited,
        by pixels: (inout MutableSpan<UInt8>) throws(DecodeError) -> Void
    ) throws(DecodeError) -> Bitmap {
        let storage = try PixelStorage.forBitmap(width: width, height: height, limits: limits, zeroed: false)
        try storage.withMutableBytes(pixels)
        return Bitmap(width: width, height: height, storage: storage)
    }

    /// Wraps storage of exactly `width * height * 4` bytes, which must not be modified afterwards.
    init(width: Int, height: Int, storage: PixelStorage) {
        assert(storage.byteCount == width * height * 4)
        self.width = width
        self.height = height
        self.storage = storage
    }

    /// Calls `body` with all pixels: rows from the top, `bytesPerRow` bytes each, R G B A.
    public func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try storage.withBytes(body)
    }

    /// Calls `body` with the `bytesPerRow` bytes of row `y`, counted from the top.
    ///
    /// A row outside `0..<height` is a programming error and traps.
    public func withRow<R, E: Error>(_ y: Int, _ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        precondition(y >= 0 && y < height, "row \(y) is outside the bitmap of \(height) rows")
        let start = y * bytesPerRow
        let end = start + bytesPerRow
        return try storage.withBytes { (bytes) throws(E) in try body(bytes.extracting(start..<end)) }
    }

    /// The pixel in column `x` of row `y`, both counted from the top left corner; a position outside the bitmap traps.
    ///
    /// For single pixels. Each access is a call that checks the position, which is several times slower than the loop
    /// itself when all pixels are read: use ``withPixels(_:)``, ``forEachRow(_:)`` or ``withRow(_:_:)`` in loops, and
    /// ``init(width:height:limits:pixels:)`` to compute new pixels.
    public subscript(x: Int, y: Int) -> RGBA8 {
        precondition(x >= 0 && x < width && y >= 0 && y < height, "pixel (\(x), \(y)) is outside the bitmap")
        let at = y * bytesPerRow + x * 4
        return storage.withBytes { RGBA8(red: $0[at], green: $0[at + 1], blue: $0[at + 2], alpha: $0[at + 3]) }
    }

    /// Returns all pixels as an array: rows from the top, R G B A, `byteCount` bytes.
    public func copyBytes() -> [UInt8] {
        PixelPool.array(byteCount: byteCount) { copy in storage.withBytes { RowKernels.copy($0, to: &copy) } }
    }

    /// Returns a copy with premultiplied alpha, for drawing libraries that require it.
    ///
    /// A colour sample `c` with alpha `a` becomes `(t + (t >> 8)) >> 8`, where `t = c * a + 128`. The type does not
    /// record that the result is premultiplied. Traps when the system has no memory left.
    public func premultiplied() -> Bitmap {
        converted { RowKernels.premultiply($0, to: &$1) }
    }

    /// Returns a copy with red, green and blue set to 0 where alpha is 0, so that equal images have equal bytes.
    ///
    /// Traps when the system has no memory left.
    public func clearingTransparentPixels() -> Bitmap {
        converted { RowKernels.clearTransparent($0, to: &$1) }
    }

    /// Returns a bitmap of the same size; `conversion` writes every byte.
    private func converted(_ conversion: (Span<UInt8>, inout MutableSpan<UInt8>) -> Void) -> Bitmap {
        do throws(DecodeError) {
            return try Self.written(width: width, height: height) { pixels in
                storage.withBytes { conversion($0, &pixels) }
            }
        } catch {
            // `fatalError`, because release builds do not print the message of `preconditionFailure`.
            fatalError("Bitmap: \(error.message)")
        }
    }
}

extension Bitmap {
    /// The total ``byteCount`` of all bitmaps in this process; safe to read from any thread.
    ///
    /// Bitmaps that share an allocation count once; a decode in progress counts from its allocation on.
    public static var liveBitmapBytes: Int { PixelStorage.liveBytes }

    /// The bytes of released pixel and codec buffers that are retained for reuse, at most 32 MiB; they belong to no
    /// bitmap.
    public static var pooledBytes: Int { PixelPool.shared.byteCount }

    /// Returns the pooled buffers to the operating system.
    public static func releasePooledBytes() { PixelPool.shared.removeAll() }
}

extension Bitmap: Equatable {
    /// True when both have the same size and the same bytes.
    ///
    /// Colours of pixels with alpha 0 are compared too; ``clearingTransparentPixels()`` makes them equal. Copies that
    /// share one allocation are equal without a comparison of bytes.
    public static func == (a: Self, b: Self) -> Bool {
        a.width == b.width && a.height == b.height && a.storage.hasEqualBytes(b.storage)
    }
}

/// The image type of this package, corresponding to `UIImage` on iOS and `NSImage` on macOS: a decoded ``Bitmap``.
///
/// The module is also named `PlatformImage`; where a name of the module must be qualified, write
/// `PlatformImage::Bitmap` (Swift 6.3).
public typealias PlatformImage = Bitmap

extension Bitmap: CustomStringConvertible {
    /// Size in pixels and bytes: `Bitmap(640 x 480, 1228800 bytes)`.
    public var description: String { "Bitmap(\(width) x \(height), \(byteCount) bytes)" }
}

extension Bitmap {
    /// A pixel conversion applied by ``forEachBand(_:_:)`` to copies of a few rows.
    package enum BandChange {
        /// The conversion of ``Bitmap/premultiplied()``.
        case premultiplied
        /// The conversion of ``Bitmap/clearingTransparentPixels()``.
        case clearingTransparentPixels
    }

    /// Calls `body` with converted copies of the rows, from the top, in bands of at most 256 KiB, or of one
    /// row if a row is larger.
    ///
    /// Needs memory for one band; a converted copy of the complete bitmap would need ``byteCount`` bytes.
    package func forEachBand<E: Error>(_ change: BandChange, _ body: (Span<UInt8>) throws(E) -> Void) throws(E) {
        let rows = max(1, (256 << 10) / bytesPerRow)
        var band = [UInt8](repeating: 0, count: min(rows, height) * bytesPerRow)
        for top in stride(from: 0, to: height, by: rows) {
            let count = min(rows, height - top) * bytesPerRow
            withBytes { bytes in
                let rows = bytes.extracting(top * bytesPerRow..<top * bytesPerRow + count)
                var pixels = band.mutableSpan
                switch change {
                case .premultiplied: RowKernels.premultiply(rows, to: &pixels)
                case .clearingTransparentPixels: RowKernels.clearTransparent(rows, to: &pixels)
                }
            }
            try body(band.span.extracting(0..<count))
        }
    }
}
