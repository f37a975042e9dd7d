import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct CompositeTests {
    private static let clear = RGBA8(red: 0, green: 0, blue: 0, alpha: 0)

    private static func noise(_ width: Int, _ height: Int, seed: UInt64) -> Bitmap {
        var random = SplitMix(seed: seed)
        return Bitmap(width: width, height: height) { pixels in
            for at in 0..<pixels.count {
                // Every fourth pixel is opaque, every fourth transparent.
                let kind = at / 4 % 4
                let alpha: UInt8? = at % 4 != 3 ? nil : kind == 0 ? 255 : kind == 1 ? 0 : nil
                pixels[at] = alpha ?? UInt8.random(in: 0...255, using: &random)
            }
        }
    }

    /// One row per alpha of the destination, one column per alpha of the source, for pairs of colours.
    private static let levels: [UInt8] = [0, 1, 2, 3, 51, 84, 127, 128, 129, 200, 253, 254, 255]

    private static func grid(_ color: RGBA8, _ alpha: (_ x: Int, _ y: Int) -> UInt8) -> Bitmap {
        Bitmap(width: levels.count, height: levels.count) { pixels in
            for y in 0..<levels.count {
                for x in 0..<levels.count {
                    var pixel = color
                    pixel.alpha = alpha(x, y)
                    let at = (y * levels.count + x) * 4
                    (pixels[at], pixels[at + 1], pixels[at + 2], pixels[at + 3]) = (
                        pixel.red, pixel.green, pixel.blue, pixel.alpha
                    )
                }
            }
        }
    }

    @Test(arguments: CompositeOperator.allCases, [1, 0.5, 0.37, 0.004, 0])
    func everyPairOfAlphasEqualsTheFormulasRoundedToTheNearestInteger(
        _ operation: CompositeOperator, _ opacity: Double
    ) throws {
        let colors: [UInt8] = [0, 1, 100, 254, 255]
        for source in colors {
            for destination in colors {
                let bottom = Self.grid(RGBA8(red: destination, green: 255 - destination, blue: 7)) { Self.levels[$1] }
                let top = Self.grid(RGBA8(red: source, green: 200, blue: 255 - source)) { x, _ in Self.levels[x] }

                let result = try bottom.composited(top, operator: operation, opacity: opacity)

                for y in 0..<result.height {
                    for x in 0..<result.width {
                        if opacity == 0 || top[x, y].alpha == 0, operation.keepsUncoveredDestination {
                            #expect(result[x, y] == bottom[x, y])
                            continue
                        }
                        let model = CompositeModel(top[x, y], bottom[x, y], operation, opacity: opacity)
                        let tolerance = opacity == 1 ? 1e-9 : 1e-3
                        #expect(
                            model.rounds(to: result[x, y], tolerance: tolerance),
                            "\(top[x, y]) \(operation) \(bottom[x, y]): \(result[x, y]), expected \(model)")
                    }
                }
            }
        }
    }

    @Test(arguments: CompositeOperator.allCases)
    func pixelsOutsideTheOverlayAreKeptOrClearedDependingOnTheOperator(_ operation: CompositeOperator) throws {
        let (bottom, top) = (Self.noise(11, 7, seed: 1), Self.noise(5, 4, seed: 2))
        let far = [Int.min, -5, .max, 11]
        let offsets = [-4, -1, 0, 3, 6, 9] + far
        for x in offsets {
            for y in [-3, 0, 2, 5, 7, .min, .max] {
                let result = try bottom.composited(top, atX: x, y: y, operator: operation)

                #expect(result.width == 11 && result.height == 7)
                for row in 0..<7 {
                    for column in 0..<11 {
                        let (u, v) = (column.subtractingReportingOverflow(x), row.subtractingReportingOverflow(y))
                        let isInside =
                            !u.overflow && !v.overflow && (0..<5).contains(u.partialValue)
                            && (0..<4).contains(v.partialValue)
                        let below = bottom[column, row]
                        let above = isInside ? top[u.partialValue, v.partialValue] : Self.clear
                        if above.alpha == 0 {
                            let expected = operation.keepsUncoveredDestination ? below : Self.clear
                            #expect(result[column, row] == expected)
                        } else {
                            let model = CompositeModel(above, below, operation, opacity: 1)
                            #expect(model.rounds(to: result[column, row], tolerance: 1e-9))
                        }
                    }
                }
            }
        }
    }

    @Test func operatorsThatKeepTheUncoveredDestinationAreThoseWhoseFormulaKeepsIt() {
        let destination = RGBA8(red: 9, green: 90, blue: 200, alpha: 77)
        for operation in CompositeOperator.allCases {
            let model = CompositeModel(Self.clear, destination, operation, opacity: 1)
            #expect(operation.keepsUncoveredDestination == (model.alpha > 0))
        }
    }

    @Test func sourceOverOfEveryAlphaEqualsTheIntegerFormula() throws {
        var random = SplitMix(seed: 4)
        func pixels(_ alpha: (Int) -> Int) -> Bitmap {
            Bitmap(width: 256, height: 256) { pixels in
                for at in 0..<pixels.count {
                    pixels[at] = at % 4 == 3 ? UInt8(alpha(at / 4)) : UInt8.random(in: 0...255, using: &random)
                }
            }
        }
        let (top, bottom) = (pixels { $0 % 256 }, pixels { $0 / 256 })

        let result = try bottom.composited(top)

        for y in 0..<256 {
            for x in 0..<256 {
                #expect(result[x, y] == top[x, y].over(bottom[x, y]))
            }
        }
    }

    @Test(arguments: [-0.001, 1.001, .nan, .infinity, -.infinity])
    func opacityOutOfRangeThrows(_ opacity: Double) {
        let bitmap = Self.noise(3, 3, seed: 1)
        let error = #expect(throws: DecodeError.self) { try bitmap.composited(bitmap, opacity: opacity) }
        #expect(error?.code == .invalidArgument && error?.detail == "opacity")
    }

    @Test func resultOverTheLimitsThrows() {
        var limits = DecodeLimits()
        limits.maxPixels = 8
        let bitmap = Self.noise(3, 3, seed: 1)
        let error = #expect(throws: DecodeError.self) { try bitmap.composited(bitmap, limits: limits) }
        #expect(error?.code == .limitExceeded && error?.detail == "maxPixels")
    }

    @Test func cancellationAtAnyPollEndsTheComposition() throws {
        let bitmap = Self.noise(5, 40, seed: 1)
        let whole = CancellationFlag()
        _ = try bitmap.composited(bitmap, cancellation: whole)
        #expect(whole.pollCount == 3)
        for polls in 0..<whole.pollCount {
            let flag = CancellationFlag()
            flag.cancelAfter(polls: polls)
            let error = #expect(throws: DecodeError.self) { try bitmap.composited(bitmap, cancellation: flag) }
            #expect(error?.code == .cancelled)
        }
    }
}
