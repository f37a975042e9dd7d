import CPlatformImageInterface
import Foundation
import PlatformImage
import PlatformImageC
import PlatformImageTestSupport
import Testing

/// The functions of `platformimage.h` against the Swift API that they call.
@Suite struct InterfaceTests {
    private static let files =
        [
            "png/filter-paeth-rgba8.png", "jpeg/exif-orientation-6.jpg", "gif/interlaced-9x9.gif",
            "tiff/lzw-le.tif", "bmp/rgb24-width-5.bmp",
        ] + (EncodedFormat.webp.isAvailable ? ["webp/lossy-alpha-21x19.webp"] : [])

    @Test(arguments: files) func decodeWritesThePixelsOfTheImageDecoder(_ name: String) throws {
        let bytes = try Fixture.file(name)
        let expected = try ImageDecoder().decode(bytes)

        var image = pi_image()
        image.struct_size = MemoryLayout<pi_image>.size
        #expect(pi_decode(bytes, bytes.count, nil, &image, nil) == PI_BUFFER_TOO_SMALL)
        let pixels = try filled(&image) { pi_decode(bytes, bytes.count, nil, $0, nil) }

        #expect(pixels == expected.bitmap.copyBytes())
        #expect((Int(image.width), Int(image.height)) == (expected.bitmap.width, expected.bitmap.height))
        #expect((image.damage, Int(image.intact_rows)) == (Int32(PI_DAMAGE_NONE), expected.header.height))
    }

    @Test(arguments: files) func infoContainsTheFactsOfTheHeader(_ name: String) throws {
        let bytes = try Fixture.file(name)
        let header = try ImageDecoder().header(of: bytes)

        var info = pi_image_info()
        info.struct_size = MemoryLayout<pi_image_info>.size
        #expect(pi_info(bytes, bytes.count, nil, &info, nil) == PI_OK)

        #expect((Int(info.width), Int(info.height)) == (header.width, header.height))
        #expect((Int(info.display_width), Int(info.display_height)) == (header.displayWidth, header.displayHeight))
        #expect(Int(info.bits_per_channel) == header.bitsPerChannel && Int(info.channel_count) == header.channelCount)
        #expect(Int(info.orientation) == Int(header.orientation.rawValue))
        #expect(Int(info.frame_count) == header.frameCount)
        #expect((Int(info.flags) & PI_INFO_HAS_ALPHA != 0) == header.hasAlpha)
        #expect(info.icc_profile_bytes == UInt64(header.iccProfileByteCount))
    }

    private typealias ThumbnailOption = (
        String, @Sendable (inout pi_thumbnail_options) -> Void, @Sendable (inout ThumbnailOptions) -> Void
    )

    /// Each option of a thumbnail in C, and the same option in Swift.
    private static let thumbnails: [ThumbnailOption] = [
        ("default", { _ in }, { _ in }),
        ("cover", { $0.fit = Int32(PI_FIT_COVER) }, { $0.fit = .cover }),
        ("fill", { $0.fit = Int32(PI_FIT_FILL) }, { $0.fit = .fill }),
        ("scaleDown", { $0.fit = Int32(PI_FIT_SCALE_DOWN) }, { $0.fit = .scaleDown }),
        ("nearest", { $0.filter = Int32(PI_FILTER_NEAREST) }, { $0.filter = .nearest }),
        ("box", { $0.filter = Int32(PI_FILTER_BOX) }, { $0.filter = .box }),
        ("bilinear", { $0.filter = Int32(PI_FILTER_BILINEAR) }, { $0.filter = .bilinear }),
        ("mitchell", { $0.filter = Int32(PI_FILTER_MITCHELL) }, { $0.filter = .mitchell }),
        ("exact", { $0.accuracy = Int32(PI_ACCURACY_EXACT) }, { $0.quality = .exact }),
        ("fast", { $0.accuracy = Int32(PI_ACCURACY_FAST) }, { $0.quality = .fast }),
        ("draft", { $0.accuracy = Int32(PI_ACCURACY_DRAFT) }, { $0.quality = .draft }),
        ("enlarges", { $0.flags = UInt32(PI_THUMBNAIL_ENLARGES) }, { $0.allowsUpscaling = true }),
        ("pads", { $0.flags = UInt32(PI_THUMBNAIL_PADS) }, { $0.padsToBox = true }),
        ("linear", { $0.flags = UInt32(PI_THUMBNAIL_LINEAR_LIGHT) }, { $0.linearLight = true }),
        ("embedded", { $0.flags = UInt32(PI_THUMBNAIL_USES_EMBEDDED) }, { $0.usesEmbeddedThumbnail = true }),
        (
            "gravity",
            {
                $0.flags = UInt32(PI_THUMBNAIL_GRAVITY)
                ($0.fit, $0.gravity_x, $0.gravity_y) = (Int32(PI_FIT_COVER), 0, 1)
            },
            {
                $0.fit = .cover
                $0.gravity = .bottomLeft
            }
        ),
        (
            "background",
            {
                $0.flags = UInt32(PI_THUMBNAIL_BACKGROUND)
                $0.background = (10, 20, 30, 255)
            },
            { $0.background = RGBA8(red: 10, green: 20, blue: 30) }
        ),
        (
            "crop", { ($0.crop_x, $0.crop_y, $0.crop_width, $0.crop_height) = (1, 2, 3, 4) },
            { $0.crop = PixelRectangle(x: 1, y: 2, width: 3, height: 4) }
        ),
    ]

    @Test(arguments: files) func thumbnailOptionsHaveTheEffectOfThoseInSwift(_ name: String) throws {
        let bytes = try Fixture.file(name)
        for (option, inC, inSwift) in Self.thumbnails {
            var options = pi_thumbnail_options()
            options.struct_size = MemoryLayout<pi_thumbnail_options>.size
            (options.width, options.height) = (7, 5)
            inC(&options)
            var swift = ThumbnailOptions(width: 7, height: 5)
            inSwift(&swift)
            // The crop is outside of the smallest file.
            guard let expected = try? ImageDecoder().thumbnail(of: bytes, options: swift).bitmap else {
                var image = pi_image()
                image.struct_size = MemoryLayout<pi_image>.size
                #expect(pi_thumbnail(bytes, bytes.count, nil, &options, &image, nil) == PI_EMPTY_CROP, "\(option)")
                continue
            }

            var image = pi_image()
            image.struct_size = MemoryLayout<pi_image>.size
            #expect(pi_thumbnail(bytes, bytes.count, nil, &options, &image, nil) == PI_BUFFER_TOO_SMALL)
            let pixels = try filled(&image) { pi_thumbnail(bytes, bytes.count, nil, &options, $0, nil) }

            #expect(pixels == expected.copyBytes(), "\(option)")
        }
    }

    @Test(arguments: [(PI_FORMAT_PNG, EncodedFormat.png), (PI_FORMAT_JPEG, .jpeg), (PI_FORMAT_GIF, .gif)])
    func encodeWritesTheFileOfTheImageEncoder(_ number: Int, _ format: EncodedFormat) throws {
        let bytes = try Fixture.file(Self.files[0])
        let bitmap = try ImageDecoder().decode(bytes).bitmap
        var pixels = bitmap.copyBytes()
        var encoder = ImageEncoder()
        encoder.options.jpeg.quality = 55
        encoder.options.jpeg.isProgressive = true
        let expected = try encoder.encode(bitmap, as: format)

        var options = pi_encode_options()
        options.struct_size = MemoryLayout<pi_encode_options>.size
        (options.format, options.quality, options.flags) = (Int32(number), 55, UInt32(PI_ENCODE_JPEG_PROGRESSIVE))
        var output = [UInt8](repeating: 0, count: expected.count)
        var file = pi_file()
        file.struct_size = MemoryLayout<pi_file>.size
        file.capacity = output.count
        let status = pixels.withUnsafeMutableBufferPointer { pixels in
            output.withUnsafeMutableBufferPointer { output in
                var image = pi_image()
                image.struct_size = MemoryLayout<pi_image>.size
                (image.pixels, image.capacity) = (pixels.baseAddress, pixels.count)
                (image.width, image.height) = (UInt32(bitmap.width), UInt32(bitmap.height))
                file.bytes = output.baseAddress
                return pi_encode(&image, &options, &file, nil)
            }
        }

        #expect(status == PI_OK && output == expected && file.byte_count == expected.count)
    }

    @Test func versionOfTheHeaderIsThatOfTheTool() throws {
        let root = Fixture.folder.deletingLastPathComponent()
        let file = root.appending(path: "Sources/PlatformImage/Shared/OwnVersion.swift")
        let source = try String(contentsOf: file, encoding: .utf8)

        let version = "\(PI_VERSION_MAJOR).\(PI_VERSION_MINOR).\(PI_VERSION_PATCH)"

        #expect(source.contains("platformImageVersion = \"\(version)\""))
    }

    /// Calls `body` with a buffer of the required size and returns the buffer.
    private func filled(
        _ image: inout pi_image, _ body: (UnsafeMutablePointer<pi_image>) -> pi_status
    ) throws -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: image.byte_count)
        let status = pixels.withUnsafeMutableBufferPointer { buffer in
            (image.pixels, image.capacity) = (buffer.baseAddress, buffer.count)
            return body(&image)
        }
        try #require(status == PI_OK)
        return pixels
    }
}

private func == (status: pi_status, constant: Int) -> Bool { Int(status) == constant }
