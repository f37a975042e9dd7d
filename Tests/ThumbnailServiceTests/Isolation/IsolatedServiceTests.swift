#if os(Linux)
import Foundation
import PlatformImageLoader
import PlatformImageTestSupport
import Testing

@testable import PlatformImage
@testable import PlatformImageService

/// A service that decodes in worker processes (`decode.isolation`).
@Suite(.timeLimit(.minutes(10))) struct IsolatedServiceTests {
    private static let targets = [
        "60x40", "fit-in/50x50/smart", "40x0/filters:format(webp)", "trim/30x30", "30x20/filters:format(png):blur(2)",
        "20x20/filters:max_bytes(2000)", "meta/60x40", "90x90/filters:proportion(0.5)",
    ]

    @Test(arguments: [
        "demo/mountains.jpg", "demo/display-p3.png", "demo/orbit.gif", "demo/letter-g4.tif", "demo/comet.webp",
        "demo/invader-rle4.bmp", "demo/poster-cmyk.jpg", "gif/truncated-after-7-rows.gif", "README.md",
    ])
    func responsesWithAndWithoutWorkersAreEqual(_ name: String) async throws {
        let file = try Fixture.file(name)
        let send: @Sendable (RunningService) async throws -> [RunningService.Reply] = { service in
            var replies: [RunningService.Reply] = []
            for target in Self.targets { replies.append(try await service.thumbnail(target, of: file)) }
            return replies
        }
        let change: (inout ServiceConfiguration) -> Void = { $0.output.metadata = .all }

        let inProcess = try await withService(change, send)
        let isolated = try await withIsolatedService(change) { service, workers in
            let replies = try await send(service)
            // A text file is refused by its signature, so that no codec reads it.
            #expect((workers.statistics.requests >= Self.targets.count) == (name != "README.md"))
            return replies
        }

        #expect(isolated.map(\.status) == inProcess.map(\.status))
        // The body of an error contains the id of its request.
        func images(_ replies: [RunningService.Reply]) -> [[UInt8]] { replies.filter { $0.status == 200 }.map(\.body) }
        #expect(images(isolated) == images(inProcess))
        #expect(images(isolated).count == (name == "README.md" ? 0 : Self.targets.count))
        for name in ["Content-Type", "X-Frames"] {
            #expect(isolated.map { $0[name] } == inProcess.map { $0[name] })
        }
    }

    @Test func imageInformationWithAndWithoutWorkersIsEqual() async throws {
        let target = "/iiif/3/demo%2Fwindow.png/info.json"
        let change: (inout ServiceConfiguration) -> Void = {
            $0.server.publicURL = "https://images.example"
            $0.iiif = .init(fileRoot: Fixture.folder.path())
        }

        let inProcess = try await withService(change) { try await $0.send(target) }
        let isolated = try await withIsolatedService(change) { service, workers in
            let reply = try await service.send(target)
            #expect(workers.statistics.requests == 1)
            return reply
        }

        #expect(isolated.status == 200 && isolated.body == inProcess.body)
    }

    @Test func everyWorkerOfARunningServiceIsConfined() async throws {
        let file = try Fixture.file("demo/mountains.jpg")
        try await withIsolatedService {
            $0.limits.threads = 2
        } _: { service, workers in
            await workers.waitUntilStarted(3)
            for side in 20..<30 { #expect(try await service.thumbnail("\(side)x20", of: file).status == 200) }

            let identifiers = workers.processIdentifiers
            #expect(identifiers.count == 4)
            #expect(Set(identifiers).isSubset(of: try WorkerProcessFiles.children()))
            for identifier in identifiers {
                let process = WorkerProcessFiles(identifier: identifier)
                #expect(try process.status("Seccomp") == "2")
                #expect(try process.status("NoNewPrivs") == "1")
                #expect(try process.niceness == ThumbnailEngine.niceness)
                // Only privileged users can read these.
                guard geteuid() == 0 else { continue }
                #expect(try process.environment.isEmpty)
                let descriptors = try process.descriptors
                #expect(descriptors.contains { $0.hasPrefix("socket:[") })
                #expect(
                    descriptors.allSatisfy { $0.hasPrefix("socket:[") || $0.hasPrefix("/memfd:") }, "\(descriptors)")
            }
        }
    }

    @Test func workersEndWithTheService() async throws {
        let identifiers = try await withIsolatedService {
            $0.limits.threads = 1
        } _: { _, workers in
            await workers.waitUntilStarted(2)
            return workers.processIdentifiers
        }

        await yieldUntil { identifiers.allSatisfy { kill($0, 0) != 0 } }
        #expect(identifiers.count == 3)
    }

    @Test func missingWorkerProgramFailsTheStart() throws {
        var configuration = ServiceConfiguration()
        configuration.signing.allowsUnsafe = true
        configuration.decode.isIsolated = true
        configuration.decode.decoderPath = "/none/decoder"

        let error = #expect(throws: ServiceError.self) {
            try ThumbnailServer(configuration)
        }
        #expect(error?.reason == .internalFault)
        #expect(
            error?.message == """
                decode.isolation: the worker program "/none/decoder" does not exist; `--isolation off` \
                (decode.isolation) decodes without workers
                """)
    }

    @Test(
        arguments: [
            (DecodeError.Code.crashed, "SIGSEGV", 415), (.crashed, "refused", 415), (.crashed, "protocol", 415),
            (.crashed, "SIGKILL", 503), (.timedOut, nil, 504), (.workerUnavailable, "busy", 503),
        ] as [(DecodeError.Code, String?, Int)])
    func errorsOfWorkersHaveTheStatusesOfTheDocumentation(
        _ code: DecodeError.Code, _ detail: String?, _ status: Int
    ) throws {
        let error = ServiceError(DecodeError(code, detail: detail, "a test"))

        #expect(error.status == status)
        #expect((error.retryAfter != nil) == (status == 503))
    }

    @Test func errorsOfWorkersThatDoNotDependOnTheSourceAreNotStored() {
        let (cache, source) = (FailureCache(), SourceName.url("http://a.example/b.png"))
        for (code, detail) in [(DecodeError.Code.crashed, "SIGKILL"), (.workerUnavailable, "system"), (.timedOut, nil)]
            as [(DecodeError.Code, String?)]
        {
            let error = ServiceError(DecodeError(code, detail: detail, "a test"))
            for _ in 0..<8 { cache.record(error, of: source, now: WallTime(seconds: 1)) }
            #expect(cache.failure(of: source, now: WallTime(seconds: 1)) == nil)
        }
        for _ in 0..<4 {
            cache.record(
                ServiceError(DecodeError(.crashed, detail: "SIGSEGV", "a test")), of: source, now: WallTime(seconds: 1))
        }
        #expect(cache.failure(of: source, now: WallTime(seconds: 1))?.reason == .notAnImage)
    }
}
#endif
