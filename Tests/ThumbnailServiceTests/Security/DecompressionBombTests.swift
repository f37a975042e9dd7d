import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Decompression bombs: small files that would require much memory or time.
@Suite struct DecompressionBombTests {
    private static let renderer: Renderer = {
        var decoder = ImageDecoder()
        decoder.options.limits = ServiceConfiguration.Limits().decode
        return Renderer(decoder: decoder)
    }()

    /// Runs in a separate process, so that other tests do not affect its resident memory.
    @Test(.requirement("SV7")) func pngWithAHeaderOf65535x65535PixelsIs422AndUsesLessThan10MiB() async throws {
        await #expect(processExitsWith: .success) {
            var bytes = try Fixture.named("bad/png-bomb-65535x65535.png").load()
            bytes += [UInt8](repeating: 0, count: 50_000 - bytes.count)
            var decoder = ImageDecoder()
            decoder.options.limits = ServiceConfiguration.Limits().decode
            let renderer = Renderer(decoder: decoder)
            _ = try renderer.render(Bitmap.landscape(40, 30).png(), .cover(20, 10))
            let before = ResidentMemory.peakBytes
            var status = 0
            do throws(ServiceError) {
                _ = try renderer.render(bytes, .cover(20, 10))
            } catch {
                status = error.status
            }
            let growth = ResidentMemory.peakBytes - before
            guard status == 422, growth < 10 << 20 else {
                print("status \(status), peak memory increased by \(growth) bytes")
                exit(1)
            }
            exit(0)
        }
    }

    /// The decompression bombs among the fixtures and their status; nil for a file that is rendered, because its image
    /// is small and only other parts of the file are oversized or form a loop.
    private static let bombs: [(path: String, status: Int?)] = [
        ("png/bomb-ztxt.png", nil), ("png/bomb-itxt.png", nil), ("png/bomb-iccp.png", nil),
        ("png/bomb-iccp-header.png", nil), ("png/bomb-idat.png", nil), ("gif/blocks-of-1.gif", nil),
        ("bad/gif-bomb-canvas.gif", 422), ("bad/gif-bomb-frame.gif", 422), ("bad/jpeg-bomb-scans.jpg", 422),
        ("bad/jpeg-bomb-coefficients.jpg", 422), ("bad/jpeg-bomb-65500x65500.jpg", 422),
        ("bad/png-bomb-rgba16-interlaced.png", 422), ("bad/tiff-bomb-60000x60000.tif", 422),
        ("bad/tiff-bomb-strip-of-9000x9000.tif", 422), ("bad/tiff-bomb-length.tif", 422),
        ("bad/tiff-bomb-length-most.tif", 415), ("bad/bmp-bomb-pixels.bmp", 422), ("bad/bmp-embedded-bomb.bmp", 422),
        ("tiff/page-loop.tif", nil), ("tiff/bomb-5000-ifds.tif", nil), ("jpeg/exif-ifd-loop.jpg", nil),
    ]

    @Test(.requirement("SV9"), arguments: bombs.indices)
    func eachDecompressionBombEndsWithTheExpectedStatusWithinTheMemoryAndPollLimits(row: Int) throws {
        let (path, status) = Self.bombs[row]
        let bytes = try Fixture.file(path)
        let limit = 64 << 20
        let flag = CancellationFlag()
        var outcome: Int?
        do throws(ServiceError) {
            let prepared = try Self.renderer.prepare(bytes, for: .fit(32, 32))
            #expect(prepared.byteCount < limit, "\(path) needs \(prepared.byteCount) bytes")
            _ = try Self.renderer.render(prepared, bytes, cancellation: flag)
        } catch {
            outcome = error.status
        }

        #expect(outcome == status, "\(path)")
        // The cancellation flag is polled for every 16 rows and for each scan, frame and chunk, so the number of polls
        // shows the amount of work.
        #expect(flag.pollCount < 5_000, "\(path): \(flag.pollCount) polls")
    }

    @Test(.requirement("SV9")) func jpegWith100000ScansIsRejectedWith422() throws {
        let whole = try Fixture.file("jpeg/progressive-16-scans.jpg")
        let last = try #require(whole.indices.dropLast().last { whole[$0] == 0xFF && whole[$0 + 1] == 0xDA })
        let scan = whole[last..<(whole.count - 2)]
        var bytes = Array(whole[..<last])
        for _ in 0..<100_000 { bytes += scan }
        bytes += [0xFF, 0xD9]
        let flag = CancellationFlag()

        let error = #expect(throws: ServiceError.self) {
            try Self.renderer.render(bytes, .fit(8, 8), cancellation: flag)
        }

        #expect(error?.status == 422)
        #expect(flag.pollCount < 1_000)
    }

    @Test(.requirement("SV9"), arguments: [true, false])
    func gifWithAMillionSubBlocksNeedsLessThan4MiBBeyondTheFileSize(isEnded: Bool) throws {
        let whole = try Fixture.file("gif/blocks-of-1.gif")
        let header = 13 + (whole[10] & 0x80 == 0 ? 0 : 3 << Int(whole[10] & 7 + 1))
        var bytes = Array(whole[..<header]) + [0x21, 0xFE]
        for _ in 0..<1_000_000 { bytes += [1, 0x41] }
        // Without the terminator, the image data is part of the comment.
        if isEnded { bytes += [0] + whole[header...] }
        let flag = CancellationFlag()
        var status: Int?
        // A GIF result would need 4.3 MB for the palette of its encoder.
        var request = ThumbnailRequest.fit(8, 8)
        request.output = .format(.png)
        do throws(ServiceError) {
            let prepared = try Self.renderer.prepare(bytes, for: request, cancellation: flag)
            #expect(prepared.byteCount < bytes.count + 4 << 20)
            _ = try Self.renderer.render(prepared, bytes, cancellation: flag)
        } catch {
            status = error.status
        }

        #expect(status == (isEnded ? nil : 415))
    }
}
