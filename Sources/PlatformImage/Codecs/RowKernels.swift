// Spans in front of the C row kernels: lengths are checked here, once a row.

internal import CImageCodecs

/// Pixel loops that must be fast in debug builds too.
///
/// Pixels are written from byte `start` on. Each traps when source or target is shorter than `count` pixels need.
enum RowKernels {
    typealias Field = imgc_field

    static func copy(_ source: Span<UInt8>, to row: inout MutableSpan<UInt8>) {
        precondition(row.count >= source.count)
        unsafe row.withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
        }
    }

    static func premultiply(_ pixels: inout MutableSpan<UInt8>) {
        unsafe inPlace(&pixels) { unsafe imgc_row_premultiply($0, $0, $1) }
    }

    static func clearUnderAlpha(_ pixels: inout MutableSpan<UInt8>) {
        unsafe inPlace(&pixels) { unsafe imgc_row_clear_under_alpha($0, $0, $1) }
    }

    /// Sets bytes to 0.
    static func clear(_ pixels: inout MutableSpan<UInt8>, _ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= pixels.count)
        _ = unsafe pixels.withUnsafeMutableBytes { target in
            let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: target[range])
            unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        }
    }

    /// Writes two pixels in turn, R in the lowest byte.
    static func fill(_ pixels: inout MutableSpan<UInt8>, at start: Int, count: Int, even: UInt32, odd: UInt32) {
        precondition(start >= 0 && count >= 0 && start <= pixels.count && count <= (pixels.count - start) / 4)
        unsafe pixels.withUnsafeMutableBytes { target in
            guard let base = target.baseAddress else { return }
            for index in 0..<count {
                let pixel = index & 1 == 0 ? even : odd
                unsafe base.storeBytes(of: pixel, toByteOffset: start &+ index &* 4, as: UInt32.self)
            }
        }
    }

    /// True when the alpha of all `count` pixels is 255.
    static func isOpaque(_ pixels: borrowing MutableSpan<UInt8>, at start: Int, count: Int) -> Bool {
        precondition(start >= 0 && count >= 0 && start <= pixels.count && count <= (pixels.count - start) / 4)
        var all = UInt32.max
        unsafe pixels.withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            for index in 0..<count {
                all &= unsafe base.loadUnaligned(fromByteOffset: start &+ index &* 4, as: UInt32.self)
            }
        }
        return all >= 0xFF00_0000
    }

    /// B G R, opaque.
    static func bgr8(_ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int) {
        unsafe run(source, 3 * count, &pixels, start, count) { unsafe imgc_row_bgr8($0, $1, count) }
    }

    /// B G R and a byte to ignore, opaque.
    static func bgrx8(_ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int) {
        unsafe run(source, 4 * count, &pixels, start, count) { unsafe imgc_row_bgrx8($0, $1, count) }
    }

    static func bgra8(_ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int) {
        unsafe run(source, 4 * count, &pixels, start, count) { unsafe imgc_row_bgra8($0, $1, count) }
    }

    /// One byte a pixel; `palette` holds 256 pixels, R in the lowest byte.
    static func index8(
        _ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int, palette: [UInt32]
    ) {
        precondition(palette.count == 256)
        unsafe run(source, count, &pixels, start, count) { unsafe imgc_row_index8($0, $1, count, palette) }
    }

    /// 1, 2 or 4 bits a pixel, most significant first.
    static func indexPacked(
        _ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int, bits: Int,
        palette: [UInt32]
    ) {
        precondition(palette.count == 256 && (bits == 1 || bits == 2 || bits == 4))
        unsafe run(source, (count * bits + 7) / 8, &pixels, start, count) {
            unsafe imgc_row_index_packed($0, $1, count, UInt32(bits), palette)
        }
    }

    /// 16-bit little-endian pixels cut into R, G, B, A fields.
    static func fields16(
        _ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int, fields: [Field]
    ) {
        precondition(fields.count == 4)
        unsafe run(source, 2 * count, &pixels, start, count) { unsafe imgc_row_fields16($0, $1, count, fields) }
    }

    /// 32-bit little-endian pixels cut into R, G, B, A fields.
    static func fields32(
        _ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int, fields: [Field]
    ) {
        precondition(fields.count == 4)
        unsafe run(source, 4 * count, &pixels, start, count) { unsafe imgc_row_fields32($0, $1, count, fields) }
    }

    private static func inPlace(
        _ pixels: inout MutableSpan<UInt8>, _ kernel: (UnsafeMutablePointer<UInt8>, Int) -> Void
    ) {
        unsafe pixels.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            unsafe kernel(base, buffer.count / 4)
        }
    }

    private static func run(
        _ source: Span<UInt8>, _ needed: Int, _ pixels: inout MutableSpan<UInt8>, _ start: Int, _ count: Int,
        _ kernel: (UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>) -> Void
    ) {
        precondition(count >= 0 && source.count >= needed)
        precondition(start >= 0 && start <= pixels.count && count <= (pixels.count - start) / 4)
        guard count > 0 else { return }
        unsafe pixels.withUnsafeMutableBufferPointer { target in
            unsafe source.withUnsafeBufferPointer { bytes in
                guard let to = target.baseAddress, let from = bytes.baseAddress else { return }
                unsafe kernel(to + start, from)
            }
        }
    }
}
