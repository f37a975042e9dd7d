#if Service
import Testing

@testable import ThumbnailService

@Suite struct ServiceIdentityTests {
    @Test func theNameIsATokenOfHTTP() {
        #expect(ServiceIdentity.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }
}
#endif
