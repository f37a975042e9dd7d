import PlatformImage
import PlatformImageTestSupport
import Testing

/// Compares size, header, status and pixels of each fixture with the values in `Fixtures/manifest.json`.
@Suite struct FixtureTests {
    @Test(arguments: Fixture.all)
    func everyFixtureFileHasTheSizeAndHashOfTheFixtureManifest(_ fixture: Fixture) throws {
        let bytes = try fixture.load()

        #expect(bytes.count == fixture.bytes)
        #expect(SHA256.hex(bytes) == fixture.sha256)
        #expect(!fixture.licence.isEmpty && !fixture.source.isEmpty)
    }

    @Test(arguments: Fixture.all.filter { $0.expect.error == nil })
    func decodingAsStoredGivesThePixelsAndStatusOfTheFixtureManifest(_ fixture: Fixture) throws {
        let image = try ImageDecoder(options: .asStored).decode(fixture.load())

        #expect(image.header.format.rawValue == fixture.format)
        #expect(image.bitmap.width == fixture.width)
        #expect(image.bitmap.height == fixture.height)
        try expectPixels(
            of: image.bitmap, fixture.expect.pixels, fixture.expect.reference, fixture.expect.maxDifference)
        switch (fixture.status ?? "complete", image.status) {
        case ("complete", .complete), ("corrupt", .corrupt): break
        case ("truncated", .truncated(let rows)): #expect(fixture.rows == nil || rows == fixture.rows)
        case (let expected, let actual): Issue.record("expected \(expected), got \(actual)")
        }
    }

    @Test(arguments: Fixture.all.filter { $0.expect.error == nil })
    func headerOfEveryDecodableFixtureMatchesTheFixtureManifest(_ fixture: Fixture) throws {
        let header = try ImageDecoder().header(of: fixture.load())

        #expect(header.width == fixture.width)
        #expect(header.height == fixture.height)
        if let orientation = fixture.orientation { #expect(Int(header.orientation.rawValue) == orientation) }
        if let frames = fixture.frames { #expect(header.frameCount ?? (frames > 1 ? nil : frames) == frames) }
        // Later frames may be transparent where the first one is opaque.
        if fixture.hasAlpha == true, fixture.frames == 1 { #expect(header.hasAlpha) }
    }

    @Test(arguments: Fixture.all.filter { $0.display != nil })
    func decodingForDisplayGivesUprightSRGBPixels(_ fixture: Fixture) throws {
        let display = try #require(fixture.display)

        let image = try ImageDecoder().decode(fixture.load())

        #expect(image.bitmap.width == display.width)
        #expect(image.bitmap.height == display.height)
        #expect(image.header.displayWidth == display.width)
        try expectPixels(of: image.bitmap, display.pixels, display.reference, display.maxDifference)
    }

    @Test(arguments: Fixture.all.filter { $0.expect.error != nil })
    func undecodableFixtureThrowsTheErrorCodeOfTheFixtureManifest(_ fixture: Fixture) throws {
        let bytes = try fixture.load()

        let error = #expect(throws: DecodeError.self) { try ImageDecoder(options: .asStored).decode(bytes) }

        #expect(error?.code.description == fixture.expect.error)
        if let token = fixture.expect.token { #expect(error?.detail == token) }
        #expect(error?.message.isEmpty == false)
    }

    @Test(arguments: Fixture.all.filter { $0.status == "truncated" || $0.status == "corrupt" })
    func decodingADamagedFixtureWithStrictOptionsThrows(_ fixture: Fixture) throws {
        let bytes = try fixture.load()

        let error = #expect(throws: DecodeError.self) { try ImageDecoder(options: .strict).decode(bytes) }

        #expect([.truncated, .malformed].contains(error?.code))
    }

    private func expectPixels(
        of bitmap: Bitmap, _ digest: String?, _ reference: String?, _ maxDifference: Int?
    ) throws {
        if let reference {
            let tolerance = maxDifference ?? 0
            let difference = bitmap.largestDifference(to: try Fixture.file(reference), tolerance: tolerance)
            #expect(difference.map { $0 <= tolerance } == true, "largest difference \(difference ?? -1)")
        } else {
            #expect(bitmap.digest == digest)
        }
    }
}
