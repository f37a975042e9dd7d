import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import imagetool

@Suite struct CompareTests {
    private func noise(_ width: Int, _ height: Int, seed: UInt64, alpha: UInt8? = 255) -> Bitmap {
        var random = SplitMix(seed: seed)
        return Bitmap(width: width, height: height) { pixels in
            for at in 0..<pixels.count {
                let byte = UInt8(truncatingIfNeeded: random.next())
                pixels[at] = at & 3 == 3 ? alpha ?? byte : byte
            }
        }
    }

    private func changed(_ bitmap: Bitmap, at byte: Int, by change: Int) -> Bitmap {
        var bytes = bitmap.copyBytes()
        bytes[byte] = UInt8(Int(bytes[byte]) + change)
        return Bitmap(width: bitmap.width, height: bitmap.height) { pixels in
            for at in bytes.indices { pixels[at] = bytes[at] }
        }
    }

    @Test func equalImagesHaveNoDifference() {
        let difference = ImageDifference(noise(20, 15, seed: 1), noise(20, 15, seed: 1))

        #expect(difference.largest == [0, 0, 0, 0] && difference.mean == 0)
        #expect(difference.psnr == .infinity)
        #expect(abs((difference.ssim ?? 0) - 1) < 1e-12)
    }

    @Test func oneChangedSampleIsReportedInItsChannel() {
        let flat = Bitmap(width: 4, height: 5) { pixels in
            for at in 0..<pixels.count { pixels[at] = at & 3 == 3 ? 255 : 100 }
        }

        let difference = ImageDifference(flat, changed(flat, at: 4 * 7 + 1, by: 30))

        #expect(difference.largest == [0, 30, 0, 0])
        #expect(abs(difference.mean - 30.0 / 60) < 1e-12)
        // 10 log10(255 * 255 / (900 / 60))
        #expect(abs(difference.psnr - 36.3699) < 1e-4)
        #expect(difference.ssim == nil)
    }

    @Test func colorsOfTransparentPixelsAreIgnored() {
        let one = noise(12, 12, seed: 1, alpha: 0)
        let other = noise(12, 12, seed: 2, alpha: 0)

        #expect(ImageDifference(one, other).largest == [0, 0, 0, 0])
    }

    /// The expected value is computed directly from the definition of SSIM, for each window.
    @Test func ssimMatchesItsDefinition() throws {
        let (one, other) = (noise(17, 14, seed: 3), noise(17, 14, seed: 4))
        func luma(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> Double {
            let pixel = bitmap[x, y]
            return 0.299 * Double(pixel.red) + 0.587 * Double(pixel.green) + 0.114 * Double(pixel.blue)
        }
        var weights: [[Double]] = []
        for y in -5...5 {
            weights.append((-5...5).map { x in (-Double(x * x + y * y) / 4.5).exponential })
        }
        let total = weights.joined().reduce(0, +)
        var (sum, count) = (0.0, 0.0)
        for top in 0...(14 - 11) {
            for left in 0...(17 - 11) {
                var (a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0)
                for y in 0..<11 {
                    for x in 0..<11 {
                        let weight = weights[y][x] / total
                        let (p, q) = (luma(one, left + x, top + y), luma(other, left + x, top + y))
                        (a, b) = (a + weight * p, b + weight * q)
                        (aa, bb, ab) = (aa + weight * p * p, bb + weight * q * q, ab + weight * p * q)
                    }
                }
                let (c1, c2) = (6.5025, 58.5225)
                let numerator = (2 * a * b + c1) * (2 * (ab - a * b) + c2)
                sum += numerator / ((a * a + b * b + c1) * (aa - a * a + bb - b * b + c2))
                count += 1
            }
        }

        let ssim = try #require(ImageDifference(one, other).ssim)

        #expect(abs(ssim - sum / count) < 1e-9)
    }

    @Test func compareExitsWith1WhenTheDifferenceExceedsTheTolerance() throws {
        let folder = try TemporaryFolder()
        let first = try folder.write(smallBitmap, to: "a.bmp")
        var other = smallBitmap
        other[54] = 250
        let second = try folder.write(other, to: "b.bmp")
        let large = try folder.write(largeBitmap, to: "c.bmp")

        #expect(try ToolRun("compare", first, first).exitCode == 0)
        let apart = try ToolRun("compare", first, second, "--json")
        #expect(apart.exitCode == 1)
        #expect(apart.text.hasPrefix("{\"max\":5,\"maxByChannel\":[0,0,5,0],\"mean\":0.4167,"))
        #expect(try ToolRun("compare", first, second, "--tolerance", "5").exitCode == 0)
        #expect(try ToolRun("compare", first, second, "--tolerance", "4").exitCode == 1)
        let sizes = try ToolRun("compare", first, large)
        #expect(sizes.exitCode == 65)
        #expect(sizes.errors == "\(large): sizesDiffer: the size is 512 x 512, expected 2 x 2\n")
        #expect(try ToolRun("compare", first, folder.path("missing")).exitCode == 66)
        #expect(try ToolRun("compare", first, second, "--tolerance", "256").exitCode == 64)
        #expect(try ToolRun("compare", "-", "-").exitCode == 64)
    }

    @Test func contactSheetSkipsAnInvalidFileAndExitsWith1() throws {
        let folder = try TemporaryFolder()
        let sheet = folder.path("sheet.png")
        let small = try folder.write(smallBitmap, to: "a.bmp")
        let bad = try folder.write(avif, to: "b.avif")

        let run = try ToolRun("contact-sheet", small, bad, small, "-s", "32", "--columns", "2", "-o", sheet)

        #expect(run.exitCode == 1)
        #expect(run.errors.hasPrefix("\(bad): unsupported(avif): "))
        let made = try ImageDecoder().decode(try folder.read("sheet.png")).bitmap
        #expect(made.width == 72 && made.height == 72)
        // The small image is enlarged by an integer factor without smoothing.
        #expect(made[2, 2] == RGBA8(red: 255, green: 0, blue: 0))
        #expect(made[17, 17] == made[2, 2])
        #expect(made[18, 18] == RGBA8(red: 255, green: 255, blue: 255))
        #expect(made[54, 18] == made[0, 0])
        #expect(try ToolRun("contact-sheet", bad, "-o", folder.path("none.png")).exitCode == 65)
        #expect(try folder.names == ["a.bmp", "b.avif", "sheet.png"])
    }

    @Test func infoPrintsTheBlurHashWithTheHashOption() throws {
        let path = fixturePath("demo/mountains.jpg")

        let plain = try ToolRun("info", "--ndjson", path)
        let hashed = try ToolRun("info", "--ndjson", "--hash", path)

        #expect(!plain.text.contains("blurHash"))
        let hash = try #require(hashed.text.split(separator: "\"blurHash\":\"").last?.split(separator: "\"").first)
        let exact = BlurHash(try ImageDecoder().decode(try Fixture.file("demo/mountains.jpg")).bitmap)
        #expect(try BlurHash(String(hash)).columns == exact.columns)
        let (mean, expected) = (try BlurHash(String(hash)).averageColor, exact.averageColor)
        #expect(abs(Int(mean.red) - Int(expected.red)) <= 1 && abs(Int(mean.green) - Int(expected.green)) <= 1)
    }
}

extension Double {
    /// The exponential function by its Taylor series, to avoid importing a C library.
    fileprivate var exponential: Double {
        var (sum, term) = (1.0, 1.0)
        let part = self / 1024
        for n in 1...20 {
            term *= part / Double(n)
            sum += term
        }
        return (0..<10).reduce(sum) { power, _ in power * power }
    }
}
