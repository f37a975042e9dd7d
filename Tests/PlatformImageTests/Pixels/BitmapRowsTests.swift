import Testing

@testable import PlatformImage

@Suite struct BitmapRowsTests {
    @Test func pixelSpanHasThePixelsOfTheSubscript() {
        let bitmap = PixelLayoutTests.bitmap(7, 5)

        let pixels = bitmap.withPixels { pixels in pixels.indices.map { pixels[$0] } }

        #expect(pixels == (0..<35).map { bitmap[$0 % 7, $0 / 7] })
    }

    @Test func forEachRowVisitsEveryRowFromTheTop() {
        let bitmap = PixelLayoutTests.bitmap(7, 5)
        var rows: [Int] = []
        var pixels: [RGBA8] = []

        bitmap.forEachRow { y, row in
            rows.append(y)
            for x in row.indices { pixels.append(row[x]) }
        }

        #expect(rows == [0, 1, 2, 3, 4])
        #expect(pixels == bitmap.withPixels { pixels in pixels.indices.map { pixels[$0] } })
    }

    @Test func errorThrownByTheClosureEndsTheIterationOfRows() {
        struct Stop: Error {}
        var count = 0

        #expect(throws: Stop.self) {
            try PixelLayoutTests.bitmap(3, 9).forEachRow { y, _ throws(Stop) in
                count += 1
                if y == 4 { throw Stop() }
            }
        }
        #expect(count == 5)
    }

    @Test func pixelHasFourBytesWithoutAlignment() {
        #expect(MemoryLayout<RGBA8>.size == 4)
        #expect(MemoryLayout<RGBA8>.stride == 4)
        #expect(MemoryLayout<RGBA8>.alignment == 1)
    }

    @Test func bitmapsAreEqualWhenSizeAndBytesAreEqual() {
        let bitmap = PixelLayoutTests.bitmap(6, 4)
        let copy = bitmap
        func changed(at index: Int) -> Bitmap {
            Bitmap(width: 6, height: 4) { pixels in
                bitmap.withBytes { bytes in for at in bytes.indices { pixels[at] = bytes[at] } }
                if index >= 0 { pixels[index] ^= 1 }
            }
        }
        let otherSize = Bitmap(width: 4, height: 6) { pixels in
            bitmap.withBytes { bytes in for at in bytes.indices { pixels[at] = bytes[at] } }
        }

        #expect(bitmap == copy)
        #expect(bitmap == changed(at: -1))
        for index in 0..<96 { #expect(bitmap != changed(at: index)) }
        #expect(bitmap != otherSize)
    }
}
