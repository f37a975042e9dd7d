// Conversion of complete images between RGBA8 and other layouts.

internal import CImageCodecs

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
