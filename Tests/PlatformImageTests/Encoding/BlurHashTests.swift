import Foundation
import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct BlurHashTests {
    /// A Python model (float64) of the published algorithm computed these hashes for the images of `pattern`.
    @Test(arguments: [
        (1, 1, 1, 1, "000017"),
        (2, 3, 2, 2, "AL42WBo,jNak"),
        (8, 8, 4, 3, "LhGb^*Nx10-pvUIFXh#.R5b=t5Vu"),
        (13, 7, 4, 3, "LcHU|QI:R61%r}iLN1TGRei_bco@"),
        (
            16, 16, 9, 9,
            "|NG]5Y$JM|,1AZGGk8pJRjozM~IpO92r$x+^VuxVaRRVnRN2ru=KW;n,WEv*i1eHi~teb[N1i4K{WBStbucQXer[mpo[k*y4"
                + "kko#kWV_jKR.k.nTX0RQaLi_RkoHnPoHk8wajMnPkCV|j[bIkorwW9jLbEouS~S]ofager"
        ),
        (30, 20, 4, 3, "LAHV9#$tVp$NpfRqJ6RTnFM@nDN3"),
        (30, 20, 3, 9, "@EHV9#$uV;pLV}J6nENBj2%7V[rZVMVER7%jW~kibpfzXB%dW#n;XSi_V]"),
        (64, 64, 5, 5, "e3HV9w-qW4-,W2%5WKWbW4V?SajNWPnISt%hS@WeW0a]S*nMW3svND"),
    ])
    func smallImagesGiveTheHashesOfTheReferenceModel(width: Int, height: Int, columns: Int, rows: Int, text: String)
        throws
    {
        let hash = try BlurHash(Self.pattern(width, height), columns: columns, rows: rows)

        #expect(hash.description == text)
        #expect(try BlurHash(text) == hash)
        #expect(try BlurHash(text).columns == columns && BlurHash(text).rows == rows)
    }

    @Test(arguments: [(65, 64), (150, 97), (300, 20), (9, 200)])
    func averagingALargeSmoothImageChangesEachTermExceptTheMeanByAtMostOneStep(width: Int, height: Int) throws {
        let smooth = SampleImage.photograph(width, height)

        let hash = try BlurHash(smooth, columns: 3, rows: 3)

        let exact = NaiveBlurHash(smooth, columns: 3, rows: 3)
        let digits = hash.description.utf8.map { NaiveBlurHash.characters.firstIndex(of: $0) ?? -1 }
        #expect(digits.count == exact.digits.count)
        #expect(digits[0] == exact.digits[0] && abs(digits[1] - exact.digits[1]) <= 1)
        for at in stride(from: 6, to: digits.count, by: 2) {
            let (mine, naive) = (digits[at] * 83 + digits[at + 1], exact.digits[at] * 83 + exact.digits[at + 1])
            for unit in [361, 19, 1] { #expect(abs(mine / unit % 19 - naive / unit % 19) <= 1, "digit \(at)") }
        }
    }

    @Test func hashesOfEveryColumnAndRowCountRoundTripAsText() throws {
        let image = Self.pattern(11, 9)
        for columns in 1...9 {
            for rows in 1...9 {
                let hash = try BlurHash(image, columns: columns, rows: rows)
                #expect(hash.description.count == 4 + 2 * columns * rows)
                #expect(try BlurHash(hash.description) == hash)
            }
        }
    }

    @Test(arguments: [(1, 1), (7, 3), (32, 32), (5, 40)])
    func samplesOfABlurHashBitmapDifferByAtMostOneFromTheReferenceModel(width: Int, height: Int) throws {
        for text in [
            "000017", "LcHU|QI:R61%r}iLN1TGRei_bco@", "@EHV9#$uV;pLV}J6nENBj2%7V[rZVMVER7%jW~kibpfzXB%dW#n;XSi_V]",
        ] {
            let bitmap = try BlurHash(text).bitmap(width: width, height: height)

            // Sums in a different order may round differently.
            let naive = NaiveBlurHash.pixels(text, width, height)
            #expect(bitmap.largestDifference(to: naive, tolerance: 0) ?? 255 <= 1)
            #expect(bitmap.copyBytes().enumerated().allSatisfy { $0.offset % 4 != 3 || $0.element == 255 })
        }
    }

    @Test func averageColorOfAUniformImageIsItsColor() throws {
        for color in [
            RGBA8(red: 0, green: 0, blue: 0), RGBA8(red: 255, green: 255, blue: 255),
            RGBA8(red: 3, green: 99, blue: 201),
        ] {
            let hash = try BlurHash(Bitmap.filled(70, 3, color), columns: 4, rows: 3)

            #expect(hash.averageColor == color)
            #expect(try BlurHash(hash.description).averageColor == color)
        }
    }

    @Test func transparentPixelsAreBlendedWithTheBackground() {
        let back = RGBA8(red: 10, green: 200, blue: 30, alpha: 0)
        let clear = Bitmap.filled(5, 5, RGBA8(red: 255, green: 0, blue: 255, alpha: 0))
        let half = Bitmap.filled(5, 5, RGBA8(red: 110, green: 100, blue: 30, alpha: 51))

        #expect(BlurHash(clear, background: back).averageColor == RGBA8(red: 10, green: 200, blue: 30))
        #expect(BlurHash(half, background: back).averageColor == RGBA8(red: 30, green: 180, blue: 30))
        #expect(BlurHash(clear).averageColor == RGBA8(red: 255, green: 255, blue: 255))
    }

    @Test func higherPunchIncreasesTheContrastOfTheBitmap() throws {
        let hash = try BlurHash("LcHU|QI:R61%r}iLN1TGRei_bco@")
        func spread(_ punch: Double) -> Int {
            let bytes = hash.bitmap(width: 16, height: 16, punch: punch).copyBytes()
            return bytes.enumerated().reduce(0) { $1.offset % 4 == 3 ? $0 : max($0, abs(Int($1.element) - 110)) }
        }

        #expect(spread(0) < spread(1) && spread(1) < spread(3))
        // No value of `punch` traps.
        for punch in [Double.infinity, -Double.infinity, Double.nan, -1] {
            #expect(hash.bitmap(width: 3, height: 2, punch: punch).byteCount == 24)
        }
    }

    @Test(arguments: [
        "", "0", "00000", "LcHU|QI:R61%r}iLN1TGRei_bco", "LcHU|QI:R61%r}iLN1TGRei_bco@0", "00 017", "0000é", "00001\"",
        "~00017", "}00017", "00~~~~", "000017000000", "AL42WB~~jNak", String(repeating: "0", count: 100_000),
    ])
    func invalidBlurHashTextThrowsMalformed(_ text: String) {
        let error = #expect(throws: DecodeError.self) { try BlurHash(text) }
        #expect(error?.code == .malformed)
    }

    @Test func randomBlurHashTextIsDecodedOrThrows() {
        var random = SplitMix(seed: 4)
        var read = 0
        for _ in 0..<3000 {
            let sizes = [6, 8, 12, 28, 166]
            let count = sizes.randomElement(using: &random) ?? 6
            var bytes = (0..<count).map { _ in NaiveBlurHash.characters.randomElement(using: &random) ?? 48 }
            if let first = [6: 0, 8: 1, 12: 10, 28: 21, 166: 80][count] { bytes[0] = NaiveBlurHash.characters[first] }
            if let hash = try? BlurHash(String(decoding: bytes, as: UTF8.self)) {
                read += 1
                #expect(hash.bitmap(width: 2, height: 2).byteCount == 16)
            }
        }
        #expect(read > 300)
    }

    private static func pattern(_ width: Int, _ height: Int) -> Bitmap {
        Bitmap(width: width, height: height) { pixels in
            for y in 0..<height {
                for x in 0..<width {
                    let at = (y * width + x) * 4
                    pixels[at] = UInt8((x * 37 + y * 11) % 256)
                    pixels[at + 1] = UInt8((x * x * 3 + y * 29) % 256)
                    pixels[at + 2] = UInt8((x * 5 + y * y * 7 + 90) % 256)
                    pixels[at + 3] = 255
                }
            }
        }
    }
}

/// The published algorithm, one loop per formula.
private struct NaiveBlurHash {
    static let characters = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

    var digits: [Int] = []

    init(_ bitmap: Bitmap, columns: Int, rows: Int) {
        let (width, height, bytes) = (bitmap.width, bitmap.height, bitmap.copyBytes())
        let light = (0..<256).map { Self.light(Double($0) / 255) }
        var terms: [[Double]] = []
        for row in 0..<rows {
            for column in 0..<columns {
                var sum = [0.0, 0.0, 0.0]
                for y in 0..<height {
                    let down = cos(Double.pi * Double(row * y) / Double(height))
                    for x in 0..<width {
                        let basis = cos(Double.pi * Double(column * x) / Double(width)) * down
                        for channel in 0..<3 {
                            sum[channel] += basis * light[Int(bytes[(y * width + x) * 4 + channel])]
                        }
                    }
                }
                let scale = (row + column == 0 ? 1 : 2) / Double(width * height)
                terms.append(sum.map { $0 * scale })
            }
        }
        let largest = terms.dropFirst().joined().reduce(0) { max($0, abs($1)) }
        let range = max(0, min(82, Int((largest * 166 - 0.5).rounded(.down))))
        let color = terms[0].reduce(0) { $0 * 256 + Self.sample($1) }
        digits = [columns - 1 + (rows - 1) * 9, range] + [571_787, 6889, 83, 1].map { color / $0 % 83 }
        for term in terms.dropFirst() {
            let value = term.reduce(0) { sum, part in
                let root = (abs(part) * 166 / Double(range + 1)).squareRoot() * (part < 0 ? -1 : 1)
                return sum * 19 + max(0, min(18, Int((root * 9 + 9.5).rounded(.down))))
            }
            digits += [value / 83, value % 83]
        }
    }

    static func pixels(_ text: String, _ width: Int, _ height: Int) -> [UInt8] {
        let digits = text.utf8.map { characters.firstIndex(of: $0) ?? 0 }
        let (columns, rows) = (digits[0] % 9 + 1, digits[0] / 9 + 1)
        let color = digits[2..<6].reduce(0) { $0 * 83 + $1 }
        var terms = [[color >> 16, color >> 8 & 255, color & 255].map { light(Double($0) / 255) }]
        for at in stride(from: 6, to: digits.count, by: 2) {
            let value = digits[at] * 83 + digits[at + 1]
            terms.append(
                [value / 361, value / 19 % 19, value % 19].map {
                    let root = Double($0 - 9) / 9
                    return root * abs(root) * Double(digits[1] + 1) / 166
                })
        }
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<3 {
                    var sum = 0.0
                    for row in 0..<rows {
                        for column in 0..<columns {
                            let across = cos(Double.pi * Double(x * column) / Double(width))
                            let down = cos(Double.pi * Double(y * row) / Double(height))
                            sum += terms[row * columns + column][channel] * across * down
                        }
                    }
                    pixels.append(UInt8(sample(sum)))
                }
                pixels.append(255)
            }
        }
        return pixels
    }

    private static func light(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static func sample(_ light: Double) -> Int {
        let value = max(0, min(1, light))
        return Int(value <= 0.0031308 ? value * 12.92 * 255 + 0.5 : (1.055 * pow(value, 1 / 2.4) - 0.055) * 255 + 0.5)
    }
}
