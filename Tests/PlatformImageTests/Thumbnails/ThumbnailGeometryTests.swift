import Testing

@testable import PlatformImage

/// Sizes and crops according to the rules of libvips and thumbor.
@Suite struct ThumbnailGeometryTests {
    private struct Size: Equatable, CustomStringConvertible {
        var width, height: Int
        init(_ width: Int, _ height: Int) { (self.width, self.height) = (width, height) }
        var description: String { "\(width)x\(height)" }
    }

    private func geometry(
        _ width: Int, _ height: Int, _ options: ThumbnailOptions
    ) throws -> ThumbnailGeometry {
        try #require(ThumbnailGeometry(sourceWidth: width, sourceHeight: height, options: options))
    }

    private func options(
        _ width: Int?, _ height: Int?, _ fit: ThumbnailFit, upscaling: Bool = false
    ) -> ThumbnailOptions {
        var options = ThumbnailOptions(width: width, height: height, fit: fit)
        options.allowsUpscaling = upscaling
        return options
    }

    private func size(
        _ width: Int, _ height: Int, into box: (Int?, Int?), _ fit: ThumbnailFit, upscaling: Bool = false
    ) throws -> Size {
        let made = try geometry(width, height, options(box.0, box.1, fit, upscaling: upscaling))
        return Size(made.width, made.height)
    }

    @Test func containScalesTheImageToFitInsideTheBox() throws {
        #expect(try size(2000, 1500, into: (300, 200), .contain) == Size(267, 200))
        #expect(try size(1500, 2000, into: (300, 200), .contain) == Size(150, 200))
        #expect(try size(4000, 3000, into: (256, 256), .contain) == Size(256, 192))
        #expect(try size(4243, 2828, into: (256, 256), .contain) == Size(256, 171))
        #expect(try size(1000, 1000, into: (300, 200), .contain) == Size(200, 200))
        #expect(try size(3, 10_000, into: (100, 100), .contain) == Size(1, 100))
        #expect(try size(10_000, 3, into: (100, 100), .contain) == Size(100, 1))
        // A half is rounded up: 200 * 5 / 16 = 62.5.
        #expect(try size(1600, 500, into: (200, 200), .contain) == Size(200, 63))
    }

    @Test func coverScalesAndCropsTheImageToTheBox() throws {
        #expect(try size(2000, 1500, into: (300, 200), .cover) == Size(300, 200))
        #expect(try size(100, 4000, into: (50, 50), .cover) == Size(50, 50))
        // Without enlarging, the result is the part of the box that the image covers at its original size.
        #expect(try size(250, 100, into: (300, 200), .cover) == Size(250, 100))
        #expect(try size(400, 100, into: (300, 200), .cover) == Size(300, 100))
        #expect(try size(250, 100, into: (300, 200), .cover, upscaling: true) == Size(300, 200))
    }

    @Test func fillStretchesTheImageToTheBox() throws {
        #expect(try size(2000, 1500, into: (300, 200), .fill) == Size(300, 200))
        #expect(try size(100, 1500, into: (300, 200), .fill) == Size(100, 200))
        #expect(try size(100, 1500, into: (300, 200), .fill, upscaling: true) == Size(300, 200))
    }

    @Test func imageIsEnlargedOnlyWithTheAllowsUpscalingOption() throws {
        for fit in ThumbnailFit.allCases {
            #expect(try size(20, 10, into: (300, 200), fit) == Size(20, 10), "\(fit)")
        }
        #expect(try size(20, 10, into: (300, 200), .contain, upscaling: true) == Size(300, 150))
        #expect(try size(20, 10, into: (300, 200), .scaleDown, upscaling: true) == Size(20, 10))
    }

    @Test func unspecifiedSideIsComputedFromTheAspectRatio() throws {
        #expect(try size(1000, 333, into: (100, nil), .contain) == Size(100, 33))
        #expect(try size(1000, 333, into: (nil, 33), .contain) == Size(99, 33))
        #expect(try size(1000, 333, into: (nil, nil), .contain) == Size(1000, 333))
        #expect(try size(1000, 333, into: (2000, nil), .contain) == Size(1000, 333))
        #expect(try size(1000, 333, into: (2000, nil), .contain, upscaling: true) == Size(2000, 666))
        for fit in ThumbnailFit.allCases {
            let made = try geometry(1000, 333, options(100, nil, fit))
            #expect(Size(made.width, made.height) == Size(100, 33))
            #expect(made.cropWidth == 1000 && made.cropHeight == 333, "\(fit)")
        }
    }

    /// Compares images and boxes of up to 24 pixels per side with the exact definition.
    @Test func containAndCoverMatchTheExactGeometry() throws {
        for (width, height) in (1...24).flatMap({ w in [1, 2, 3, 7, 12, 24].map { (w, $0) } }) {
            for (boxWidth, boxHeight) in (1...24).flatMap({ w in [1, 5, 8, 24].map { (w, $0) } }) {
                let contained = try geometry(width, height, options(boxWidth, boxHeight, .contain, upscaling: true))
                let scale = min(Double(boxWidth) / Double(width), Double(boxHeight) / Double(height))
                #expect(abs(Double(contained.width) - max(1, Double(width) * scale)) <= 0.5 + 1e-9)
                #expect(abs(Double(contained.height) - max(1, Double(height) * scale)) <= 0.5 + 1e-9)
                #expect(contained.width == boxWidth || contained.height == boxHeight)

                let covering = try geometry(width, height, options(boxWidth, boxHeight, .cover, upscaling: true))
                #expect(Size(covering.width, covering.height) == Size(boxWidth, boxHeight))
                let isWhole = covering.cropWidth == Double(width) || covering.cropHeight == Double(height)
                #expect(isWhole, "\(width)x\(height) in \(boxWidth)x\(boxHeight)")
                let aspect = covering.cropWidth / covering.cropHeight
                #expect(abs(aspect * Double(boxHeight) / Double(boxWidth) - 1) < 1e-9)
                #expect(covering.cropX >= 0 && covering.cropX + covering.cropWidth <= Double(width))
                #expect(covering.cropY >= 0 && covering.cropY + covering.cropHeight <= Double(height))
            }
        }
    }

    @Test(arguments: [
        (Gravity.topLeft, 0.0, 0.0), (.top, 50, 0), (.topRight, 100, 0), (.left, 0, 50), (.center, 50, 50),
        (.right, 100, 50), (.bottomLeft, 0, 100), (.bottom, 50, 100), (.bottomRight, 100, 100),
        (Gravity(x: 0.5, y: 0.3), 50, 10), (Gravity(x: 0.3, y: 0.5), 10, 50), (Gravity(x: 0.1, y: 0.9), 0, 100),
    ])
    func gravityCentersTheCropOnItsPointUnlessTheCropWouldLeaveTheImage(
        _ gravity: Gravity, _ x: Double, _ y: Double
    ) throws {
        var wide = options(50, 50, .cover)
        wide.gravity = gravity

        let across = try geometry(200, 100, wide)
        let down = try geometry(100, 200, wide)

        #expect(across.cropX == x && across.cropY == 0 && across.cropWidth == 100 && across.cropHeight == 100)
        #expect(down.cropX == 0 && down.cropY == y && down.cropWidth == 100 && down.cropHeight == 100)
    }

    @Test func cropIsAppliedBeforeTheFit() throws {
        var cropped = options(50, 50, .contain)
        cropped.crop = PixelRectangle(x: 100, y: 20, width: 200, height: 100)

        let made = try geometry(1000, 500, cropped)

        #expect(Size(made.width, made.height) == Size(50, 25))
        #expect([made.cropX, made.cropY, made.cropWidth, made.cropHeight] == [100, 20, 200, 100])
    }

    @Test func cropIsClippedToTheImage() throws {
        var cropped = options(nil, nil, .contain)
        let cases: [(PixelRectangle, [Double]?)] = [
            (PixelRectangle(x: -5, y: -5, width: 10, height: 10), [0, 0, 5, 5]),
            (PixelRectangle(x: 95, y: 45, width: 10, height: 10), [95, 45, 5, 5]),
            (PixelRectangle(x: .min, y: 0, width: .max, height: 1), nil),
            (PixelRectangle(x: 1, y: 1, width: .max, height: .max), [1, 1, 99, 49]),
            (PixelRectangle(x: 100, y: 0, width: 1, height: 1), nil),
            (PixelRectangle(x: 0, y: 0, width: 0, height: 1), nil),
            (PixelRectangle(x: 0, y: 0, width: 1, height: -1), nil),
            (PixelRectangle(x: .max, y: .max, width: .max, height: .max), nil),
            (PixelRectangle(x: .min, y: .min, width: .min, height: .min), nil),
        ]
        for (rectangle, expected) in cases {
            cropped.crop = rectangle
            let made = ThumbnailGeometry(sourceWidth: 100, sourceHeight: 50, options: cropped)
            #expect(made.map { [$0.cropX, $0.cropY, $0.cropWidth, $0.cropHeight] } == expected, "\(rectangle)")
        }
    }

    @Test(arguments: [(Gravity.topLeft, 0, 0), (.center, 0, 25), (.bottomRight, 0, 50)])
    func paddingExtendsTheResultToTheBox(_ gravity: Gravity, _ left: Int, _ top: Int) throws {
        var padded = options(100, 100, .contain)
        padded.padsToBox = true
        padded.gravity = gravity

        let made = try geometry(200, 100, padded)

        #expect([made.width, made.height, made.boxWidth, made.boxHeight] == [100, 50, 100, 100])
        #expect([made.left, made.top] == [left, top])
    }

    @Test func sizesOverTheLimitsThrowBeforeAllocation() throws {
        var limits = DecodeLimits.unlimited
        func code(_ width: Int, _ height: Int, _ options: ThumbnailOptions) -> String? {
            do throws(DecodeError) {
                _ = try ThumbnailGeometry(
                    sourceWidth: width, sourceHeight: height, limits: limits, options: options)
                return nil
            } catch {
                return "\(error.code) \(error.detail ?? "")"
            }
        }

        #expect(code(1, 1_000_000, options(100, nil, .contain, upscaling: true)) == "limitExceeded maxSide")
        #expect(code(1 << 21, 1, options(100, nil, .contain)) == "limitExceeded maxSide")
        limits.maxSide = 99
        #expect(code(10, 10, options(100, nil, .contain, upscaling: true)) == "limitExceeded maxSide")
        limits = .unlimited
        limits.maxPixels = 9_999
        #expect(code(10, 10, options(100, nil, .contain, upscaling: true)) == "limitExceeded maxPixels")
        limits.maxPixels = 10_000
        #expect(code(10, 10, options(100, nil, .contain, upscaling: true)) == nil)
        limits.maxMemory = 39_999
        #expect(code(10, 10, options(100, nil, .contain, upscaling: true)) == "limitExceeded maxMemory")
        var outside = options(1, 1, .contain)
        outside.crop = PixelRectangle(x: 10, y: 0, width: 1, height: 1)
        #expect(code(10, 10, outside) == "emptyCrop ")
    }
}
