import PlatformImageTestSupport
import Testing

@testable import PlatformImageService

/// Validation of signing keys and IIIF prefixes at the start of the service.
@Suite struct ServiceStartTests {
    private static let key = Array("a key of 16 byte".utf8)

    private func refusal(_ change: (inout ServiceConfiguration) -> Void) -> ServiceError? {
        var configuration = ServiceConfiguration()
        change(&configuration)
        do throws(ServiceError) {
            _ = try ThumbnailServer(configuration)
            return nil
        } catch {
            return error
        }
    }

    @Test(.requirement("SV12")) func serviceStartsOnlyWithSigningKeysOrWithUnsafeTargetsAllowed() {
        #expect(refusal { _ in }?.reason == .internalFault)
        #expect(refusal { $0.signing.keys = [[]] }?.reason == .internalFault)
        #expect(refusal { $0.signing.keys = [Self.key, []] }?.reason == .internalFault)
        #expect(
            refusal {
                $0.signing.keys = [[]]
                $0.signing.allowsUnsafe = true
            }?.reason == .internalFault)
        #expect(refusal { $0.signing.keys = [Self.key] } == nil)
        #expect(refusal { $0.signing.allowsUnsafe = true } == nil)
    }

    @Test(.requirement("X19"), arguments: [1, 6, 15, 16, 17, 64], [false, true])
    func signingKeyUnder16BytesFailsTheStart(count: Int, isUnsafe: Bool) {
        let error = refusal {
            $0.signing.keys = [Self.key, Array(repeating: 0x61, count: count)]
            $0.signing.allowsUnsafe = isUnsafe
        }

        #expect((error == nil) == (count >= 16))
        if let error {
            #expect(error.reason == .internalFault)
            #expect(error.message == "signing key 2 of 2 has \(count) bytes; at least 16 are required")
        }
    }

    @Test(
        .requirement("X2"),
        arguments: [
            ("http://images.example/", true), ("https://images.example:8443/a/b/", true), ("http://[::1]/", true),
            ("http://images.example", false), ("http://images.example/a", false), ("http://images.example:80", false),
            ("http://", false), ("http:///", false), ("http:///images/", false), ("http://:80/", false),
            ("https:/images.example/", false), ("ftp://images.example/", false), ("images.example/", false),
            ("/", false),
            ("", false), ("http://user@images.example/", false), ("http://user:secret@images.example/", false),
            ("http://images.example:99999/", false), ("http://images.example:x/", false),
            ("http://images.example/?id=/", false), ("http://images.example/#/", false), ("http://a b/", false),
            ("http://images.example/a b/", false), ("http://images.example\\/", false), ("http://-/", false),
        ])
    func iiifPrefixThatIsNotAnHTTPURLWithAFinalSlashFailsTheStart(_ prefix: String, isAccepted: Bool) {
        let error = refusal {
            $0.signing.allowsUnsafe = true
            $0.iiif = .init(urlPrefix: prefix)
        }
        #expect((error == nil) == isAccepted)

        var options = ConfigurationOptions()
        let fromOption = Result { () throws(ServiceError) in
            try options.set("iiif.map", ["file:/pictures", prefix])
            return try ResolvedConfiguration(options: options, json: nil).service.iiif?.urlPrefix
        }
        switch fromOption {
        case .success(let found): #expect(isAccepted && found == prefix)
        case .failure(let error):
            #expect(!isAccepted)
            #expect(
                error.message.hasPrefix("iiif.map (option): invalid value \"\(prefix)\"; expected list of: `file:`"))
            #expect(error.message.hasSuffix("an http or https URL that ends with `/`"))
        }
    }

    /// Lengths below, at and above those of the supported signatures.
    @Test(.requirement("SV12")) func invalidSignatureOfAnyLengthIsRejectedWith400() async throws {
        try await withService {
            $0.signing.keys = [Self.key]
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
