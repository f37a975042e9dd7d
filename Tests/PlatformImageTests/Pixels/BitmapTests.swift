import PlatformImage
import Testing

@Suite struct BitmapTests {
    @Test func platformImageAliasAndBitmapAreTheSameType() {
        let bitmap: PlatformImage = Bitmap(width: 1, height: 1) { _ in }

        #expect(type(of: bitmap) == PlatformImage::Bitmap.self)
    }

    @Test(arguments: [(1, 1), (3, 2), (1023, 1025), (1024, 1024), (2560, 2560)])
    func byteCountIsWidthTimesHeightTimesFour(width: Int, height: Int) {
        let bitmap = Bitmap(width: width, height: height) { _ in }

        #expect(bitmap.bytesPerRow == width * 4)
        #expect(bitmap.byteCount == width * height * 4)
        #expect(bitmap.withBytes { $0.count } == bitmap.byteCount)
    }

    @Test func newBitmapInReusedMemoryIsTransparentBlack() {
        for _ in 0..<4 {
            let bitmap = Bitmap(width: 1200, height: 1000) { pixels in
                var sum = 0
                for index in stride(from: 0, to: pixels.count, by: 997) { sum += Int(pixels[index]) }
                #expect(sum == 0)
                for index in stride(from: 0, to: pixels.count, by: 997) { pixels[index] = 0xA5 }
            }
            #expect(bitmap.withBytes { $0[997] } == 0xA5)
        }
    }

    @Test func rowsAndPixelsAreCountedFromTheTopLeft() {
        let bitmap = Bitmap(width: 2, height: 2) { pixels in
            for index in 0..<16 { pixels[index] = UInt8(index) }
        }

        #expect(bitmap[1, 0] == RGBA8(red: 4, green: 5, blue: 6, alpha: 7))
        #expect(bitmap[0, 1] == RGBA8(red: 8, green: 9, blue: 10, alpha: 11))
        #expect(bitmap.withRow(1) { [$0[0], $0[7]] } == [8, 15])
    }

    @Test func bitmapCopiesShareOneAllocation() {
        let first = Bitmap(width: 8, height: 8) { _ in }
        let second = first

        let addresses = [first, second].map { bitmap in
            bitmap.withBytes { bytes in bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
        }
        #expect(addresses[0] == addresses[1])
    }

    @Test func premultiplyingRoundsAsDocumentedForEverySampleAndAlpha() {
        let straight = Bitmap(width: 256, height: 256) { pixels in
            for alpha in 0..<256 {
                for sample in 0..<256 {
                    let at = (alpha * 256 + sample) * 4
                    for channel in 0..<3 { pixels[at + channel] = UInt8(sample) }
                    pixels[at + 3] = UInt8(alpha)
                }
            }
        }

        let bytes = straight.premultiplied().copyBytes()

        var wrong = 0
        for alpha in 0..<256 {
            for sample in 0..<256 {
                let t = sample * alpha + 128
                let at = (alpha * 256 + sample) * 4
                if Int(bytes[at]) != (t + (t >> 8)) >> 8 || Int(bytes[at + 3]) != alpha { wrong += 1 }
            }
        }
        #expect(wrong == 0)
    }

    @Test func clearingTransparentPixelsDoesNotChangeOtherPixels() {
        let bitmap = Bitmap(width: 2, height: 1) { pixels in
            for index in 0..<8 { pixels[index] = 9 }
            pixels[3] = 0
        }

        #expect(bitmap.clearingTransparentPixels().copyBytes() == [0, 0, 0, 0, 9, 9, 9, 9])
    }

    @Test func liveBitmapBytesAreZeroAfterAllBitmapsAreReleased() async {
        await #expect(processExitsWith: .success) {
            precondition(Bitmap.liveBitmapBytes == 0)
            do {
                let small = Bitmap(width: 10, height: 10) { _ in }
                let large = Bitmap(width: 1500, height: 1500) { _ in }
                let copy = large
                precondition(Bitmap.liveBitmapBytes == small.byteCount + copy.byteCount)
            }
            precondition(Bitmap.liveBitmapBytes == 0)
            precondition(Bitmap.pooledBytes >= 1500 * 1500 * 4)
            Bitmap.releasePooledBytes()
            precondition(Bitmap.pooledBytes == 0)
        }
    }

    @Test func bitmapSizeOverflowTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = Bitmap(width: Int.max / 2, height: 8) { _ in }
        }
    }
}
