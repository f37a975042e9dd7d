import Testing

@testable import PlatformImage

@Suite struct FrameDelayTests {
    @Test(arguments: [
        (0, 100, 100), (1, 100, 100), (2, 100, 20), (10, 100, 100), (1, 92, 10), (1, 1000, 100), (3, 2, 1500),
    ])
    func displayedDurationOfADelayOfAtMost10MillisecondsIs100Milliseconds(
        numerator: Int, denominator: Int, milliseconds: Int
    ) {
        let delay = FrameDelay(numerator: numerator, denominator: denominator)

        #expect(
            delay.displayed.components.seconds * 1000 + delay.displayed.components.attoseconds / 1_000_000_000_000_000
                == milliseconds)
    }
}
