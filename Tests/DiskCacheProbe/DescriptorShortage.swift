import PlatformImageLoader
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads in many threads with few descriptors: every operation returns a correct result. Prints `hits N` and `faults N`
/// of the phase with few descriptors, and `found N` of the entries afterwards.
func runDescriptorShortage(_ folder: String, threads: Int, keys: Int, descriptors: Int) async {
    let cache = DiskCache(directory: folder)
    // Wait for the end of the initial scan, which opens and closes folders. A scan that ends later would release a
    // descriptor while the test requires that no descriptor is free.
    await cache.flush()
    var limit = rlimit()
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    #else
    let resource = RLIMIT_NOFILE
    #endif
    getrlimit(resource, &limit)
    let most = limit.rlim_cur
    limit.rlim_cur = rlim_t(descriptors)
    guard setrlimit(resource, &limit) == 0 else { failMissingData("setrlimit") }
    var held: [Int32] = []
    while true {
        let next = dup(STDOUT_FILENO)
        if next < 0 { break }
        held.append(next)
    }
    // Without a free descriptor, a read must return nil; with three, the threads compete for them.
    if cache.read(Oracle.key(0)) != nil { failMissingData("a read without a descriptor") }
    for _ in 0..<min(3, held.count) { close(held.removeLast()) }
    let worker = ShortageWorker(cache: cache, keys: keys)
    runThreads(threads, worker)
    for descriptor in held { close(descriptor) }
    limit.rlim_cur = most
    setrlimit(resource, &limit)
    let faults = cache.statistics.faults[.noDescriptors] ?? 0
    printLine("hits \(worker.hits.load(ordering: .relaxed))")
    printLine("faults \(faults)")
    var found = 0
    for number in 0..<keys {
        guard let hit = cache.read(Oracle.key(number)) else { continue }
        guard Oracle.version(of: number, hit.entry, hit.body) != nil else { failWrongData(number) }
        found += 1
    }
    printLine("found \(found)")
}

/// Runs the worker in `count` threads and waits for their end. This function is not async, because Darwin's
/// `pthread_join` is not available in async functions.
private func runThreads(_ count: Int, _ worker: ShortageWorker) {
    var ids: [pthread_t] = []
    for index in 0..<count {
        #if canImport(Darwin)
        var id: pthread_t?
        #else
        var id = pthread_t()
        #endif
        let box = Unmanaged.passRetained(ShortageThread(worker: worker, seed: index))
        pthread_create(
            &id, nil,
            { argument in
                // The type of the closure's argument is optional, except on Darwin.
                let argument: UnsafeMutableRawPointer? = argument
                if let argument { Unmanaged<ShortageThread>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, box.toOpaque())
        ids += [id].compactMap { $0 }
    }
    for id in ids { pthread_join(id, nil) }
}

private final class ShortageWorker: Sendable {
    let cache: DiskCache
    let keys: Int
    let hits = Atomic(0)

    init(cache: DiskCache, keys: Int) {
        self.cache = cache
        self.keys = keys
    }
}

private final class ShortageThread: Sendable {
    private let worker: ShortageWorker
    private let seed: Int

    init(worker: ShortageWorker, seed: Int) {
        self.worker = worker
        self.seed = seed
    }

    func run() {
        var random = Random(seed: UInt64(seed))
        for _ in 0..<200 {
            let number = Int(random.next() % UInt64(worker.keys))
            guard let hit = worker.cache.read(Oracle.key(number)) else { continue }
            guard Oracle.version(of: number, hit.entry, hit.body) != nil else { failWrongData(number) }
            worker.hits.add(1, ordering: .relaxed)
        }
    }
}
