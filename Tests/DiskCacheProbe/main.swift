import PlatformImageLoader

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// The child process of the fault tests: `DiskCacheProbe FOLDER COMMAND NUMBER...`. It runs operations on a cache folder
// and prints results. Exit code 3: the cache returned wrong data; 4: an entry is missing without a fault. An alarm
// signal ends a probe that hangs: after 900 s plus four times FAULT_SECONDS (see FaultSeed).
alarm(900 + UInt32(getenv("FAULT_SECONDS").flatMap { Double(String(cString: $0)) } ?? 0) * 4)
// Under libfaketime `CommandLine.arguments` is empty: Swift searches for the arguments next to the environment in
// memory, and the library moves the environment. The tests therefore also pass the arguments in a variable.
let passed = getenv("DISK_CACHE_PROBE").map { String(cString: $0).split(separator: "\n").map(String.init) }
let words = (passed ?? Array(CommandLine.arguments.dropFirst()))[...]
guard words.count >= 2, let command = Command(rawValue: words[words.startIndex + 1]) else {
    printLine("usage: DiskCacheProbe FOLDER COMMAND NUMBER...")
    exit(64)
}
await command.run(in: words[words.startIndex], words.dropFirst(2).map { Int($0) ?? 0 })
exit(0)
