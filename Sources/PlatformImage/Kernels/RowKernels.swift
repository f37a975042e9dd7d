// Safe wrappers of the C kernels for rows and whole images: lengths are checked here, once per call.

internal import CImageCodecs

/// Pixel loops. Most of them are in C, which is optimised in debug builds too.
///
/// Pixels are written from byte `start` on. Each function traps when source or target is too short for `count` pixels.
enum RowKernels {
    /// The positions of R, G, B and A in a pixel of 16 or 32 bits.
    struct Fields {
        fileprivate let values: [imgc_field]

        /// - Parameter masks: Masks of R, G, B and A without gaps, each with the sample used when the mask is 0.
        init(_ masks: [(mask: UInt32, none: UInt8)]) {
            precondition(masks.count == 4)
            values = masks.map { mask, none in
                let shift = mask == 0 ? 0 : mask.trailingZeroBitCount
                return imgc_field(shift: UInt8(shift), none: none, max: mask >> UInt32(shift))
            }
        }
    }

    static func copy(_ source: Span<UInt8>, to row: inout MutableSpan<UInt8>) {
        precondition(row.count >= source.count)
        unsafe row.withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
        }
    }

    /// Copies `source` to the bytes from `start` on.
    static func copy(_ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int) {
        precondition(start >= 0 && start <= pixels.count && source.count <= pixels.count - start)
        unsafe pixels.withUnsafeMutableBytes { target in
            let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: target[start..<start + source.count])
            unsafe source.withUnsafeBytes { unsafe bytes.copyMemory(from: $0) }
        }
    }

    /// Composites the pixels of `source` with those from byte `start` on; `opacity`, 0 to 1, scales the alpha of
    /// `source`.
    static func composite(
        _ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int,
        by operation: CompositeOperator, opacity: Float
    ) {
        unsafe run(source, 4 * count, &pixels, start, count) {
            unsafe imgc_row_composite($0, $1, count, imgc_operator(operation), opacity)
        }
    }

    /// Writes all pixels of `source`, with colours multiplied by alpha.
    static func premultiply(_ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>) {
        let count = source.count / 4
        unsafe run(source, 4 * count, &pixels, 0, count) { unsafe imgc_row_premultiply($0, $1, count) }
    }

    /// Writes all pixels of `source`, with colours of 0 where alpha is 0.
    static func clearTransparent(_ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>) {
        let count = source.count / 4
        unsafe run(source, 4 * count, &pixels, 0, count) { unsafe imgc_row_clear_transparent($0, $1, count) }
    }

    /// Sets bytes to 0.
    static func clear(_ pixels: inout MutableSpan<UInt8>, _ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= pixels.count)
        _ = unsafe pixels.withUnsafeMutableBytes { target in
            let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: target[range])
            unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        }
    }

    /// Writes equal pixels.
    static func fill(_ pixels: inout MutableSpan<UInt8>, at start: Int, count: Int, with color: RGBA8) {
        let pixel =
            UInt32(color.red) | UInt32(color.green) << 8 | UInt32(color.blue) << 16 | UInt32(color.alpha) << 24
        fill(&pixels, at: start, count: count, even: pixel, odd: pixel)
    }

    /// Writes two alternating pixels, R in the lowest byte.
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
    static func isOpaque(_ pixels: Span<UInt8>, at start: Int, count: Int) -> Bool {
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

    /// True when a bit of `mask` is set in one of `count` little-endian pixels of 16 or 32 bits.
    static func hasBits(_ mask: UInt32, in source: Span<UInt8>, count: Int, bits: Int) -> Bool {
        precondition(count >= 0 && (bits == 16 || bits == 32) && count <= source.count / (bits / 8))
        var all: UInt32 = 0
        unsafe source.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            if bits == 16 {
                for index in 0..<count {
                    let pixel = unsafe base.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self)
                    all |= UInt32(UInt16(littleEndian: pixel))
                }
            } else {
                for index in 0..<count {
                    let pixel = unsafe base.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self)
                    all |= UInt32(littleEndian: pixel)
                }
            }
        }
        return all & mask != 0
    }

    /// Converts B G R to opaque pixels.
    static func bgr8(_ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int) {
        unsafe run(source, 3 * count, &pixels, start, count) { unsafe imgc_row_bgr8($0, $1, count) }
    }

    /// Converts B G R and an ignored byte to opaque pixels.
    static func bgrx8(_ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int) {
        unsafe run(source, 4 * count, &pixels, start, count) { unsafe imgc_row_bgrx8($0, $1, count) }
    }

    static func bgra8(_ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int) {
        unsafe run(source, 4 * count, &pixels, start, count) { unsafe imgc_row_bgra8($0, $1, count) }
    }

    /// Converts indexes of one byte; `palette` has 256 pixels, R in the lowest byte.
    static func index8(
        _ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int, palette: [UInt32]
    ) {
        precondition(palette.count == 256)
        unsafe run(source, count, &pixels, start, count) { unsafe imgc_row_index8($0, $1, count, palette) }
    }

    /// Converts indexes of 1, 2 or 4 bits; the leftmost pixel of a byte is in its most significant bits.
    static func indexPacked(
        _ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int, bits: Int,
        palette: [UInt32]
    ) {
        precondition(palette.count == 256 && (bits == 1 || bits == 2 || bits == 4))
        unsafe run(source, (count * bits + 7) / 8, &pixels, start, count) {
            unsafe imgc_row_index_packed($0, $1, count, UInt32(bits), palette)
        }
    }

    /// Converts 16-bit little-endian pixels with R, G, B and A fields.
    static func fields16(
        _ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int, fields: Fields
    ) {
        unsafe run(source, 2 * count, &pixels, start, count) { unsafe imgc_row_fields16($0, $1, count, fields.values) }
    }

    /// Converts 32-bit little-endian pixels with R, G, B and A fields.
    static func fields32(
        _ source: Span<UInt8>, to pixels: inout MutableSpan<UInt8>, at start: Int, count: Int, fields: Fields
    ) {
        unsafe run(source, 4 * count, &pixels, start, count) { unsafe imgc_row_fields32($0, $1, count, fields.values) }
    }

    /// Divides an image without padding between rows into `columns * rows` cells, and sums the pixels of each cell in
    /// linear light, over `background`. The result contains red, green and blue of each cell, in row-major order.
    static func lightGrid(
        _ pixels: Span<UInt8>, width: Int, height: Int, columns: Int, rows: Int, background: RGBA8
    ) -> [Double] {
        precondition(holds(pixels.count, width, height, bytesPerPixel: 4, stride: width * 4))
        var sums = [Double](repeating: 0, count: columns * rows * 3)
        unsafe pixels.withUnsafeBytes { buffer in
            var image = unsafe imgc_image(
                pixels: buffer.baseAddress, size: buffer.count, stride: width * 4, width: UInt32(width),
                height: UInt32(height))
            unsafe imgc_light_grid(
                &image, background.red, background.green, background.blue, UInt32(columns), UInt32(rows), &sums)
        }
        return sums
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

/// Operations on complete images.
extension RowKernels {
    /// Converts rows of RGBA8 to `layout`; padding of the target is not written.
    ///
    /// - Parameters:
    ///   - sourceStride: Bytes from row to row of `source`, at least `width * 4`.
    ///   - stride: Bytes from row to row of `target`, at least `width * layout.bytesPerPixel`.
    static func export(
        _ source: Span<UInt8>, stride sourceStride: Int, to target: inout MutableSpan<UInt8>, layout: PixelLayout,
        stride: Int, width: Int, height: Int
    ) {
        precondition(holds(source.count, width, height, bytesPerPixel: 4, stride: sourceStride))
        precondition(holds(target.count, width, height, bytesPerPixel: layout.bytesPerPixel, stride: stride))
        unsafe target.withUnsafeMutableBufferPointer { target in
            unsafe source.withUnsafeBufferPointer { source in
                unsafe imgc_layout_export(
                    target.baseAddress, stride, source.baseAddress, sourceStride, width, height, layout.codecLayout)
            }
        }
    }

    /// Converts rows of RGBA8 in place to a layout of 4 bytes per pixel; padding is not written.
    static func export(
        inPlace pixels: inout MutableSpan<UInt8>, layout: PixelLayout, stride: Int, width: Int, height: Int
    ) {
        precondition(layout.bytesPerPixel == 4)
        precondition(holds(pixels.count, width, height, bytesPerPixel: 4, stride: stride))
        unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            unsafe imgc_layout_export(
                pixels.baseAddress, stride, pixels.baseAddress, stride, width, height, layout.codecLayout)
        }
    }

    /// Converts rows of `layout` to RGBA8 rows without padding.
    static func importRows(
        _ source: Span<UInt8>, layout: PixelLayout, stride: Int, to pixels: inout MutableSpan<UInt8>, width: Int,
        height: Int
    ) {
        precondition(holds(source.count, width, height, bytesPerPixel: layout.bytesPerPixel, stride: stride))
        precondition(holds(pixels.count, width, height, bytesPerPixel: 4, stride: width * 4))
        unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            unsafe source.withUnsafeBufferPointer { source in
                unsafe imgc_layout_import(
                    pixels.baseAddress, source.baseAddress, stride, width, height, layout.codecLayout)
            }
        }
    }

    /// True when `byteCount` bytes contain all rows; an overflow traps.
    private static func holds(
        _ byteCount: Int, _ width: Int, _ height: Int, bytesPerPixel: Int, stride: Int
    ) -> Bool {
        width > 0 && height > 0 && stride >= width * bytesPerPixel
            && byteCount >= stride * (height - 1) + width * bytesPerPixel
    }

    /// Copies RGBA8 pixels with `orientation` applied; `width` and `height` are those of the source, and both have rows
    /// without padding.
    static func orient(
        _ source: Span<UInt8>, width: Int, height: Int, by orientation: Orientation, to target: inout MutableSpan<UInt8>
    ) {
        let swaps = orientation.swapsSides
        let sizesMatch = unsafe source.withUnsafeBytes { from in
            unsafe target.withUnsafeMutableBytes { to in
                // The function only reads the source.
                var original = unsafe imgc_target(
                    pixels: UnsafeMutableRawPointer(mutating: from.baseAddress), size: from.count, stride: width * 4,
                    width: UInt32(width), height: UInt32(height), orientation: Orientation.up.rawValue)
                var oriented = unsafe imgc_target(
                    pixels: to.baseAddress, size: to.count, stride: (swaps ? height : width) * 4,
                    width: UInt32(swaps ? height : width), height: UInt32(swaps ? width : height),
                    orientation: orientation.rawValue)
                return unsafe imgc_orient(&original, &oriented)
            }
        }
        precondition(sizesMatch, "the destination must have the size of the oriented source")
    }
}

extension PixelLayout {
    fileprivate var codecLayout: imgc_layout {
        switch self {
        case .rgba: IMGC_LAYOUT_RGBA
        case .rgbaPremultiplied: IMGC_LAYOUT_RGBA_PREMULTIPLIED
        case .bgra: IMGC_LAYOUT_BGRA
        case .bgraPremultiplied: IMGC_LAYOUT_BGRA_PREMULTIPLIED
        case .rgb: IMGC_LAYOUT_RGB
        case .bgr: IMGC_LAYOUT_BGR
        case .gray: IMGC_LAYOUT_GRAY
        case .grayAlpha: IMGC_LAYOUT_GRAY_ALPHA
        }
    }
}

extension imgc_operator {
    fileprivate init(_ operation: CompositeOperator) {
        self =
            switch operation {
            case .clear: IMGC_OPERATOR_CLEAR
            case .source: IMGC_OPERATOR_SOURCE
            case .destination: IMGC_OPERATOR_DESTINATION
            case .sourceOver: IMGC_OPERATOR_SOURCE_OVER
            case .destinationOver: IMGC_OPERATOR_DESTINATION_OVER
            case .sourceIn: IMGC_OPERATOR_SOURCE_IN
            case .destinationIn: IMGC_OPERATOR_DESTINATION_IN
            case .sourceOut: IMGC_OPERATOR_SOURCE_OUT
            case .destinationOut: IMGC_OPERATOR_DESTINATION_OUT
            case .sourceAtop: IMGC_OPERATOR_SOURCE_ATOP
            case .destinationAtop: IMGC_OPERATOR_DESTINATION_ATOP
            case .xor: IMGC_OPERATOR_XOR
            }
    }
}
