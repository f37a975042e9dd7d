import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct FillTests {
    private static let color = RGBA8(red: 200, green: 3, blue: 90, alpha: 128)

    private static let numbered = Bitmap(width: 7, height: 5) { pixels in
        for at in 0..<pixels.count { pixels[at] = UInt8(at) }
    }

    @Test(arguments: [(1, 1), (3, 2), (17, 9)])
    func filledBitmapHasOneColor(_ width: Int, _ height: Int) throws {
        let bitmap = try Bitmap(width: width, height: height, filledWith: Self.color)

        #expect(bitmap.width == width && bitmap.height == height)
        for y in 0..<height { for x in 0..<width { #expect(bitmap[x, y] == Self.color) } }
    }

    @Test(arguments: [-3, -1, 0, 2, 6, 7, .max, .min], [-2, 0, 3, .max])
    func fillReplacesThePixelsOfTheRectangleThatAreInsideTheBitmap(_ x: Int, _ y: Int) throws {
        for (width, height) in [(1, 1), (4, 2), (100, 100), (.max, .max), (0, 3), (-1, 2)] {
            let rectangle = PixelRectangle(x: x, y: y, width: width, height: height)

            let result = try Self.numbered.filled(with: Self.color, in: rectangle)

            func contains(_ position: Int, _ start: Int, _ count: Int) -> Bool {
                let (end, overflows) = start.addingReportingOverflow(count)
                return count > 0 && position >= start && (overflows || position < end)
            }
            for row in 0..<5 {
                for column in 0..<7 {
                    let isInside = contains(column, x, width) && contains(row, y, height)
                    #expect(result[column, row] == (isInside ? Self.color : Self.numbered[column, row]))
                }
            }
        }
    }

    @Test func fillWithoutRectangleReplacesAllPixels() throws {
        let result = try Self.numbered.filled(with: Self.color)
        #expect(result.copyBytes() == (try Bitmap(width: 7, height: 5, filledWith: Self.color)).copyBytes())
    }

    @Test(arguments: [(0, 0, 0, 0), (1, 0, 0, 0), (0, 2, 0, 0), (0, 0, 3, 0), (0, 0, 0, 4), (2, 1, 3, 5)])
    func paddedBitmapHasTheColorAroundThePixels(_ top: Int, _ left: Int, _ bottom: Int, _ right: Int) throws {
        let result = try Self.numbered.padded(top: top, left: left, bottom: bottom, right: right, with: Self.color)

        #expect(result.width == 7 + left + right && result.height == 5 + top + bottom)
        for y in 0..<result.height {
            for x in 0..<result.width {
                let isInside = (0..<7).contains(x - left) && (0..<5).contains(y - top)
                #expect(result[x, y] == (isInside ? Self.numbered[x - left, y - top] : Self.color))
            }
        }
    }

    @Test func borderIsTransparentBlackByDefault() throws {
        let result = try Self.numbered.padded(left: 1)
        #expect(result[0, 2] == RGBA8(red: 0, green: 0, blue: 0, alpha: 0))
    }

    @Test func negativeBorderThrows() {
        let calls: [(String, () throws -> Bitmap)] = [
            ("top", { try Self.numbered.padded(top: -1) }), ("left", { try Self.numbered.padded(left: .min) }),
            ("bottom", { try Self.numbered.padded(bottom: -1) }), ("right", { try Self.numbered.padded(right: -2) }),
        ]
        for (name, call) in calls {
            let error = #expect(throws: DecodeError.self) { try call() }
            #expect(error?.code == .invalidArgument && error?.detail == name)
        }
    }

    @Test(
        arguments: [
            (.max, .max, DecodeLimits(), "limitExceeded"), (.max, .max, .unlimited, "outOfMemory"),
            (0, 65_530, DecodeLimits(), "limitExceeded"), (1 << 30, 1 << 30, .unlimited, "outOfMemory"),
        ] as [(Int, Int, DecodeLimits, String)])
    func borderOverTheLimitsThrows(_ left: Int, _ right: Int, _ limits: DecodeLimits, _ code: String) {
        let error = #expect(throws: DecodeError.self) {
            try Self.numbered.padded(top: left, left: left, right: right, limits: limits)
        }
        #expect(error?.code.description == code)
    }

    @Test(arguments: [(0, 1, "width"), (1, 0, "height"), (-1, 1, "width"), (1, .min, "height")])
    func filledBitmapWithASideBelow1Throws(_ width: Int, _ height: Int, _ detail: String) {
        let error = #expect(throws: DecodeError.self) {
            try Bitmap(width: width, height: height, filledWith: Self.color, limits: .unlimited)
        }
        #expect(error?.code == .invalidArgument && error?.detail == detail)
    }

    @Test func filledBitmapsOverTheLimitsThrow() {
        var limits = DecodeLimits()
        limits.maxMemory = 4 * 35 - 1
        let calls: [() throws -> Bitmap] = [
            { try Bitmap(width: 7, height: 5, filledWith: Self.color, limits: limits) },
            { try Self.numbered.filled(with: Self.color, limits: limits) },
            { try Self.numbered.padded(limits: limits) },
        ]
        for call in calls {
            let error = #expect(throws: DecodeError.self) { try call() }
            #expect(error?.code == .limitExceeded && error?.detail == "maxMemory")
        }
    }
}
