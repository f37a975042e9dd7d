import Testing

@testable import PlatformImage

/// Errors that end the list of frames, and errors that the call throws.
@Suite struct FrameInfoListTests {
    private static let frame = FrameInfo(CodecFrame(stillFrameOfWidth: 3, height: 2))

    /// The number of listed frames when `error` occurs after `count` frames; nil when the call throws it.
    private func listed(_ count: Int, then error: DecodeError) -> Int? {
        var calls = 0
        let result = Result { () throws(DecodeError) in
            try LocalDecoder.frameInfos(maxCount: 10) { () throws(DecodeError) in
                calls += 1
                guard calls <= count else { throw error }
                return Self.frame
            }
        }
        switch result {
        case .success(let infos): return infos.count
        case .failure(let thrown):
            #expect(thrown.code == error.code)
            return nil
        }
    }

    @Test func damageOrALimitAfterTheFirstFrameEndsTheList() {
        for error in [
            DecodeError(.malformed, ""), DecodeError(.truncated, ""), DecodeError(.unsupported, ""),
            DecodeError(.limitExceeded, detail: "maxPixels", ""), DecodeError(.limitExceeded, detail: "maxMemory", ""),
        ] {
            for count in 1...3 { #expect(listed(count, then: error) == count, "\(error)") }
            #expect(listed(0, then: error) == nil, "\(error)")
        }
    }

    @Test func deadlineCancellationOrLackOfMemoryIsThrownAtAnyFrame() {
        for error in [
            DecodeError(.limitExceeded, detail: "deadline", ""), DecodeError(.cancelled, ""),
            DecodeError(.outOfMemory, ""), DecodeError(.internal, ""),
        ] {
            for count in 0...3 { #expect(listed(count, then: error) == nil, "\(error)") }
        }
    }

    @Test func listEndsAtTheLastFrameAndAtTheMaximumCount() throws {
        for (count, expected) in [(0, 0), (3, 3), (4, 4), (9, 4)] {
            var calls = 0
            let infos = try LocalDecoder.frameInfos(maxCount: 4) {
                calls += 1
                return calls <= count ? Self.frame : nil
            }
            #expect(infos.count == expected)
            #expect(calls == min(count + 1, 4))
        }
    }
}
