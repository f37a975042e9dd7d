import CPlatformImageInterface
import PlatformImage

/// Checks of memory that the caller passes as a pointer and a size.
enum CallerMemory {
    /// - Throws: `PI_INVALID_ARGUMENT` for NULL, a size above `SIZE_MAX / 2`, and a range past the end of the address
    ///   space.
    static func input(_ start: UnsafePointer<UInt8>?, _ count: Int, _ name: String) throws(InterfaceError)
        -> UnsafeBufferPointer<UInt8>
    {
        guard let start else { throw .invalidArgument(name, "is NULL") }
        try checkRange(start, count, name)
        return UnsafeBufferPointer(start: start, count: count)
    }

    /// - Returns: nil for a size query: a capacity of 0.
    /// - Throws: `PI_INVALID_ARGUMENT` as for ``input(_:_:_:)``.
    static func output(_ start: UnsafeMutablePointer<UInt8>?, capacity: Int, _ name: String) throws(InterfaceError)
        -> UnsafeMutableBufferPointer<UInt8>?
    {
        guard capacity != 0 else { return nil }
        guard let start else { throw .invalidArgument(name, "is NULL with a capacity of \(capacity)") }
        try checkRange(start, capacity, name)
        return UnsafeMutableBufferPointer(start: start, count: capacity)
    }

    /// - Throws: `PI_INVALID_ARGUMENT` when input and output have a byte in common.
    static func checkDisjoint(
        _ input: UnsafeBufferPointer<UInt8>, _ output: UnsafeMutableBufferPointer<UInt8>?, _ name: String
    ) throws(InterfaceError) {
        guard let output, !input.isEmpty else { return }
        let first = UInt(bitPattern: input.baseAddress)
        let second = UInt(bitPattern: output.baseAddress)
        guard first + UInt(input.count) <= second || second + UInt(output.count) <= first else {
            throw .invalidArgument(name, "overlaps the input")
        }
    }

    private static func checkRange(_ start: UnsafeRawPointer, _ count: Int, _ name: String) throws(InterfaceError) {
        guard count >= 0, !UInt(bitPattern: start).addingReportingOverflow(UInt(count)).overflow else {
            throw .invalidArgument(name, "has a size that is not possible")
        }
    }
}

extension pi_image {
    /// - Throws: `PI_INVALID_ARGUMENT` for an unknown layout, a `stride` above `SIZE_MAX / 2` and `reserved`.
    func pixelLayout() throws(InterfaceError) -> PixelLayout {
        guard reserved == 0 else { throw .invalidArgument("image.reserved", "is not 0") }
        guard stride >= 0 else { throw .invalidArgument("image.stride", "has a size that is not possible") }
        return try value(
            layout,
            [
                PI_LAYOUT_RGBA: .rgba, PI_LAYOUT_RGBA_PREMULTIPLIED: .rgbaPremultiplied, PI_LAYOUT_BGRA: .bgra,
                PI_LAYOUT_BGRA_PREMULTIPLIED: .bgraPremultiplied, PI_LAYOUT_RGB: .rgb, PI_LAYOUT_BGR: .bgr,
                PI_LAYOUT_GRAY: .gray, PI_LAYOUT_GRAY_ALPHA: .grayAlpha,
            ], "image.layout")
    }

    /// Sets size, stride and required bytes.
    ///
    /// - Throws: `PI_INVALID_ARGUMENT` when `stride` is smaller than a row, `PI_LIMIT_EXCEEDED` when the rows exceed
    ///   the address space.
    mutating func setSize(width: Int, height: Int, _ layout: PixelLayout) throws(InterfaceError) {
        let (rowBytes, overflows) = width.multipliedReportingOverflow(by: layout.bytesPerPixel)
        let step = stride == 0 ? rowBytes : stride
        guard overflows || step >= rowBytes else {
            throw .invalidArgument("image.stride", "is \(stride), allowed: \(rowBytes) or more, or 0")
        }
        let (above, aboveOverflows) = step.multipliedReportingOverflow(by: height - 1)
        let (total, totalOverflows) = above.addingReportingOverflow(rowBytes)
        guard !overflows, !aboveOverflows, !totalOverflows else {
            throw InterfaceError(
                PI_LIMIT_EXCEEDED, detail: "capacity", "\(width) x \(height) pixels exceed the address space")
        }
        (stride, byte_count) = (step, total)
        (self.width, self.height) = (UInt32(clamping: width), UInt32(clamping: height))
    }
}

/// Damage of a file and number of the valid rows of its stored image.
struct DecodedRows {
    let damage: Int32
    let intact: UInt32
}

extension DecodedRows {
    init(_ status: DecodeStatus, of header: ImageHeader) {
        switch status {
        case .complete: self.init(damage: Int32(PI_DAMAGE_NONE), intact: UInt32(clamping: header.height))
        case .truncated(let rows): self.init(damage: Int32(PI_DAMAGE_TRUNCATED), intact: UInt32(clamping: rows))
        case .corrupt: self.init(damage: Int32(PI_DAMAGE_CORRUPT), intact: UInt32(clamping: header.height))
        }
    }
}
