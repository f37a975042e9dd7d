import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct ConcurrencyTests {
    @Test func concurrentDecodesEqualSequentialDecodes() async throws {
        let fixtures = Array(Fixture.small(1500).prefix(120))
        let decoder = ImageDecoder()
        let queue = DecodeQueue(width: 4)
        let expected = try fixtures.map { try decoder.decode($0.load()).bitmap.digest }

        try await withThrowingTaskGroup { group in
            for round in 0..<4 {
                for (index, fixture) in fixtures.enumerated() {
                    group.addTask {
                        let image = try await queue.decode(
                            fixture.load(), with: decoder, priority: round == 0 ? .high : .low)
                        #expect(image.bitmap.digest == expected[index], "\(fixture)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func concurrentReadsOfABitmapReturnTheSamePixels() async throws {
        let bitmap = Bitmap(width: 300, height: 300) { pixels in
            for index in 0..<pixels.count { pixels[index] = UInt8(truncatingIfNeeded: index * 7) }
        }
        let expected = bitmap.digest

        await withTaskGroup { group in
            for _ in 0..<16 { group.addTask { #expect(bitmap.digest == expected) } }
        }
    }
}
