import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Decoding into a caller's buffer, compared with decoding to a bitmap.
@Suite struct DecodeBufferTests {
    /// Bytes before and after the rows that no decode may change.
    private static let guardBytes = 7

    private struct Buffer {
        let result: Result<DecodedBuffer, DecodeError>
        let bytes: [UInt8]
    }

    /// Decodes into an unaligned buffer filled with 0xA5, with `padding` bytes after each row but the last.
    private static func decode(
        _ file: [UInt8], size: (width: Int, height: Int), _ layout: PixelLayout, padding: Int?,
        options: DecodeOptions = DecodeOptions(), cancellation: CancellationFlag? = nil
    ) -> Buffer {
        let row = size.width * layout.bytesPerPixel
        let stride = row + (padding ?? 0)
        let count = stride * (size.height - 1) + row
        var bytes = [UInt8](repeating: 0xA5, count: count + 2 * guardBytes)
        let result = bytes.withUnsafeMutableBufferPointer { buffer in
            let part = UnsafeMutableBufferPointer(rebasing: buffer[guardBytes..<guardBytes + count])
            var span = part.mutableSpan
            return Result { () throws(DecodeError) in
                try ImageDecoder(options: options).decode(
                    file, into: &span, layout: layout, stride: padding == nil ? nil : stride,
                    cancellation: cancellation)
            }
        }
        return Buffer(result: result, bytes: bytes)
    }

    private static func expected(_ bitmap: Bitmap, _ layout: PixelLayout, padding: Int?) throws -> [UInt8] {
        let row = bitmap.width * layout.bytesPerPixel
        let stride = row + (padding ?? 0)
        let pixels = try bitmap.bytes(layout: layout)
        var bytes = [UInt8](repeating: 0xA5, count: stride * (bitmap.height - 1) + row + 2 * guardBytes)
        for y in 0..<bitmap.height {
            let at = guardBytes + y * stride
            bytes.replaceSubrange(at..<at + row, with: pixels[y * row..<(y + 1) * row])
        }
        return bytes
    }

    private static func expectEqual(_ fixture: Fixture, _ layouts: [PixelLayout], _ options: DecodeOptions) throws {
        let file = try fixture.load()
        let image = Result { () throws(DecodeError) in try ImageDecoder(options: options).decode(file) }
        let size = (try? image.get()).map { ($0.bitmap.width, $0.bitmap.height) } ?? (1, 1)
        for layout in layouts {
            for padding in [nil, 0, 3] {
                let buffer = decode(file, size: size, layout, padding: padding, options: options)

                switch (image, buffer.result) {
                case (.success(let image), .success(let decoded)):
                    let bytes = try expected(image.bitmap, layout, padding: padding)
                    #expect(buffer.bytes == bytes, "\(fixture), \(layout), padding \(padding ?? 0)")
                    #expect([decoded.width, decoded.height] == [image.bitmap.width, image.bitmap.height])
                    #expect(decoded.bytesPerRow == size.0 * layout.bytesPerPixel + (padding ?? 0))
                    #expect(decoded.layout == layout && decoded.status == image.status)
                    #expect(decoded.header.warnings == image.header.warnings)
                case (.failure(let error), .failure(let other)):
                    #expect(other.code == error.code || other.code == .invalidArgument, "\(fixture)")
                default: Issue.record("\(fixture): \(image) and \(buffer.result)")
                }
            }
        }
    }

    @Test(arguments: Fixture.all) func everyFixtureHasThePixelsOfADecodeToABitmap(_ fixture: Fixture) throws {
        try Self.expectEqual(fixture, [.rgba], DecodeOptions())
    }

    @Test(arguments: Fixture.small()) func everyLayoutHasTheConvertedPixels(_ fixture: Fixture) throws {
        try Self.expectEqual(fixture, PixelLayout.allCases, DecodeOptions())
    }

    @Test(arguments: [1, 2, 4, 8]) func scaledImageHasTheSizeOfTheHeader(_ denominator: Int) throws {
        var options = DecodeOptions()
        options.scaleDenominator = denominator
        for fixture in Fixture.all where fixture.format == "jpeg" && fixture.orientation ?? 1 > 1 {
            let header = try ImageDecoder(options: options).header(of: fixture.load())
            let size = (header.displayWidth, header.displayHeight)

            let buffer = Self.decode(try fixture.load(), size: size, .rgba, padding: 5, options: options)

            #expect(try [buffer.result.get().width, buffer.result.get().height] == [size.0, size.1])
            try Self.expectEqual(fixture, [.rgba, .rgb], options)
        }
    }

    @Test func bufferOrStrideTooSmallIsRejectedBeforeTheFirstWrite() throws {
        for fixture in ["png/chrm-srgb.png", "bmp/header-124-palette8.bmp", "bmp/embedded-png.bmp"] {
            let file = try Fixture.file(fixture)
            let image = try ImageDecoder().decode(file)
            let (row, height) = (image.bitmap.width * 4, image.bitmap.height)
            for (count, stride, detail) in [
                (row * height - 1, nil, "buffer"), (0, nil, "buffer"), (row * height, row - 1, "stride"),
                (row * height, row + 1, "buffer"), (row * height, -1, "stride"), (row * height, Int.max, "stride"),
            ] as [(Int, Int?, String)] {
                var bytes = [UInt8](repeating: 0xA5, count: count)
                var span = bytes.mutableSpan
                let result = Result { () throws(DecodeError) in
                    try ImageDecoder().decode(file, into: &span, stride: stride)
                }

                guard case .failure(let error) = result else {
                    Issue.record("\(fixture): \(count) bytes, stride \(stride ?? 0)")
                    continue
                }
                #expect(error.code == .invalidArgument && error.detail == detail)
                #expect(bytes.allSatisfy { $0 == 0xA5 })
            }
        }
    }

    @Test func strictDecodeOfADamagedFileThrowsAsForABitmap() throws {
        var options = DecodeOptions()
        options.strictness = .warning
        var count = 0
        for fixture in Fixture.small() where fixture.status == "truncated" || fixture.status == "corrupt" {
            let file = try fixture.load()
            let lenient = try ImageDecoder().decode(file)
            let size = (lenient.bitmap.width, lenient.bitmap.height)
            let strict = Result { () throws(DecodeError) in try ImageDecoder(options: options).decode(file) }

            let buffer = Self.decode(file, size: size, .bgra, padding: 3, options: options)

            guard case .failure(let error) = strict else { continue }
            #expect(throws: error) { try buffer.result.get() }
            count += 1
        }
        #expect(count > 10)
    }

    @Test func cancelledDecodeThrowsCancelled() throws {
        let file = try Fixture.file("demo/mountains.jpg")
        let header = try ImageDecoder().header(of: file)
        let flag = CancellationFlag()
        flag.cancelAfter(polls: 3)

        let buffer = Self.decode(
            file, size: (header.displayWidth, header.displayHeight), .rgba, padding: nil, cancellation: flag)

        #expect(throws: DecodeError(.cancelled, "")) { try buffer.result.get() }
    }
}
