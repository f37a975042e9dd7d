#if Service
import Logging
import Testing

@testable import ThumbnailService

/// SV12: no service without a key, unless that was asked for.
@Suite struct StartTests {
    private func refusal(_ change: (inout ServiceConfiguration) -> Void) -> ServiceError? {
        var configuration = ServiceConfiguration()
        change(&configuration)
        do throws(ServiceError) {
            _ = try ThumbnailServer(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            return nil
        } catch {
            return error
        }
    }

    @Test("SV12 a service starts with keys, or without them when that was asked for, and not with an empty one")
    func aServiceNeedsAKey() {
        #expect(refusal { _ in }?.reason == .internalFault)
        #expect(refusal { $0.signing.keys = [[]] }?.reason == .internalFault)
        #expect(refusal { $0.signing.keys = [Array("secret".utf8), []] }?.reason == .internalFault)
        #expect(
            refusal {
                $0.signing.keys = [[]]
                $0.signing.allowsUnsafe = true
            }?.reason == .internalFault)
        #expect(refusal { $0.signing.keys = [Array("secret".utf8)] } == nil)
        #expect(refusal { $0.signing.allowsUnsafe = true } == nil)
    }

    /// Neither the text of one that is too short nor that of one that is too long makes a difference.
    @Test("SV12 a signature of another length is refused whatever it says") func theLengthOfASignatureCounts()
        async throws
    {
        try await withService {
            $0.signing.keys = [Array("secret".utf8)]
            $0.signing.allowsUnsafe = false
        } _: { service in
            let signature = "AAAAAAAAAAAAAAAAAAAAAAAAAAA="
            for count in [0, 1, 27, 28, 29, 43, 44, 45, 100] {
                let text = String((signature + signature + signature + signature).prefix(count))
                let reply = try await service.send("/\(text)/8x8/a.example/b.png")
                #expect(reply.status == 400, "\(count) characters")
            }
            #expect(try await service.send("/unsafe/8x8/a.example/b.png").status == 400)
        }
    }
}
#endif
