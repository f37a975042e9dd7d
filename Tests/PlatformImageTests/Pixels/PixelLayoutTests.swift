import Testing

@testable import PlatformImage

/// Import and export against a model that converts one pixel at a time.
@Suite struct PixelLayoutTests {
    private static let sizes = [(1, 1), (7, 3), (8, 2), (1, 9), (33, 5), (1_030, 2)]
    private static let paddings = [0, 1, 5, 64]

    private static func noise(_ count: Int, seed: Int) -> [UInt8] {
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 24)
        }
    }

    static func bitmap(_ width: Int, _ height: Int, seed: Int = 1) -> Bitmap {
        let bytes = noise(width * height * 4, seed: seed)
        return Bitmap(width: width, height: height) { pixels in
            for index in bytes.indices { pixels[index] = bytes[index] }
        }
    }

    /// Returns the bytes of one pixel, by the documentation of ``PixelLayout``.
    static func exported(_ pixel: RGBA8, _ layout: PixelLayout) -> [UInt8] {
        func times(_ sample: UInt8) -> UInt8 { UInt8((Int(sample) * Int(pixel.alpha) * 2 + 255) / 510) }
        let luma = (19_595 * Int(pixel.red) + 38_470 * Int(pixel.green) + 7_471 * Int(pixel.blue) + 32_768) >> 16
        return switch layout {
        case .rgba: [pixel.red, pixel.green, pixel.blue, pixel.alpha]
        case .rgbaPremultiplied: [times(pixel.red), times(pixel.green), times(pixel.blue), pixel.alpha]
        case .bgra: [pixel.blue, pixel.green, pixel.red, pixel.alpha]
        case .bgraPremultiplied: [times(pixel.blue), times(pixel.green), times(pixel.red), pixel.alpha]
        case .rgb: [pixel.red, pixel.green, pixel.blue]
        case .bgr: [pixel.blue, pixel.green, pixel.red]
        case .gray: [UInt8(luma)]
        case .grayAlpha: [UInt8(luma), pixel.alpha]
        }
    }

    /// Returns the pixel of `bytes`, by the documentation of ``PixelLayout``.
    static func imported(_ bytes: ArraySlice<UInt8>, _ layout: PixelLayout) -> RGBA8 {
        let b = Array(bytes)
        func divided(_ sample: UInt8) -> UInt8 {
            b[3] == 0 ? 0 : UInt8(min(255, (Int(sample) * 255 + Int(b[3]) / 2) / Int(b[3])))
        }
        return switch layout {
        case .rgba: RGBA8(red: b[0], green: b[1], blue: b[2], alpha: b[3])
        case .rgbaPremultiplied:
            RGBA8(red: divided(b[0]), green: divided(b[1]), blue: divided(b[2]), alpha: b[3])
        case .bgra: RGBA8(red: b[2], green: b[1], blue: b[0], alpha: b[3])
        case .bgraPremultiplied:
            RGBA8(red: divided(b[2]), green: divided(b[1]), blue: divided(b[0]), alpha: b[3])
        case .rgb: RGBA8(red: b[0], green: b[1], blue: b[2])
        case .bgr: RGBA8(red: b[2], green: b[1], blue: b[0])
        case .gray: RGBA8(red: b[0], green: b[0], blue: b[0])
        case .grayAlpha: RGBA8(red: b[0], green: b[0], blue: b[0], alpha: b[1])
        }
    }

    @Test(arguments: PixelLayout.allCases) func exportEqualsTheModelAndKeepsPadding(_ layout: PixelLayout) throws {
        for (width, height) in Self.sizes {
            let bitmap = Self.bitmap(width, height)
            for padding in Self.paddings {
                let row = width * layout.bytesPerPixel
                let stride = row + padding
                var expected = [UInt8](repeating: 0xA5, count: stride * (height - 1) + row + 3)
                for y in 0..<height {
                    for x in 0..<width {
                        let bytes = Self.exported(bitmap[x, y], layout)
                        let at = y * stride + x * bytes.count
                        expected.replaceSubrange(at..<at + bytes.count, with: bytes)
                    }
                }

                var buffer = [UInt8](repeating: 0xA5, count: expected.count)
                var span = buffer.mutableSpan
                try bitmap.copyPixels(to: &span, layout: layout, stride: stride)
                let array = try bitmap.bytes(layout: layout, stride: stride)

                #expect(buffer == expected, "\(width) x \(height), padding \(padding)")
                #expect(array.count == stride * height)
                for y in 0..<height {
                    #expect(array[y * stride..<y * stride + row] == expected[y * stride..<y * stride + row])
                    #expect(array[(y * stride + row)..<(y + 1) * stride].allSatisfy { $0 == 0 })
                }
            }
        }
    }

    @Test(arguments: PixelLayout.allCases) func importEqualsTheModel(_ layout: PixelLayout) throws {
        for (width, height) in Self.sizes {
            for padding in Self.paddings {
                let row = width * layout.bytesPerPixel
                let stride = row + padding
                // The last row has no padding.
                let bytes = Self.noise(stride * (height - 1) + row, seed: width + padding)

                let bitmap = try Bitmap(width: width, height: height, bytes: bytes, layout: layout, stride: stride)

                var wrong = 0
                for y in 0..<height {
                    for x in 0..<width {
                        let at = y * stride + x * layout.bytesPerPixel
                        let pixel = Self.imported(bytes[at..<at + layout.bytesPerPixel], layout)
                        if bitmap[x, y] != pixel { wrong += 1 }
                    }
                }
                #expect(wrong == 0, "\(width) x \(height), padding \(padding)")
            }
        }
    }

    @Test func premultiplyingAndDividingEqualTheModelForEverySampleAndAlpha() throws {
        var straight: [UInt8] = []
        for index in 0..<65_536 {
            let sample = UInt8(index & 255)
            straight += [sample, 255 - sample, sample, UInt8(index >> 8)]
        }
        let bitmap = try Bitmap(width: 256, height: 256, bytes: straight, layout: .rgba)

        for layout in [PixelLayout.rgbaPremultiplied, .bgraPremultiplied] {
            let premultiplied = try bitmap.bytes(layout: layout)
            let restored = try Bitmap(width: 256, height: 256, bytes: premultiplied, layout: layout).copyBytes()
            // Samples above alpha too.
            let divided = try Bitmap(width: 256, height: 256, bytes: straight, layout: layout)

            var wrong = 0
            for index in 0..<65_536 {
                let at = index * 4
                let pixel = RGBA8(in: straight.span, at: at)
                let bytes = Self.exported(pixel, layout)
                if premultiplied[at..<at + 4] != bytes[...] { wrong += 1 }
                if RGBA8(in: restored.span, at: at) != Self.imported(bytes[...], layout) { wrong += 1 }
                if divided[index % 256, index / 256] != Self.imported(straight[at..<at + 4], layout) { wrong += 1 }
                // A sample survives the round trip within half a step of alpha.
                let difference = abs(Int(restored[at]) - Int(straight[at]))
                let step = Int(pixel.alpha) * 2
                if step > 0, difference > (255 + step - 1) / step { wrong += 1 }
            }
            #expect(wrong == 0, "\(layout)")
        }
    }

    @Test func arrayOfALayoutWithoutLossMakesTheSameBitmap() throws {
        let bitmap = Self.bitmap(19, 11)

        for layout in [PixelLayout.rgba, .bgra] {
            let bytes = try bitmap.bytes(layout: layout, stride: 80)

            #expect(try Bitmap(width: 19, height: 11, bytes: bytes, layout: layout, stride: 80) == bitmap)
        }
    }

    @Test(arguments: PixelLayout.allCases) func bytesPerPixelAndAlphaFollowTheName(_ layout: PixelLayout) {
        #expect(layout.bytesPerPixel == Self.exported(RGBA8(red: 1, green: 2, blue: 3), layout).count)
        #expect(layout.hasAlpha == (Self.exported(RGBA8(red: 0, green: 0, blue: 0, alpha: 9), layout).last == 9))
    }
}

/// Sizes, strides and buffers that are out of range.
@Suite struct PixelLayoutErrorTests {
    private func error(_ body: () throws(DecodeError) -> Void) -> [String]? {
        do throws(DecodeError) {
            try body()
            return nil
        } catch {
            return [error.code.description, error.detail ?? ""]
        }
    }

    @Test(arguments: PixelLayout.allCases) func importRejectsArgumentsOutOfRange(_ layout: PixelLayout) {
        let row = 3 * layout.bytesPerPixel
        let bytes = [UInt8](repeating: 0, count: row * 2)
        func made(_ width: Int, _ height: Int, _ stride: Int? = nil) -> [String]? {
            error { () throws(DecodeError) in
                _ = try Bitmap(width: width, height: height, bytes: bytes, layout: layout, stride: stride)
            }
        }

        #expect(made(3, 2) == nil)
        #expect(made(0, 2) == ["invalidArgument", "width"])
        #expect(made(3, 0) == ["invalidArgument", "height"])
        #expect(made(-1, 2) == ["invalidArgument", "width"])
        #expect(made(3, 2, row - 1) == ["invalidArgument", "stride"])
        #expect(made(3, 2, -row) == ["invalidArgument", "stride"])
        #expect(made(3, 2, row + 1) == ["invalidArgument", "bytes"])
        #expect(made(3, 3) == ["invalidArgument", "bytes"])
        #expect(made(3, 2, .max) == ["invalidArgument", "stride"])
        #expect(made(3, .max) == ["invalidArgument", "stride"])
        #expect(made(.max, 1) == ["invalidArgument", layout.bytesPerPixel == 1 ? "bytes" : "width"])
    }

    @Test func importAppliesTheLimitsToTheBitmap() {
        var limits = DecodeLimits()
        limits.maxMemory = 399
        let bytes = [UInt8](repeating: 0, count: 100)

        let found = error { () throws(DecodeError) in
            _ = try Bitmap(width: 10, height: 10, bytes: bytes, layout: .gray, limits: limits)
        }

        #expect(found == ["limitExceeded", "maxMemory"])
    }

    @Test func exportRejectsArgumentsOutOfRangeAndKeepsTheBuffer() {
        let bitmap = PixelLayoutTests.bitmap(3, 2)
        func exported(_ count: Int, _ layout: PixelLayout, _ stride: Int?) -> [String]? {
            var buffer = [UInt8](repeating: 7, count: count)
            var span = buffer.mutableSpan
            let found = error { () throws(DecodeError) in
                try bitmap.copyPixels(to: &span, layout: layout, stride: stride)
            }
            #expect((found == nil) != buffer.allSatisfy { $0 == 7 })
            return found
        }

        #expect(exported(24, .rgba, nil) == nil)
        #expect(exported(23, .rgba, nil) == ["invalidArgument", "buffer"])
        #expect(exported(25, .rgba, 13) == nil)
        #expect(exported(24, .rgba, 13) == ["invalidArgument", "buffer"])
        #expect(exported(24, .rgba, 11) == ["invalidArgument", "stride"])
        #expect(exported(24, .rgba, .max) == ["invalidArgument", "stride"])
        #expect(exported(0, .gray, nil) == ["invalidArgument", "buffer"])
    }

    @Test func paddedArrayOverTheMemoryLimitIsRejected() throws {
        let bitmap = PixelLayoutTests.bitmap(3, 2)
        var limits = DecodeLimits()
        limits.maxMemory = 1_000

        #expect(try bitmap.bytes(layout: .rgb, stride: 500, limits: limits).count == 1_000)
        for stride in [501, Int.max - 9, Int.max / 2 + 1] {
            let found = error { () throws(DecodeError) in
                _ = try bitmap.bytes(layout: .rgb, stride: stride, limits: limits)
            }
            #expect(found == ["limitExceeded", "maxMemory"])
        }
    }
}
