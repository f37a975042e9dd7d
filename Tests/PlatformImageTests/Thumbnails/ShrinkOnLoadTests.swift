import PlatformImageTestSupport
import Testing

@testable import PlatformImage

/// Shrinking on load gives the same pixels, status and warnings as a full decode that is resampled afterwards.
@Suite struct ShrinkOnLoadTests {
    @Test(arguments: Fixture.all.filter { $0.expect.error == nil })
    func shrinkOnLoadOfEveryDecodableFixtureHasTheResultOfAFullDecode(_ fixture: Fixture) throws {
        let bytes = try fixture.load()

        let expected = try FullDecodeModel.decode(bytes, width: 13, height: 11)
        let actual = try ShrinkOnLoad.decode(bytes, width: 13, height: 11)

        #expect(actual == expected)
    }

    @Test(arguments: Fixture.all.filter { $0.expect.error != nil })
    func shrinkOnLoadOfAnInvalidFixtureThrowsTheErrorCodeOfTheFixtureManifest(_ fixture: Fixture) throws {
        let bytes = try fixture.load()

        let error = #expect(throws: DecodeError.self) { try ShrinkOnLoad.decode(bytes, width: 5, height: 5) }

        #expect(error?.code.description == fixture.expect.error)
    }

    @Test(arguments: Fixture.small(1500))
    func shrinkOnLoadOfATruncatedFileHasTheResultOrErrorOfAFullDecode(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        for part in 1..<8 {
            let cut = Array(bytes[..<(bytes.count * part / 8)])

            let expected = decodeResult { () throws(DecodeError) in
                try FullDecodeModel.decode(cut, width: 4, height: 9)
            }
            let actual = decodeResult { () throws(DecodeError) in try ShrinkOnLoad.decode(cut, width: 4, height: 9) }

            #expect(actual == expected, "\(fixture) cut to \(cut.count) bytes")
        }
    }

    @Test(arguments: Fixture.all.filter { $0.status == "truncated" || $0.status == "corrupt" })
    func shrinkOnLoadOfADamagedFixtureWithStrictOptionsThrows(_ fixture: Fixture) throws {
        let bytes = try fixture.load()

        let error = #expect(throws: DecodeError.self) {
            try ShrinkOnLoad.decode(bytes, options: .strict, width: 7, height: 7)
        }

        #expect([.truncated, .malformed].contains(error?.code))
    }

    /// Uses files of each format with every filter, random sizes and random crops.
    @Test(
        arguments: [
            "demo/mountains.jpg", "demo/chart.png", "demo/letter-g4.tif", "bmp/24-bit.bmp", "demo/orbit.gif",
            "demo/valley.webp", "webp/lossy-alpha-best.webp", "webp/lossless-soft.webp",
        ])
    func shrinkOnLoadOfRandomRequestsHasThePixelsOfAFullDecode(_ path: String) throws {
        let fixtures = Fixture.all.filter { $0.path == path || (path.hasPrefix("bmp") && $0.path.hasPrefix("bmp/")) }
        var random = SplitMix(seed: 7)
        for fixture in fixtures.prefix(8) {
            let bytes = try fixture.load()
            for filter in ResampleFilter.allCases {
                let (width, height) = (Int.random(in: 1...90, using: &random), Int.random(in: 1...90, using: &random))
                let (left, top) = (
                    Double.random(in: 0...0.6, using: &random), Double.random(in: 0...0.6, using: &random)
                )
                func change(_ request: inout ResampleRequest) {
                    request.filter = filter
                    request.linearLight = filter == .bilinear
                    request.cropX = left * Double(request.sourceWidth)
                    request.cropY = top * Double(request.sourceHeight)
                    request.cropWidth = 0.4 * Double(request.sourceWidth)
                    request.cropHeight = 0.35 * Double(request.sourceHeight)
                }

                let expected = try FullDecodeModel.decode(bytes, width: width, height: height, change: change)
                let actual = try ShrinkOnLoad.decode(bytes, width: width, height: height, change: change)

                #expect(actual == expected, "\(fixture) \(filter) to \(width) x \(height)")
            }
        }
    }

    @Test(arguments: [2, 4, 8], ["demo/mountains.jpg", "demo/aurora-progressive.jpg", "jpeg/progressive-420.jpg"])
    func shrinkOnLoadWithScaleDenominatorHasThePixelsOfAFullDecode(_ denominator: Int, _ path: String) throws {
        let bytes = try Fixture.file(path)
        var options = DecodeOptions.asStored
        options.scaleDenominator = denominator

        let expected = try FullDecodeModel.decode(bytes, options: options, width: 20, height: 15)
        let actual = try ShrinkOnLoad.decode(bytes, options: options, width: 20, height: 15)

        #expect(actual == expected)
    }

    @Test(arguments: Fixture.small(700))
    func cancellingAtAnyPollThrowsCancelled(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let counter = CancellationFlag()
        _ = try ShrinkOnLoad.decode(bytes, width: 3, height: 3, flag: counter)

        for polls in 0..<counter.pollCount {
            let flag = CancellationFlag()
            flag.cancelAfter(polls: polls)
            let error = #expect(throws: DecodeError.self) {
                try ShrinkOnLoad.decode(bytes, width: 3, height: 3, flag: flag)
            }
            #expect(error?.code == .cancelled, "\(fixture) at poll \(polls)")
        }
    }

    /// One source row may produce many result rows; they are written in groups of 16.
    @Test(arguments: Fixture.all.filter { $0.expect.error == nil && ($0.width ?? 9) * ($0.height ?? 9) <= 4 })
    func cancellingAnEnlargementAtAnyPollThrowsCancelled(_ fixture: Fixture) throws {
        let bytes = try fixture.load()
        let counter = CancellationFlag()
        _ = try ShrinkOnLoad.decode(bytes, width: 2, height: 320, flag: counter)
        #expect(counter.pollCount >= 20)

        for polls in 0..<counter.pollCount {
            let flag = CancellationFlag()
            flag.cancelAfter(polls: polls)
            let error = #expect(throws: DecodeError.self) {
                try ShrinkOnLoad.decode(bytes, width: 2, height: 320, flag: flag)
            }
            #expect(error?.code == .cancelled, "at poll \(polls)")
        }
    }

    @Test func everyFormatPollsTheCancellationFlagAtLeastEverySixteenRows() throws {
        for fixture in Fixture.all where fixture.expect.error == nil && fixture.path.hasPrefix("demo/") {
            let flag = CancellationFlag()
            _ = try ShrinkOnLoad.decode(fixture.load(), width: 16, height: 16, flag: flag)
            #expect(flag.pollCount >= (fixture.height ?? 0) / 16, "\(fixture): \(flag.pollCount) polls")
        }
    }

    private struct DecodeResult: Equatable {
        var outcome: FullDecodeModel.Outcome?
        var code: DecodeError.Code?
    }

    private func decodeResult(_ body: () throws(DecodeError) -> FullDecodeModel.Outcome) -> DecodeResult {
        switch Result(catching: body) {
        case .success(let outcome): DecodeResult(outcome: outcome)
        case .failure(let error): DecodeResult(code: error.code)
        }
    }
}
