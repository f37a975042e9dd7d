import PlatformImage
import PlatformImageTestSupport
import Testing

@Suite struct OperationFixtureTests {
    @Test(arguments: OperationFixture.all)
    func operationHasThePixelsOfAnotherProgram(_ fixture: OperationFixture) throws {
        let decoder = ImageDecoder(options: .asStored)
        let base = try decoder.decode(Fixture.file("operations/base.png")).bitmap
        let overlay = try decoder.decode(Fixture.file("operations/overlay.png")).bitmap

        let result = try fixture.result(of: base, overlay: overlay).clearingTransparentPixels()

        #expect((result.width, result.height) == (fixture.width, fixture.height))
        let expected = try Fixture.file(fixture.reference)
        let difference = result.largestDifference(to: expected, tolerance: fixture.maxDifference)
        #expect(difference ?? .max <= fixture.maxDifference)
    }

    @Test func fixturesContainEveryOperator() {
        let operators = OperationFixture.all.compactMap(\.compositeOperator)
        #expect(Set(operators) == Set(CompositeOperator.allCases))
    }
}
