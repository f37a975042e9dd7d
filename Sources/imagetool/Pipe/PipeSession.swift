import PlatformImage
import PlatformImageLoader
import PlatformImageToolSupport
import Synchronization

/// State of one `imagetool pipe` process: loaders by name, and concurrent operations with one response each.
final class PipeSession: Sendable {
    /// A loader that is open or being opened.
    private typealias Opening = Task<Result<ImageLoader, LoadError>, Never>

    private struct State {
        var loaders: [String: Opening] = [:]
        var operations: [Int: Task<Void, Never>] = [:]
        var started = 0
    }

    private let output: PipeOutput
    /// HTTP transport of all loaders, so that they share connections.
    private let transport = CurlTransport()
    private let state = Mutex(State())

    init(output: PipeOutput) { self.output = output }

    /// Starts the operation of a line.
    ///
    /// Call it in the order of the lines. Each operation uses the loader that is open, or being opened, under its
    /// loader name at the time of this call.
    func accept(_ item: LineInput.Item, maxLineBytes: Int) {
        switch item {
        case .tooLong:
            start { .failed(nil, "the line is longer than \(maxLineBytes) bytes") }
        case .line(let line):
            let request = PipeRequest(line)
            switch request.content {
            case .failure(let refusal): start { .refused(request.id, refusal) }
            case .success((let name, .open(let configuration))): open(name, configuration, request.id)
            case .success((let name, let operation)):
                let opening = state.locked(in: self) { $0.loaders[name] }
                start { await Self.respond(request.id, operation, opening) }
            }
        }
    }

    /// Returns when every operation has ended and its response is written.
    func finish() async {
        while let operation = state.locked(in: self, { $0.operations.first?.value }) { await operation.value }
    }

    /// Cancels all operations; the response to a cancelled load contains a cancellation error.
    func cancel() {
        for operation in state.locked(in: self, { Array($0.operations.values) }) { operation.cancel() }
    }

    /// Flushes the caches of all open loaders to disk and waits for the eviction that enforces their limits.
    func flush() async {
        for opening in state.locked(in: self, { Array($0.loaders.values) }) {
            if case .success(let loader) = await opening.value { await loader.flush() }
        }
    }

    private func start(_ response: @escaping @Sendable () async -> PipeResponse) {
        state.locked(in: self) { state in
            let number = state.started
            state.started += 1
            state.operations[number] = Task { [self] in
                await output.write(response().line)
                self.state.locked(in: self) { $0.operations[number] = nil }
            }
        }
    }

    private func open(_ name: String, _ request: PipeConfiguration, _ id: String?) {
        let transport = transport
        let opening = state.locked(in: self) { state in
            let previous = state.loaders[name]
            let opening = Opening {
                if case .success(let loader) = await previous?.value { await loader.flush() }
                do throws(LoadError) {
                    return .success(try ImageLoader(configuration: request.configuration, transport: transport))
                } catch {
                    return .failure(error)
                }
            }
            state.loaders[name] = opening
            return opening
        }
        start {
            switch await opening.value {
            case .failure(let error): return .failed(id, error.description)
            case .success:
                return .done(
                    id,
                    [
                        ("capabilities", .array(PipeRequest.operations.map { .string($0) })),
                        ("ignoredConfig", .array(request.ignored.map { .string($0) })),
                    ])
            }
        }
    }

    private static func respond(
        _ id: String?, _ operation: PipeRequest.Operation, _ opening: Opening?
    ) async -> PipeResponse {
        guard let opening else { return .failed(id, "no loader is open under the name in the request") }
        switch await opening.value {
        case .failure(let error): return .failed(id, error.description)
        case .success(let loader): return await respond(id, operation, loader)
        }
    }

    private static func respond(
        _ id: String?, _ operation: PipeRequest.Operation, _ loader: ImageLoader
    ) async -> PipeResponse {
        switch operation {
        case .open: return .done(id)
        case .load(let load): return .loaded(id, await outcome(of: load, loader))
        case .flush:
            await loader.flush()
            return .done(id)
        case .clearMemory: return .removed(id, await loader.purgeMemory())
        case .purgeDisk: return .removed(id, await loader.purgeDisk())
        case .clearModifiedOlderThan(let age):
            return .removed(id, await loader.clearCachedFiles(modifiedOlderThan: age))
        case .clearCreatedOlderThan(let age):
            return .removed(id, await loader.clearCachedFiles(createdOlderThan: age))
        case .stats: return .done(id, await counts(loader))
        }
    }

    private static func outcome(of load: PipeLoad, _ loader: ImageLoader) async -> LoadOutcome {
        switch load.kind {
        case .image:
            var request = ImageRequest(url: load.url, fields: load.fields, policy: load.policy)
            request.redirect = load.redirect
            return await loader.outcome(of: request)
        case .data:
            var request = DataRequest(url: load.url, fields: load.fields, policy: load.policy)
            request.redirect = load.redirect
            return await loader.outcome(of: request)
        }
    }

    private static func counts(_ loader: ImageLoader) async -> [(String, JSON)] {
        func isCounted() -> Bool {
            [loader.diskStatistics, loader.dataStatistics].allSatisfy { $0?.isComplete ?? true }
        }
        // Until the first scan of a directory has ended, its statistics are too small; `flush()` waits for the scan.
        if !isCounted() { await loader.flush() }
        let disks = [loader.diskStatistics, loader.dataStatistics].compactMap(\.self)
        let memory = loader.memoryStatistics
        return [
            ("entries", .integer(disks.reduce(0) { $0 + $1.entries })),
            ("bytes", .integer(disks.reduce(0) { $0 + $1.bytes })),
            ("memoryEntries", .integer(memory.count)), ("memoryBytes", .integer(memory.bytes)),
            ("faults", .integer(disks.reduce(0) { $0 + $1.faults.values.reduce(0, +) })),
        ]
    }
}
