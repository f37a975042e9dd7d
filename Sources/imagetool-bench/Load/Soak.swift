import Foundation
import PlatformImage
import PlatformImageLoader
import PlatformImageToolSupport

/// Loads of images and data in random order; half of them are cancelled after a random delay.
struct Soak {
    let origin: String
    let folder: String

    /// Counts of loads, and resources in use by the process.
    struct Statistics: Sendable {
        var done = 0
        var cancelled = 0
        var failed = 0
        /// Resident memory in bytes.
        var resident = 0
        var descriptors = 0
        var running = 0

        var line: String {
            let figures = [done, cancelled, failed, resident / 1024, descriptors, running]
            return figures.map { padded(String($0), to: 10, .right) }.joined() + "\n"
        }
    }

    /// Runs the loads with a new loader, which is released at the end.
    ///
    /// - Parameter report: Called ten times during the run.
    /// - Returns: The figures after the first fifth of the loads, and those at the end.
    func run(loads: Int, concurrency: Int, report: (Statistics) throws -> Void) async throws -> (
        firstFifth: Statistics, last: Statistics
    ) {
        let loader = try makeLoader()
        var samples: [Statistics] = []
        var total = Statistics()
        for _ in 0..<10 {
            let part = await run(loads / 10, concurrency, loader)
            total.done += part.done
            total.cancelled += part.cancelled
            total.failed += part.failed
            samples.append(measure(total, loader))
            try report(measure(total, loader))
        }
        // The fetch of a cancelled load ends shortly after the last load that waits for it has ended; wait at most five
        // minutes.
        let deadline = ContinuousClock.now + .seconds(300)
        while loader.activeWorkCount > 0, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(1)) }
        return (samples[1], measure(total, loader))
    }

    private func run(_ loads: Int, _ concurrency: Int, _ loader: ImageLoader) async -> Statistics {
        let numbers = Counter()
        return await withTaskGroup(of: Statistics.self) { group in
            for _ in 0..<concurrency {
                group.addTask {
                    var statistics = Statistics()
                    while numbers.next(below: loads) != nil {
                        let error = await one(loader)
                        statistics.done += 1
                        if error?.code == .cancelled { statistics.cancelled += 1 }
                        if let error, error.code != .cancelled {
                            printError("imagetool: \(error)")
                            statistics.failed += 1
                        }
                    }
                    return statistics
                }
            }
            return await group.reduce(into: Statistics()) { total, statistics in
                total.done += statistics.done
                total.cancelled += statistics.cancelled
                total.failed += statistics.failed
            }
        }
    }

    private func makeLoader() throws -> ImageLoader {
        var configuration = ImageLoader.Configuration()
        configuration.cacheDirectory = folder + "/images"
        configuration.dataDirectory = folder + "/data"
        // Small limits, so that both caches evict continuously.
        configuration.diskCacheMaxBytes = 1 << 20
        configuration.cacheImagesInMemory = true
        configuration.memoryCacheMaxBytes = 1 << 20
        return try ImageLoader(
            configuration: configuration, transport: CurlTransport(proxy: .none, connectionsPerHost: 16))
    }

    /// Runs one load; returns `nil` on success.
    private func one(_ loader: ImageLoader) async -> LoadError? {
        let url = "\(origin)/\(Int.random(in: 0..<1_000)).bmp"
        let policy: CachePolicy = [.default, .default, .reload, .revalidate].randomElement() ?? .default
        let isImage = Bool.random()
        let isSlow = Int.random(in: 0..<10) == 0
        let task = Task { () -> LoadError? in
            do throws(LoadError) {
                if isImage {
                    var request = ImageRequest(url: url)
                    request.policy = policy
                    if isSlow { request.priority = .slow }
                    _ = try await loader.image(for: request)
                } else {
                    _ = try await loader.data(for: DataRequest(url: url, policy: policy))
                }
                return nil
            } catch {
                return error
            }
        }
        if Bool.random() {
            for _ in 0..<Int.random(in: 0..<300) { await Task.yield() }
            task.cancel()
        }
        return await task.value
    }

    private func measure(_ statistics: Statistics, _ loader: ImageLoader) -> Statistics {
        var statistics = statistics
        statistics.resident = residentBytes(.current)
        statistics.descriptors = openDescriptors()
        statistics.running = loader.activeWorkCount
        return statistics
    }
}

/// Number of open descriptors of this process; 0 without `/proc`.
private func openDescriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}
