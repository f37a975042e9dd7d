import Dispatch
import PlatformImage
import PlatformImageTestSupport
import Testing

@testable import PlatformImageLoader

@Suite struct LoadReporterTests {
    @Test(.requirement("O80")) func eventSinkThatCallsTheLoaderDoesNotDeadlock() async throws {
        let holder = Locked<ImageLoader?>(nil)
        let found = Locked<[Bool]>([])
        let bench = try LoaderBench(ScriptedTransport(.image(TestImage.first, maxAge: 60))) { configuration in
            configuration.eventCategories = .all
            configuration.eventSink = { event in
                guard let loader = holder.value, case .responseReceived = event.kind else { return }
                // Each call takes locks of the loader; the first one also waits for the disk.
                _ = loader.cachedImage(for: ImageRequest(url: LoaderBench.url))
                _ = loader.statistics
                loader.relieveMemoryPressure(to: 0)
                try? loader.update { $0.urgentWidth = 3 }
                found.update { $0.append(loader.configuration.urgentWidth == 3) }
            }
        }
        holder.update { $0 = bench.loader }

        await bench.load()
        await bench.loader.flush()
        holder.update { $0 = nil }

        #expect(found.value == [true])
    }

    @Test(.requirement("O80")) func reportsBeyondTheQueueLimitAreDroppedAndCounted() {
        let (arrived, released, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let kinds = Locked<[LoaderEvent.Kind]>([])
        var configuration = ImageLoader.Configuration()
        configuration.eventCategories = .all
        configuration.eventSink = { event in
            kinds.update { $0.append(event.kind) }
            switch event.kind {
            case .memoryRelieved(bytes: 0):
                arrived.signal()
                released.wait()
            case .reportsDropped: ended.signal()
            default: break
            }
        }
        let reporter = LoadReporter(configuration)
        let most = LoadReporter.maxWaiting

        reporter.report(.memoryRelieved(bytes: 0))
        arrived.wait()
        for number in 1...(most + 3) { reporter.report(.memoryRelieved(bytes: number)) }
        released.signal()
        ended.wait()

        let expected: [LoaderEvent.Kind] = (0...most).map { .memoryRelieved(bytes: $0) } + [.reportsDropped(count: 3)]
        #expect(kinds.value == expected)
        #expect(reporter.droppedCount == 3)
    }

    @Test(.requirement("O98")) func changedEventSinkReceivesEventsOfRunningLoads() async throws {
        let (first, second) = (ReportListener(), ReportListener())
        let gate = Gate()
        var reply = ScriptedReply.image(TestImage.first, maxAge: 60)
        reply.headGate = gate
        let bench = try LoaderBench(ScriptedTransport(reply)) { first.listen(&$0) }
        async let load: Void = bench.load()
        await gate.arrival()
        await bench.loader.flush()

        // The new sinks also receive events of the running load.
        try bench.loader.update { second.listen(&$0, to: .response) }
        gate.open()
        await load
        await bench.loader.flush()

        #expect(first.kinds == [.cacheMiss, .requestSent(attempt: 1)])
        #expect(first.records.isEmpty)
        #expect(second.events.map(\.category) == [.response])
        #expect(second.records.count == 1)
        try bench.loader.update {
            $0.eventSink = nil
            $0.recordSink = nil
        }
        await bench.load(LoaderBench.url, .reload)
        await bench.loader.flush()
        #expect(second.events.count == 1)
    }

    @Test func earlierConfigurationAppliedLateDoesNotReplaceALaterConfiguration() {
        var loud = ImageLoader.Configuration()
        loud.eventCategories = .memory
        loud.eventSink = { _ in }
        let reporter = LoadReporter(ImageLoader.Configuration())

        reporter.configure(loud, number: 2)
        reporter.configure(ImageLoader.Configuration(), number: 1)

        #expect(reporter.wants(.memory))
        #expect(!reporter.wants([.request, .response, .cache, .error]))
        #expect(!reporter.wantsRecords)
    }

    @Test(.requirement("O17", "O63")) func disabledLogSettingsSuppressLogLinesButNotSinkEvents() async throws {
        for isLogged in [true, false] {
            let listener = ReportListener()
            let bench = try LoaderBench(ScriptedTransport(.image(TestImage.first))) {
                listener.listen(&$0, to: [.cache, .error])
                $0.logCacheMisses = isLogged
                $0.logResponseWarnings = isLogged
            }
            await bench.load()
            await bench.loader.flush()

            #expect(listener.kinds == [.cacheMiss, .cachePolicyWarning(.neitherETagNorLifetime)])
            let lines = [
                LogLine(level: .debug, message: "cache miss", metadata: ["url": LoaderBench.url]),
                LogLine(
                    level: .warning, message: "response lacks caching headers",
                    metadata: ["url": LoaderBench.url, "warning": "neitherETagNorLifetime"]),
            ]
            #expect(listener.lines == (isLogged ? lines : []))
            #expect(listener.events.map(\.isLogged) == [isLogged, isLogged])
        }
        let defaults = ImageLoader.Configuration()
        #expect(defaults.logCacheMisses && defaults.logResponseWarnings)
        #expect(defaults.eventSink == nil && defaults.recordSink == nil)
    }

    @Test(
        arguments: [
            (.cacheMiss, .debug, [:]), (.cachePolicyWarning(.etagOnly), .warning, ["warning": "etagOnly"]),
            (.requestSent(attempt: 2), .debug, ["attempt": "2"]),
            (
                .responseReceived(status: 200, bytes: 7, duration: .milliseconds(1_500)), .debug,
                ["status": "200", "bytes": "7", "ms": "1500"]
            ),
            (
                .retrying(attempt: 2, delay: .seconds(1), code: .transport), .notice,
                ["attempt": "2", "delayMs": "1000", "code": "transport"]
            ),
            (
                .failed(code: .http, status: 404, isFatal: true, message: "status 404"), .error,
                ["code": "http", "status": "404", "fatal": "true", "error": "status 404"]
            ),
            (.imageRemoved, .info, [:]), (.filesRemoved(count: 1, bytes: 2), .info, ["count": "1", "bytes": "2"]),
            (.memoryPurged(count: 1, bytes: 2), .info, ["count": "1", "bytes": "2"]),
            (.memoryRelieved(bytes: 3), .info, ["bytes": "3"]),
            (
                .diskFault(.noSpace, directory: "/a", message: "full"), .error,
                ["fault": "noSpace", "directory": "/a", "error": "full"]
            ),
            (.diskCacheUnlimited(directory: "/a"), .warning, ["directory": "/a"]),
            (.reportsDropped(count: 4), .warning, ["count": "4"]),
        ] as [(LoaderEvent.Kind, LoaderEvent.Level, [String: String])])
    func eventIsLoggedWithItsValuesAsMetadata(
        _ kind: LoaderEvent.Kind, _ level: LoaderEvent.Level, _ metadata: [String: String]
    ) async {
        let listener = ReportListener()
        var configuration = ImageLoader.Configuration()
        listener.listen(&configuration)
        let reporter = LoadReporter(configuration)

        reporter.report(kind, url: "http://h/")
        await reporter.delivered()

        #expect(listener.lines.map(\.level) == [level])
        #expect(listener.lines.first?.metadata == metadata.merging(["url": "http://h/"]) { first, _ in first })
        #expect(listener.events.first?.fields.first?.name == "url")
    }
}
